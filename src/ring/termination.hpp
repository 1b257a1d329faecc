// The end of actors: by a command, by a fault, or because their kernel was abandoned.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "ring/dead_letters.hpp"
#include "ring/mailbox.hpp"

namespace quern::ring {

// Owns whether the kernel of the group is dead. An actor's `mutex` guards its error text. All functions may
// be called from any thread.
class Termination {
 public:
  Termination(const ActorKernel& kernel, Mailbox& mailbox, const DeadLetters& dead_letters,
              ServiceThread& thread)
      : kernel_(kernel), mailbox_(mailbox), dead_letters_(dead_letters), thread_(thread) {}

  // The kernel ended without a command, or was abandoned.
  bool is_dead() const { return is_dead_; }
  // Ends one actor by a command.
  void end(ActorState& actor) { end(actor, Phase::terminated, {}); }
  // The kernel has ended: all actors fail.
  void fail_all(const std::string& why);
  // The kernel will never return: its memory is leaked, and all actors fail.
  void abandon(const std::string& why);

 private:
  void end(ActorState& actor, Phase phase, const std::string& why);
  void fail_actors(const std::string& why);
  void report_unhandled(ActorState& actor);

  const ActorKernel& kernel_;
  Mailbox& mailbox_;
  const DeadLetters& dead_letters_;
  ServiceThread& thread_;
  std::atomic<bool> is_dead_{false};
  std::atomic<bool> is_abandoned_{false};
  std::once_flag abandoning_;
};

}  // namespace quern::ring
