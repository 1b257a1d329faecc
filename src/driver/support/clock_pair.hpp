// A simultaneous reading of the device's clock and the host's clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace quern::driver {

inline uint64_t host_nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

struct ClockPair {
  uint64_t host = 0;    // nanoseconds of std::chrono::steady_clock
  uint64_t device = 0;  // in the device's own unit
};

}  // namespace quern::driver
