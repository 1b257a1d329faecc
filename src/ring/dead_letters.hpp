// Reports messages that will never be handled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ring/actor_kernel.hpp"

namespace quern::ring {

// Owns nothing. An actor's `sweep_mutex` guards the positions of expired messages. All functions may be
// called from any thread, and call Options::on_dead_letter without a lock.
class DeadLetters {
 public:
  explicit DeadLetters(const ActorKernel& kernel) : kernel_(kernel) {}

  void report(const ActorState& actor, DeadLetter::Reason reason, std::vector<std::byte> message) const;
  // The device has marked the slots of expired messages; they are not reused until this has processed them.
  // Returns whether there were any.
  bool sweep_expired(ActorState& actor) const;

  // For an actor that has ended: the messages of a ring, of its pending timers and of its peers.
  void report_ring(const ActorState& actor, const Inbox& inbox, std::uint64_t head) const;
  void report_timers(const ActorState& actor) const;
  void report_peers(const ActorState& actor) const;

 private:
  const ActorKernel& kernel_;
};

}  // namespace quern::ring
