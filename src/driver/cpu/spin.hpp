// Spinning until a condition is met: faster than sleeping and being woken, which takes tens of microseconds
// on a virtual machine.
#pragma once

#include <chrono>

#include <sched.h>

namespace quern::cpu {

inline void pause() {
#if defined(__aarch64__)
  asm volatile("isb");
#else
  asm volatile("pause");
#endif
}

// Returns whether `ready` became true within `most`. Yields the core between two checks.
template <typename Ready>
bool spin_until(const Ready& ready, std::chrono::nanoseconds most) {
  constexpr int kLooks = 32;
  if (ready()) return true;
  const auto end = std::chrono::steady_clock::now() + most;
  for (;;) {
    for (int i = 0; i < kLooks; ++i) {
      pause();
      if (ready()) return true;
    }
    if (std::chrono::steady_clock::now() >= end) return false;
    ::sched_yield();
  }
}

}  // namespace quern::cpu
