#include <cstring>

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::chrono::seconds kKillLimit(2);
constexpr std::chrono::hours kNoLimit(24 * 365);

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
  if (actor.enders != 0)
    fail(ErrorKind::invalid_use, std::string("an actor that another thread is stopping cannot ") + what);
  Patience patience;  // the thread that saw the kernel end is about to report how
  for (int i = 0; i < 20'000 && !actor.has_ended(); ++i) patience.wait();
  const std::lock_guard<std::mutex> lock(actor.mutex);
  const bool failed = actor.phase == Phase::failed;
  fail(failed ? ErrorKind::kernel_fault : ErrorKind::invalid_use,
       std::string("an actor that ") + (failed ? "has failed" : "is stopped") + " cannot " + what +
           (actor.error.empty() ? "" : ": " + actor.error));
}

}  // namespace

void Group::check_thread() const {
  if (waits_for_this_thread())
    fail(ErrorKind::invalid_use, "deadlock: a callback controls a driven actor of its own group",
         "make the call on another thread");
}

// Sends a command to the device and waits for the answer; Answer::kNothing: no answer, or not possible any
// more.
Answer Group::order(ActorState& actor, Command command, std::chrono::nanoseconds limit) {
  Clock::time_point until = limit >= kNoLimit ? Clock::time_point::max() : Clock::now() + limit;
  const std::uint64_t epoch = ++actor.epoch;
  put_command(actor, epoch << 8 | static_cast<std::uint64_t>(command));
  wake();
  Patience patience;
  for (;;) {
    const std::uint64_t answer = look(status(actor) + kAnswer);
    if (answer >> 8 == epoch) return static_cast<Answer>(answer & 255);
    if (is_dead_ || Clock::now() > until) return Answer::kNothing;
    if (limit >= kNoLimit && actor.enders != 0) return Answer::kNothing;
    // The time of a recovery does not count.
    if (is_recovering_ && limit < kNoLimit) until = Clock::now() + limit;
    patience.wait();
  }
}

void Group::pause(ActorState& actor) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) refuse(actor, "pause");
  if (actor.phase == Phase::paused) return;
  if (order(actor, Command::kPause, kNoLimit) != Answer::kPaused) refuse(actor, "pause");
  actor.phase = Phase::paused;
  if (plan_.survives_device_loss) open_buffers();
}

void Group::resume(ActorState& actor) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) refuse(actor, "resume");
  if (plan_.survives_device_loss) close_buffers(actor);
  if (order(actor, Command::kRun, kNoLimit) != Answer::kActive) refuse(actor, "resume");
  actor.phase = Phase::active;
}

void Group::drain(ActorState& actor) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) refuse(actor, "drain");
  actor.is_open = false;
  actor.phase = Phase::draining;
  Patience patience;
  while (!is_dead_ && actor.enders == 0) {
    if (order(actor, Command::kDrain, kNoLimit) != Answer::kDrained) break;
    // Messages in the queue, or of a thread that was about to write one, come later.
    if (is_empty(actor)) break;
    patience.wait();
  }
  if (is_dead_ || order(actor, Command::kRun, kNoLimit) != Answer::kActive) refuse(actor, "drain");
  actor.phase = Phase::active;
  actor.is_open = true;
}

bool Group::stop(ActorState& actor, std::chrono::nanoseconds limit) {
  check_thread();
  const Clock::time_point until = Clock::now() + limit;
  {
    const OrderLock lock = take_over(actor, until);
    if (actor.has_ended()) return true;
    actor.is_open = false;
    actor.phase = Phase::draining;
    Patience patience;
    bool is_drained = false;
    while (!is_dead_ && !is_drained && Clock::now() < until) {
      if (order(actor, Command::kDrain, until - Clock::now()) != Answer::kDrained) break;
      is_drained = is_empty(actor);
      if (!is_drained) patience.wait();
    }
    if (is_drained && order(actor, Command::kStop, until - Clock::now()) == Answer::kStopped) {
      end(actor, Phase::terminated, {}, DeadLetter::Reason::stopped);
      if (plan_.survives_device_loss) open_buffers();
      return true;
    }
  }
  kill(actor);
  return false;
}

