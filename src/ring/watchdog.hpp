// The watchdog. A persistent kernel reports when user code begins and ends (kStep). A driven batch reports
// nothing before it ends, so it is given the time for all of its messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "ring/kernel_control.hpp"
#include "ring/termination.hpp"

namespace quern::ring {

// Measures how long a number has not changed, as observed by a periodic check. A time in which this process
// was stopped does not count.
class Stillness {
 public:
  // `longest`: maximum time that counts for one check.
  std::chrono::nanoseconds look(std::uint64_t number, std::chrono::nanoseconds longest);
  void end() { is_on_ = false; }

 private:
  std::uint64_t number_ = 0;
  bool is_on_ = false;
  Clock::time_point last_;
  std::chrono::nanoseconds so_far_{0};
};

// Owns the observed progress of actors and batches. No lock: called by the service thread.
class Watchdog {
 public:
  Watchdog(const ActorKernel& kernel, const KernelControl& control, Termination& termination)
      : kernel_(kernel), control_(control), termination_(termination) {}

  // Abandons the kernel if a handler takes longer than Options::watchdog.
  void check();

 private:
  bool is_stuck(const ActorState& actor);
  bool is_batch_stuck();

  const ActorKernel& kernel_;
  const KernelControl& control_;
  Termination& termination_;
  std::vector<Stillness> actors_;
  Stillness batch_;
};

}  // namespace quern::ring
