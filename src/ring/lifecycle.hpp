// The life cycle of actors: commands of the host, and their answers.
#pragma once

#include <chrono>
#include <functional>

#include "ring/recovery.hpp"

namespace quern::ring {

// Owns nothing: an actor's `order_mutex` allows one command at a time, and its phase is atomic. All functions
// may be called from any thread except in callbacks of a driven group, where they throw.
class Lifecycle {
 public:
  Lifecycle(const ActorKernel& kernel, ServiceThread& thread, Mailbox& mailbox, Termination& termination,
            Recovery& recovery)
      : kernel_(kernel), thread_(thread), mailbox_(mailbox), termination_(termination), recovery_(recovery) {}

  void pause(ActorState& actor);
  void resume(ActorState& actor);
  void drain(ActorState& actor);
  // False: the actor did not end within `limit` and was killed.
  bool stop(ActorState& actor, std::chrono::nanoseconds limit);
  void kill(ActorState& actor);
  // Calls `work` while the actor rests between two messages.
  void at_rest(ActorState& actor, const std::function<void()>& work);

  // Sends a command to the device and waits for the answer; Answer::kNothing: no answer, or not possible any
  // more. The caller holds the actor's `order_mutex`.
  Answer order(ActorState& actor, Command command, std::chrono::nanoseconds limit);
  static constexpr std::chrono::hours kNoLimit{24 * 365};

  // Whether this thread runs a callback of a driven group, which cannot make progress before it returns.
  bool waits_for_this_thread() const { return kernel_.is_driven() && thread_.is_current(); }

 private:
  void check_thread() const;
  void end(ActorState& actor);

  const ActorKernel& kernel_;
  ServiceThread& thread_;
  Mailbox& mailbox_;
  Termination& termination_;
  Recovery& recovery_;
};

}  // namespace quern::ring