void Group::kill(ActorState& actor) {
  check_thread();
  const OrderLock lock = take_over(actor, Clock::now());
  if (actor.has_ended()) return;
  actor.is_open = false;
  if (order(actor, Command::kKill, kKillLimit) == Answer::kGone) {
    end(actor, Phase::terminated, {}, DeadLetter::Reason::stopped);
    if (plan_.survives_device_loss) open_buffers();
    return;
  }
  if (is_dead_) return;  // the group's thread reports it
  give_up("its handler did not return and was abandoned");
}

// Only once: a thread that kills an actor and the watchdog may get here concurrently.
void Group::give_up(const std::string& why) {
  std::call_once(giving_up_, [&] {
    is_given_up_ = true;
    is_dead_ = true;
    engine().give_up();
    fail_all(why);
  });
}

// Repeats after a device loss: data that was read is then invalid, and data that was written is lost. False:
// there is no recovery any more.
bool Group::between_losses(const std::function<void()>& work) const {
  do {
    while (is_lost() && !is_dead_) std::this_thread::sleep_for(std::chrono::microseconds(50));
    const std::uint64_t before = losses_;
    work();
    if (before == losses_ && !is_lost()) return true;
  } while (!is_dead_);
  return false;
}

void Group::at_rest(ActorState& actor, const std::function<void()>& work) {
  check_thread();
  const OrderLock lock(actor.order_mutex);
  if (actor.has_ended()) {
    if (is_dead_) refuse(actor, "show its state");
    if (!between_losses(work)) refuse(actor, "show its state");
    return;
  }
  const bool was_paused = actor.phase == Phase::paused;
  if (!was_paused && order(actor, Command::kPause, kNoLimit) != Answer::kPaused)
    refuse(actor, "show its state");
  try {
    if (!between_losses(work)) refuse(actor, "show its state");
  } catch (...) {
    if (!was_paused) (void)order(actor, Command::kRun, kNoLimit);
    throw;
  }
  if (!was_paused) (void)order(actor, Command::kRun, kNoLimit);
}

void Group::end(ActorState& actor, Phase phase, const std::string& why, DeadLetter::Reason reason) {
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    actor.error = why;
  }
  actor.is_open = false;
  actor.phase = phase;
  actor.inbox.close();
  if (plan_.urgent_slots != 0) actor.urgent.close();
  (void)sweep_expired(actor);
  bury(actor, reason);
  actor.is_over = true;
  wake();
}

bool Group::is_empty(const ActorState& actor) const {
  if (plan_.urgent_slots != 0 && actor.urgent.head() != actor.urgent.tail()) return false;
  return !actor.has_overflow && head(actor) == actor.inbox.tail();
}

void Group::bury(ActorState& actor, const Inbox& inbox, std::uint64_t head, DeadLetter::Reason reason) {
  for (std::uint64_t at = head; at < inbox.tail(); ++at) {
    // A thread that took the position writes it immediately, unless it ended in between.
    Patience patience;
    for (int i = 0; i < 20'000 && !inbox.is_written(at); ++i) patience.wait();
    if (!inbox.is_written(at)) continue;
    std::vector<std::byte> message(inbox.message_bytes());
    inbox.read(at, message.data());
    report_dead_letter(actor, reason, std::move(message));
  }
}

// Messages that will never be handled.
void Group::bury(ActorState& actor, DeadLetter::Reason reason) {
  if (plan_.urgent_slots != 0) bury(actor, actor.urgent, actor.urgent.head(), reason);
  bury(actor, actor.inbox, head(actor), reason);
  bury_timers(actor);
  bury_peers(actor, reason);
  std::deque<Waiting> waiting;
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    waiting.swap(actor.overflow);
    actor.has_overflow = false;
  }
  for (Waiting& w : waiting) report_dead_letter(actor, reason, std::move(w.message));
}

void Group::report_dead_letter(const ActorState& actor, DeadLetter::Reason reason,
                               std::vector<std::byte> message) {
  if (!options_.on_dead_letter) return;
  options_.on_dead_letter({reason, actor.index, std::move(message)});
}

void Group::fail_all(const std::string& why) {
  for (const auto& actor : actors_) {
    if (!actor->has_ended()) end(*actor, Phase::failed, why, DeadLetter::Reason::stopped);
  }
}

}  // namespace quern::ring
