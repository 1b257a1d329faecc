// Events: points of a queue's timeline, with the time on the device's clock where it has one.
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using driver::Feature;

namespace {

Queue& as_queue(driver::Queue& queue) { return static_cast<Queue&>(queue); }
Event& as_event(driver::Event& event) { return static_cast<Event&>(event); }

}  // namespace

Mark::~Mark() {
  const std::lock_guard lock(device.marks_mutex_);
  device.free_marks_.emplace_back(pool, index);
}

Result<std::unique_ptr<driver::Event>> Device::create_event() {
  QUERN_TRY(alive());
  return std::make_unique<Event>();
}

Result<std::shared_ptr<Mark>> Device::take_mark() {
  constexpr uint32_t kMarksPerPool = 256;
  const std::lock_guard lock(marks_mutex_);
  if (free_marks_.empty()) {
    QueryPoolCreateInfo info;
    info.count = kMarksPerPool;
    QUERN_TRY_ASSIGN(query_pools_.emplace_back(), QUERN_VK_MAKE(QueryPool, info));
    for (uint32_t i = 0; i < kMarksPerPool; ++i) free_marks_.emplace_back(query_pools_.back().get(), i);
  }
  const auto [pool, index] = free_marks_.back();
  free_marks_.pop_back();
  return std::make_shared<Mark>(*this, pool, index);
}

Result<> Device::record(driver::Queue& queue, driver::Event& event) {
  QUERN_TRY(alive());
  Queue& q = as_queue(queue);
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  const bool has_time = info_.features.has(Feature::kTimestamps);
  if (has_time && (e.mark == nullptr || e.mark.use_count() > 1)) {
    QUERN_TRY_ASSIGN(e.mark, take_mark());
  }
  if (has_time || !q.waits.empty()) {
    QUERN_TRY_ASSIGN(Slot* const slot, begin(q, q.work));
    if (has_time) {
      slot->held.push_back(e.mark);
      api_.vkCmdResetQueryPool(slot->commands, e.mark->pool, e.mark->index, 1);
      api_.vkCmdWriteTimestamp(slot->commands, kPipeBottom, e.mark->pool, e.mark->index);
    }
    QUERN_TRY(submit(q, q.work, *slot));
  }
  e.timeline = q.timeline;
  e.value = q.last;
  e.heard = q.heard;
  return {};
}

Result<> Device::wait(driver::Queue& queue, driver::Event& event) {
  QUERN_TRY(alive());
  Queue& q = as_queue(queue);
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.timeline == nullptr || e.timeline == q.timeline) return {};
  q.waits.push_back({e.timeline, e.value});
  return {};
}

Result<bool> Device::reached(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.timeline == nullptr) return true;
  QUERN_TRY_ASSIGN(const bool reached, e.timeline->has_reached(e.value));
  if (reached) QUERN_TRY(finish_host_copies());
  return reached;
}

Result<> Device::wait(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  std::unique_lock lock(e.mutex);
  const std::shared_ptr<Timeline> timeline = e.timeline;
  const uint64_t value = e.value;
  const std::shared_ptr<driver::Heard> heard = e.heard.lock();
  lock.unlock();
  if (timeline == nullptr) return {};
  QUERN_TRY(wait_copying(*timeline, value));
  return heard != nullptr ? listen(*heard) : Result<>();
}

Result<> Device::synchronize(driver::Queue& queue) {
  QUERN_TRY(alive());
  Queue& q = as_queue(queue);
  for (const Queue::Wait& w : q.waits) QUERN_TRY(w.timeline->wait(w.value));
  q.waits.clear();
  QUERN_TRY(wait_copying(*q.timeline, q.last));
  return listen(*q.heard);
}

Result<> Device::listen(driver::Heard& heard) {
  std::vector<driver::Finding> found;
  const bool is_own = &heard == &heard_of(own_queue());
  for (std::string& text :
       is_own || !instance_->is_validated ? std::vector<std::string>() : instance_->messages.take()) {
    driver::Finding f;
    f.kind = "validation";
    f.message = text;
    f.rendered = "the validation layer finds: " + std::move(text);
    found.push_back(std::move(f));
  }
  return read_reports(heard, std::move(found));
}

Result<uint64_t> Device::ticks(const Mark& mark) {
  uint64_t value = 0;
  QUERN_VK(api_, vkGetQueryPoolResults(device_, mark.pool, mark.index, 1, sizeof value, &value, sizeof value,
                                       kQuery64));
  return value;
}

// Host and device looked at together: by the driver where it can, else around an event.
Result<> Device::calibrate() {
  if (has_.can_calibrate && api_.vkGetCalibratedTimestamps != nullptr) {
    CalibratedTimestampInfo clocks[2];
    clocks[0].domain = kDomainMonotonic;
    clocks[1].domain = kDomainDevice;
    uint64_t both[2] = {}, deviation = 0;
    QUERN_VK(api_, vkGetCalibratedTimestamps(device_, 2, clocks, both, &deviation));
    clocks_ = {both[0], both[1]};
    return {};
  }
  if (clocks_.host != 0) return {};
  Event event;
  QUERN_TRY_ASSIGN(clocks_,
                   driver::align_clocks(*this, own_queue(), event, [&] { return ticks(*event.mark); }));
  return {};
}

Result<uint64_t> Device::time(driver::Event& event) {
  QUERN_TRY(alive());
  Event& e = as_event(event);
  const std::lock_guard lock(e.mutex);
  if (e.mark == nullptr || e.timeline == nullptr) return driver::Device::time(event);
  QUERN_TRY(e.timeline->wait(e.value));
  QUERN_TRY_ASSIGN(const uint64_t at, ticks(*e.mark));
  constexpr uint64_t kSecond = 1'000'000'000;
  const std::lock_guard clocks(clock_mutex_);
  if (driver::host_nanoseconds() - clocks_.host > kSecond) QUERN_TRY(calibrate());  // clocks drift
  const uint32_t unused_bits = 64 - has_.timestamp_bits;  // a shorter clock begins anew
  const auto since = static_cast<int64_t>((at - clocks_.device) << unused_bits) >> unused_bits;
  const double nanoseconds = static_cast<double>(since) * has_.properties.limits.timestamp_period;
  return clocks_.host + static_cast<uint64_t>(static_cast<int64_t>(nanoseconds));
}

}  // namespace quern::vulkan
