// Restarts a kernel after a fault: with the state before the interrupted message, which becomes a dead
// letter.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>

#include "ring/dead_letters.hpp"
#include "ring/kernel_control.hpp"
#include "ring/replies.hpp"

namespace quern::ring {

// Owns the times of recent restarts. No lock: restart() is called by the service thread; restarts() may be
// called from any thread.
class Supervisor {
 public:
  Supervisor(const ActorKernel& kernel, KernelControl& control, Replies& replies,
             const DeadLetters& dead_letters)
      : kernel_(kernel), control_(control), replies_(replies), dead_letters_(dead_letters) {}

  // False: Options::restart does not allow it, or it failed.
  bool restart();
  std::uint64_t restarts() const { return restarts_; }

 private:
  void repair(ActorState& actor);
  bool skip_faulted(ActorState& actor, std::span<std::uint64_t> own, bool is_urgent);
  bool skip_faulted_peer(ActorState& actor, std::span<std::uint64_t> own);
  void drop_faulted_timer(ActorState& actor, std::span<std::uint64_t> own);

  const ActorKernel& kernel_;
  KernelControl& control_;
  Replies& replies_;
  const DeadLetters& dead_letters_;
  std::deque<Clock::time_point> recent_;
  std::atomic<std::uint64_t> restarts_{0};
};

}  // namespace quern::ring
