// Spinning until a condition is met: faster than sleeping and being woken, which takes tens of microseconds
// on a virtual machine.
#pragma once

#include <chrono>
#include <utility>

#include <sched.h>

namespace quern::cpu {

inline void pause() {
#if defined(__aarch64__)
  asm volatile("isb");
#else
  asm volatile("pause");
#endif
}

// Returns whether `ready` became true before `end`. After the first 20 µs the core is yielded between checks;
// if another thread then uses it for a while, all cores are busy: returns early, and the caller should sleep.
template <typename Ready>
bool spin_until(const Ready& ready, std::chrono::steady_clock::time_point end) {
  constexpr int kLooks = 32;
  constexpr std::chrono::microseconds kUndisturbed{20}, kCrowded{50};
  if (ready()) return true;
  auto now = std::chrono::steady_clock::now();
  const auto first_yield = now + kUndisturbed;
  for (;;) {
    for (int i = 0; i < kLooks; ++i) {
      pause();
      if (ready()) return true;
    }
    const auto before = std::exchange(now, std::chrono::steady_clock::now());
    if (now >= end || now - before >= kCrowded) return false;
    if (now >= first_yield) ::sched_yield();
  }
}

template <typename Ready>
bool spin_until(const Ready& ready, std::chrono::nanoseconds most) {
  return ready() || spin_until(ready, std::chrono::steady_clock::now() + most);
}

}  // namespace quern::cpu
