#include "driver/metal/device.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/metal/messages.hpp"

namespace quern::metal {

using base::Error;
using base::ErrorKind;

Result<std::unique_ptr<driver::Device>> Device::open(const Found& found) {
  const Pool pool(*found.api);
  std::unique_ptr<Device> device(new Device(found));
  QUERN_TRY(device->start());
  return std::unique_ptr<driver::Device>(std::move(device));
}

Device::~Device() {
  const Pool pool(*api_);
  drop_own_stream();
  nothing_.reset();
}

Result<> Device::start() {
  loss_->set_name(found_.info.name);
  QUERN_TRY(make_own_stream());
  constexpr uint64_t kNothingBytes = 256;
  QUERN_TRY_ASSIGN(nothing_, allocate(kNothingBytes, driver::MemoryKind::device));
  if (!found_.info.features.has(driver::Feature::timestamps)) return {};
  clock_.emplace([this] { return align(); }, true);
  return clock_->align();
}

// One moment on the host's clock and on the clock of GPUEndTime: the quickest of three.
Result<driver::ClockPair> Device::align() {
  const Pool pool(*api_);
  driver::ClockPair best;
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    uint64_t system = 0, device = 0;
    const uint64_t before = driver::host_nanoseconds();
    api_->send(id(), Sel::kSampleTimestamps, &system, &device);
    const uint64_t took = driver::host_nanoseconds() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, system};
  }
  return best;
}

Error Device::failed(std::string_view what, Id error, ErrorKind kind) const {
  const std::string text = api_->error_text(error);
  return {kind, message::kFailed(what, found_.info.name,
                                 text.empty() ? "Metal returned no object and no reason" : text)};
}

Error Device::no_memory(uint64_t bytes) const {
  const auto used = api_->send<uint64_t>(id(), Sel::kAllocatedSize);
  return {ErrorKind::out_of_memory,
          message::kOutOfMemory(base::format_bytes(bytes), found_.info.name, base::format_bytes(used),
                                base::format_bytes(found_.info.memory_bytes))};
}

}  // namespace quern::metal
