// A device's clock laid beside the host's: one moment on both.
#pragma once

#include <chrono>
#include <cstdint>

#include "driver/interface/driver.hpp"

namespace quern::driver {

inline uint64_t host_nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

struct ClockPair {
  uint64_t host = 0;    // nanoseconds of std::chrono::steady_clock
  uint64_t device = 0;  // whatever the device counts
};

// By events that are recorded and waited for between two looks at the host's clock: the quickest of three.
// `ticks` is what the device's clock said at the event.
template <typename Ticks>
Result<ClockPair> align_clocks(Device& device, Queue& queue, Event& event, const Ticks& ticks) {
  ClockPair best;
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = host_nanoseconds();
    QUERN_TRY(device.record(queue, event));
    QUERN_TRY(device.wait(event));
    const uint64_t took = host_nanoseconds() - before;
    QUERN_TRY_ASSIGN(const uint64_t at, ticks());
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, at};
  }
  return best;
}

}  // namespace quern::driver
