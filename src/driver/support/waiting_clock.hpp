// A clock for time limits of device waits. It stops while code is compiled, and while this process does not
// run (stopped by a debugger, or the machine sleeps).
#pragma once

#include <chrono>
#include <cstdint>

namespace quern::driver {

// Waiting threads read the clock at least every `kLook`: one reading advances it by at most twice that.
struct WaitingClock {
  static constexpr std::chrono::milliseconds kLook{100};
  static std::chrono::nanoseconds now();
};

// While one exists, code is being compiled somewhere in this process.
class Preparation {
 public:
  Preparation();
  ~Preparation();
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  static uint64_t count();  // how many have been created
};

}  // namespace quern::driver
