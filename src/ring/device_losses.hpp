// Counts the losses of a session's device.
#pragma once

#include <atomic>
#include <cstdint>

#include "ring/actor_kernel.hpp"

namespace quern::ring {

// Owns the number of losses that the group has recovered from. No lock: both members are atomic. The queries
// may come from any thread; start(), set_recovered() and end() from the service thread, or before it runs.
class DeviceLosses {
 public:
  explicit DeviceLosses(const ActorKernel& kernel) : kernel_(kernel) {}

  // Whether the group recovers from losses itself. False: it is driven now, or was never recoverable.
  bool is_recoverable() const { return is_recoverable_; }
  std::uint64_t current() const { return extension::losses(kernel_.device()); }
  std::uint64_t recovered() const { return recovered_; }
  // Whether a loss has to be recovered.
  bool is_lost() const { return is_recoverable_ && current() != recovered_; }

  void start() { is_recoverable_ = true; }
  void set_recovered(std::uint64_t losses) { recovered_ = losses; }
  void end() { is_recoverable_ = false; }

 private:
  const ActorKernel& kernel_;
  std::atomic<bool> is_recoverable_{false};
  std::atomic<std::uint64_t> recovered_{0};
};

}  // namespace quern::ring
