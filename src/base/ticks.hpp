// The processor's time stamp counter: a quarter of the cost of a clock. Its frequency is calibrated against
// std::chrono::steady_clock (runtime/profile/clock_line.hpp).
#pragma once

#include <chrono>
#include <cstdint>

namespace quern::base {

inline std::uint64_t ticks() {
#if defined(__aarch64__)
  std::uint64_t value = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#elif defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

}  // namespace quern::base
