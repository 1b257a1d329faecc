// Marks: values of a queue's timeline, with a timestamp if the device has them.
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

namespace {

const Mark& as_mark(const driver::Mark& mark) { return static_cast<const Mark&>(mark); }

}  // namespace

Result<std::shared_ptr<driver::Mark>> Device::set_mark(driver::Stream& stream) {
  Stream& q = as_stream(stream);
  auto mark = std::make_shared<Mark>();
  const bool has_time = info_.features.has(driver::Feature::timestamps);
  if (has_time) {
    const QueryPoolCreateInfo info{.count = Queries::kQueriesPerPool};
    QUERN_TRY_ASSIGN(mark->query, queries_.take([&] { return QUERN_VK_MAKE(QueryPool, info); }));
  }
  if (has_time || !q.waits.empty()) {
    QUERN_TRY_ASSIGN(Slot* const slot, begin(q, q.work));
    if (has_time) {
      slot->held.push_back(mark->query);
      api_.vkCmdResetQueryPool(slot->commands, mark->query->pool, mark->query->index, 1);
      api_.vkCmdWriteTimestamp(slot->commands, kPipeBottom, mark->query->pool, mark->query->index);
    }
    QUERN_TRY(submit(q, q.work, *slot));
  }
  mark->point = {q.timeline, q.last};
  return mark;
}

Result<> Device::follow(driver::Stream& stream, driver::Mark& mark) {
  const Point& point = as_mark(mark).point;
  if (point.timeline != as_stream(stream).timeline) as_stream(stream).waits.push_back(point);
  return {};
}

Result<bool> Device::is_passed(driver::Mark& mark) {
  const Point& point = as_mark(mark).point;
  QUERN_TRY_ASSIGN(const bool is_passed, point.timeline->has_reached(point.value));
  if (is_passed) QUERN_TRY(finish_host_copies());
  return is_passed;
}

Result<> Device::wait_for(driver::Mark& mark) { return wait_copying(as_mark(mark).point); }

Result<> Device::finish(driver::Stream& stream) {
  Stream& q = as_stream(stream);
  for (const Point& p : q.waits) QUERN_TRY(p.timeline->wait(p.value));
  q.waits.clear();
  return wait_copying({q.timeline, q.last});
}

Result<> Device::listen(driver::DeviceLog& device_log) {
  std::vector<driver::Finding> found;
  const bool is_own = &device_log == &device_log_of(own_stream());
  for (std::string& text :
       is_own || !instance_->is_validated ? std::vector<std::string>() : instance_->messages.take()) {
    driver::Finding f;
    f.kind = "validation";
    f.message = text;
    f.rendered = "the validation layer reports: " + std::move(text);
    found.push_back(std::move(f));
  }
  return read_reports(device_log, std::move(found));
}

Result<uint64_t> Device::ticks(const driver::Mark& mark) {
  const Queries::Query& query = *as_mark(mark).query;
  uint64_t value = 0;
  QUERN_VK(api_, vkGetQueryPoolResults(device_, query.pool, query.index, 1, sizeof value, &value,
                                       sizeof value, kQuery64));
  return value;
}

// Reads host and device clock together: by the driver if it supports that, else around a mark.
Result<driver::ClockPair> Device::calibrate() {
  if (!can_calibrate()) return align_by_marks();
  const CalibratedTimestampInfo clocks[] = {{.domain = kDomainMonotonic}, {.domain = kDomainDevice}};
  uint64_t both[2] = {}, deviation = 0;
  QUERN_VK(api_, vkGetCalibratedTimestamps(device_, 2, clocks, both, &deviation));
  return driver::ClockPair{both[0], both[1]};
}

}  // namespace quern::vulkan
