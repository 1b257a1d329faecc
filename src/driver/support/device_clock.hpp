// Converts times of a device's clock to the host's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "driver/interface/driver.hpp"
#include "driver/support/clock_pair.hpp"

namespace quern::driver {

class DeviceClock {
 public:
  using Align = std::function<Result<ClockPair>()>;

  // `drifts`: the clocks are aligned again every second, so aligning must be fast.
  DeviceClock(Align align, bool drifts, double tick_nanoseconds = 1, uint32_t bits = 64)
      : align_(std::move(align)), drifts_(drifts), tick_nanoseconds_(tick_nanoseconds), bits_(bits) {}

  Result<> align() {
    const std::lock_guard lock(mutex_);
    QUERN_TRY_ASSIGN(pair_, align_());
    return {};
  }

  // Converts a device time to nanoseconds of std::chrono::steady_clock.
  Result<uint64_t> host_time(uint64_t ticks) {
    constexpr uint64_t kSecond = 1'000'000'000;
    const std::lock_guard lock(mutex_);
    if (pair_.host == 0 || (drifts_ && host_nanoseconds() - pair_.host > kSecond)) {
      QUERN_TRY_ASSIGN(pair_, align_());
    }
    const uint32_t unused_bits = 64 - bits_;  // a narrower counter wraps around
    const auto since = static_cast<int64_t>((ticks - pair_.device) << unused_bits) >> unused_bits;
    const double nanoseconds = static_cast<double>(since) * tick_nanoseconds_;
    return pair_.host + static_cast<uint64_t>(static_cast<int64_t>(nanoseconds));
  }

 private:
  const Align align_;
  const bool drifts_;
  const double tick_nanoseconds_;
  const uint32_t bits_;
  std::mutex mutex_;
  ClockPair pair_;
};

}  // namespace quern::driver
