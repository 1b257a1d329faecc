#include "ring/lifecycle.hpp"

#include "ring/failure.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::chrono::seconds kKillLimit(2);

using OrderLock = std::unique_lock<std::mutex>;

// For a thread that ends an actor: a command in progress has until then, and is abandoned if it takes longer.
OrderLock take_over(ActorState& actor, Clock::time_point until) {
  OrderLock lock(actor.order_mutex, std::try_to_lock);
  Patience patience;
  while (!lock.owns_lock() && Clock::now() < until) {
    patience.wait();
    (void)lock.try_lock();
  }
  if (lock.owns_lock()) return lock;
  ++actor.enders;
  lock.lock();
  --actor.enders;
  return lock;
}

[[noreturn]] void refuse(ActorState& actor, const char* what) {
  if (actor.enders != 0) fail(ErrorKind::invalid_use, message::kBeingStopped(what));
  Patience patience;  // the thread that saw the kernel end is about to report how
  for (int i = 0; i < 20'000 && !actor.has_ended(); ++i) patience.wait();
  const std::lock_guard<std::mutex> lock(actor.mutex);
  const bool failed = actor.phase == Phase::failed;
  fail(failed ? ErrorKind::kernel_fault : ErrorKind::invalid_use,
       message::kEnded(failed ? "has failed" : "is stopped", what,
                       actor.error.empty() ? "" : ": " + actor.error));
}

}  // namespace

void Lifecycle::check_thread() const {
  if (waits_for_this_thread()) fail(ErrorKind::invalid_use, message::kControlInCallback());
}

Answer Lifecycle::order(ActorState& actor, Command command, std::chrono::nanoseconds limit) {
  Clock::time_point until = limit >= kNoLimit ? Clock::time_point::max() : Clock::now() + limit;
  const std::uint64_t epoch = ++actor.epoch;
  kernel_.put_command(actor, epoch << 8 | static_cast<std::uint64_t>(command));
  thread_.wake();
  Patience patience;
  for (;;) {
    const std::uint64_t answer = look(kernel_.status(actor) + kAnswer);
    if (answer >> 8 == epoch) return static_cast<Answer>(answer & 255);
    if (termination_.is_dead() || Clock::now() > until) return Answer::kNothing;
    if (limit >= kNoLimit && actor.enders != 0) return Answer::kNothing;
    // The time of a recovery does not count.
    if (recovery_.is_recovering() && limit < kNoLimit) until = Clock::now() + limit;
    patience.wait();
  }
}

void Lifecycle::pause(ActorState& actor) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) refuse(actor, "pause");
  if (actor.phase == Phase::paused) return;
  if (order(actor, Command::kPause, kNoLimit) != Answer::kPaused) refuse(actor, "pause");
  actor.phase = Phase::paused;
  if (kernel_.plan().survives_device_loss) recovery_.open_buffers();
}

void Lifecycle::resume(ActorState& actor) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) refuse(actor, "resume");
  if (kernel_.plan().survives_device_loss) recovery_.close_buffers(actor);
  if (order(actor, Command::kRun, kNoLimit) != Answer::kActive) refuse(actor, "resume");
  actor.phase = Phase::active;
}

void Lifecycle::drain(ActorState& actor) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) refuse(actor, "drain");
  actor.is_open = false;
  actor.phase = Phase::draining;
  Patience patience;
  while (!termination_.is_dead() && actor.enders == 0) {
    if (order(actor, Command::kDrain, kNoLimit) != Answer::kDrained) break;
    // Messages in the queue, or of a thread that was about to write one, come later.
    if (mailbox_.is_empty(actor)) break;
    patience.wait();
  }
  if (termination_.is_dead() || order(actor, Command::kRun, kNoLimit) != Answer::kActive)
    refuse(actor, "drain");
  actor.phase = Phase::active;
  actor.is_open = true;
}

bool Lifecycle::stop(ActorState& actor, std::chrono::nanoseconds limit) {
  check_thread();
  const Clock::time_point until = Clock::now() + limit;
  {
    const OrderLock lock = take_over(actor, until);
    if (actor.has_ended()) return true;
    actor.is_open = false;
    actor.phase = Phase::draining;
    Patience patience;
    bool is_drained = false;
    while (!termination_.is_dead() && !is_drained && Clock::now() < until) {
      if (order(actor, Command::kDrain, until - Clock::now()) != Answer::kDrained) break;
      is_drained = mailbox_.is_empty(actor);
      if (!is_drained) patience.wait();
    }
    if (is_drained && order(actor, Command::kStop, until - Clock::now()) == Answer::kStopped) {
      end(actor);
      return true;
    }
  }
  kill(actor);
  return false;
}

void Lifecycle::kill(ActorState& actor) {
  check_thread();
  const OrderLock lock = take_over(actor, Clock::now());
  if (actor.has_ended()) return;
  actor.is_open = false;
  if (order(actor, Command::kKill, kKillLimit) == Answer::kGone) {
    end(actor);
    return;
  }
  if (termination_.is_dead()) return;  // the service thread reports it
  termination_.abandon("its handler did not return and was abandoned");
}

void Lifecycle::at_rest(ActorState& actor, const std::function<void()>& work) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) {
    if (termination_.is_dead()) refuse(actor, "show its state");
    if (!recovery_.between_losses(work)) refuse(actor, "show its state");
    return;
  }
  const bool was_paused = actor.phase == Phase::paused;
  if (!was_paused && order(actor, Command::kPause, kNoLimit) != Answer::kPaused)
    refuse(actor, "show its state");
  try {
    if (!recovery_.between_losses(work)) refuse(actor, "show its state");
  } catch (...) {
    if (!was_paused) (void)order(actor, Command::kRun, kNoLimit);
    throw;
  }
  if (!was_paused) (void)order(actor, Command::kRun, kNoLimit);
}

void Lifecycle::end(ActorState& actor) {
  termination_.end(actor);
  if (kernel_.plan().survives_device_loss) recovery_.open_buffers();
}

}  // namespace quern::ring
