#include "ring/termination.hpp"

#include <utility>

namespace quern::ring {

void Termination::end(ActorState& actor, Phase phase, const std::string& why) {
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    actor.error = why;
  }
  actor.is_open = false;
  actor.phase = phase;
  mailbox_.close(actor);
  (void)dead_letters_.sweep_expired(actor);
  report_unhandled(actor);
  actor.is_over = true;
  thread_.wake();
}

void Termination::report_unhandled(ActorState& actor) {
  if (kernel_.plan().urgent_slots != 0) dead_letters_.report_ring(actor, actor.urgent, actor.urgent.head());
  dead_letters_.report_ring(actor, actor.inbox, kernel_.head(actor));
  if (!is_dead_) dead_letters_.report_timers(actor);
  // An actor that ended by a command has reported the count; otherwise it is unknown.
  const bool has_peers = is_dead_ || look(kernel_.status(actor) + kPeerDepth) != 0;
  if (has_peers && !is_abandoned_) dead_letters_.report_peers(actor);
  for (Waiting& w : mailbox_.take_queue(actor))
    dead_letters_.report(actor, DeadLetter::Reason::stopped, std::move(w.message));
}

void Termination::fail_actors(const std::string& why) {
  for (const auto& actor : kernel_.actors()) {
    if (!actor->has_ended()) end(*actor, Phase::failed, why);
  }
}

void Termination::fail_all(const std::string& why) {
  is_dead_ = true;
  fail_actors(why);
}

// Only once: a thread that kills an actor and the watchdog may get here concurrently.
void Termination::abandon(const std::string& why) {
  std::call_once(abandoning_, [&] {
    is_abandoned_ = true;
    is_dead_ = true;
    kernel_.engine().give_up();
    fail_actors(why);
  });
}

}  // namespace quern::ring
