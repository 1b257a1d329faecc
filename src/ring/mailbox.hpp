// Sends messages to the actors of a group, and takes their replies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "ring/actor_kernel.hpp"
#include "ring/dead_letters.hpp"
#include "ring/device_clock.hpp"
#include "ring/kernel_control.hpp"
#include "ring/replies.hpp"
#include "ring/service_thread.hpp"

namespace quern::ring {

// Owns the reply slots. An actor's `mutex` guards its queue; rings and reply slots have no lock. pump() is
// called by the service thread, start() before it runs; the others may be called from any thread.
class Mailbox {
 public:
  Mailbox(const ActorKernel& kernel, const DeviceClock& clock, const KernelControl& control,
          ServiceThread& thread, const DeadLetters& dead_letters)
      : kernel_(kernel), clock_(clock), control_(control), thread_(thread), dead_letters_(dead_letters) {}

  void start();

  Sending prepare(const Delivery& delivery) const;
  // Throws if the actor does not accept messages.
  void check_open(const ActorState& actor) const;
  // All messages or none; false: no space.
  bool try_send(ActorState& actor, std::span<const std::byte> messages, const Sending& how);
  // Waits for space, unless Options::when_full says otherwise.
  void send(ActorState& actor, std::span<const std::byte> messages, const Sending& how);
  // The messages of a checkpoint wait in the queue, regardless of the ring's content and of a pause.
  void put_back(ActorState& actor, std::vector<Waiting> messages);
  bool is_empty(const ActorState& actor) const;  // its rings and their queue

  // Moves messages from the queue to the ring as far as there is space. Returns whether it moved some.
  bool pump(ActorState& actor);
  // Ends the rings of an actor; take_queue() returns the messages of the queue.
  void close(ActorState& actor) const;
  std::deque<Waiting> take_queue(ActorState& actor) const;

  // Waits until replies are taken, but not forever once all have arrived.
  std::uint32_t take_ticket(ActorState& actor);
  bool is_reply_over(const ActorState& actor, std::uint32_t ticket) const;
  Replies& replies() { return replies_; }

 private:
  void put_overflow(ActorState& actor, std::span<const std::byte> messages, const Sending& how);
  bool put_ring(ActorState& actor, std::span<const std::byte> messages, const Sending& how);

  const ActorKernel& kernel_;
  const DeviceClock& clock_;
  const KernelControl& control_;
  ServiceThread& thread_;
  const DeadLetters& dead_letters_;
  Replies replies_;
};

}  // namespace quern::ring
