// The clock that the host reports to the device.
#pragma once

#include <cstdint>

#include "ring/actor_kernel.hpp"

namespace quern::ring {

// Owns the time at which the group was started. No lock: start() precedes all other calls, which may come
// from any thread.
class DeviceClock {
 public:
  explicit DeviceClock(const ActorKernel& kernel) : kernel_(kernel) {}

  void start() { started_ = Clock::now(); }
  Clock::duration elapsed() const { return Clock::now() - started_; }
  std::uint64_t now() const;  // ns since the start, as reported to the device
  // Reports the time to one actor, or to all.
  void write(const ActorState& actor) const;
  void write() const;

 private:
  const ActorKernel& kernel_;
  Clock::time_point started_;
};

}  // namespace quern::ring
