// A clock for how long a device is waited for. It stands still while code is made, which takes the time that
// compilers take, and while this process does not run: a debugger has stopped it, or the machine was asleep.
#pragma once

#include <chrono>
#include <cstdint>

namespace quern::driver {

// Whoever waits looks at it at least every `kLook`: more than twice that is never counted for one look.
struct WaitingClock {
  static constexpr std::chrono::milliseconds kLook{100};
  static std::chrono::nanoseconds now();
};

// While one lives, somewhere in this process code is being made.
class Preparation {
 public:
  Preparation();
  ~Preparation();
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  static uint64_t count();  // how many there have been
};

}  // namespace quern::driver
