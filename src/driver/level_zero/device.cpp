#include "driver/level_zero/device.hpp"

#include <algorithm>

#include "driver/level_zero/messages.hpp"

namespace quern::level_zero {

using base::Error;
using base::ErrorKind;

Result<std::unique_ptr<driver::Device>> Device::open(const Found& found, Options options) {
  std::unique_ptr<Device> device(new Device(found, options));
  QUERN_TRY(device->start());
  return std::unique_ptr<driver::Device>(std::move(device));
}

Device::~Device() {
  drop_own_stream();
  if (events_ != nullptr) events_->close();
}

Result<> Device::start() {
  loss_->set_name(found_.info.name);
  const ContextDesc desc;
  ZeContext made = nullptr;
  QUERN_ZE(zeContextCreate(found_.driver, &desc, &made));
  context_ = std::make_shared<const Context>(
      Context{api_, found_.driver, found_.id, Owned<ZeContext>(made, api_->zeContextDestroy)});
  events_ = std::make_shared<Events>(context_);
  QUERN_TRY(find_queue_groups());
  QUERN_TRY(make_own_stream());
  if (found_.tick_nanoseconds == 0) return {};
  clock_.emplace([this] { return align(); }, true, found_.tick_nanoseconds, found_.timestamp_bits);
  return clock_->align();
}

Result<> Device::find_queue_groups() {
  const auto groups = list_of<GroupProperties>([&](uint32_t* count, GroupProperties* to) {
    return api_->zeDeviceGetCommandQueueGroupProperties(found_.id, count, to);
  });
  for (uint32_t i = 0; i < groups.size(); ++i) {
    const GroupProperties& g = groups[i];
    const QueueGroup group{i, g.streams, g.max_fill_pattern};
    if ((g.flags & kGroupCompute) != 0 && compute_.streams == 0) compute_ = group;
    if ((g.flags & kGroupCompute) == 0 && (g.flags & kGroupCopy) != 0 && copy_.streams == 0) copy_ = group;
  }
  if (compute_.streams != 0) return {};
  return Error(ErrorKind::unsupported, message::kNoComputeGroup(found_.info.name));
}

// One moment on both clocks: the quickest of three.
Result<driver::ClockPair> Device::align() {
  driver::ClockPair best;
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    uint64_t host = 0, device = 0;
    const uint64_t before = driver::host_nanoseconds();
    QUERN_ZE(zeDeviceGetGlobalTimestamps(found_.id, &host, &device));
    const uint64_t took = driver::host_nanoseconds() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, device};
  }
  return best;
}

// Drivers return many codes for a device that is lost: an error of a call that should work is followed by
// the question whether the device still does.
Result<> Device::check(Result<> result) {
  if (result.ok()) return result;
  if (result.error().kind() == ErrorKind::device_lost) return loss_->lose(result.error().message());
  QUERN_TRY(alive());
  if (result.error().kind() != ErrorKind::internal) return result;
  const ZeResult status = api_->zeDeviceGetStatus(found_.id);
  if (status == kSuccess || failed("", status).kind() != ErrorKind::device_lost) return result;
  return loss_->lose(result.error().message() + ", then " + failed("zeDeviceGetStatus", status).message());
}

}  // namespace quern::level_zero
