#include "ring/timers.hpp"

#include <algorithm>

#include "ring/words.hpp"

namespace quern::ring {

void Timer::cancel() const {
  if (timer_ != nullptr) timer_->is_cancelled = true;
}

std::shared_ptr<detail::HostTimer> Timers::set(ActorState& actor, std::chrono::nanoseconds delay,
                                               std::chrono::nanoseconds period,
                                               std::span<const std::byte> message) {
  mailbox_.check_open(actor);
  auto timer = std::make_shared<detail::HostTimer>();
  timer->actor = &actor;
  timer->due = Clock::now() + delay;
  timer->period = period;
  timer->message.assign(message.begin(), message.end());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    timers_.push_back(timer);
    has_timers_ = true;
  }
  thread_.wake();
  return timer;
}

bool Timers::fire() {
  if (!has_timers_.load(std::memory_order_acquire)) return false;
  const Clock::time_point now = Clock::now();
  std::vector<std::shared_ptr<detail::HostTimer>> due;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(timers_, [](const auto& t) { return t->is_cancelled.load(); });
    for (const auto& t : timers_) {
      if (t->due <= now) due.push_back(t);
    }
    has_timers_ = !timers_.empty();
  }
  std::stable_sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a->due < b->due; });
  bool did = false;
  for (const auto& t : due) {
    bool is_over = t->actor->has_ended();
    if (is_over) {
      dead_letters_.report(*t->actor, DeadLetter::Reason::stopped, t->message);
    } else if (t->actor->is_open) {
      try {
        if (!mailbox_.try_send(*t->actor, t->message, {})) continue;
        did = true;
        is_over = t->period.count() == 0;
        while (!is_over && t->due <= now) t->due += t->period;  // missed periods are skipped
      } catch (const Error&) {                                  // the actor is draining or ending
        continue;
      }
    }
    if (is_over) t->is_cancelled = true;
  }
  return did;
}

// The next message of a timer, of the host or of a handler.
std::chrono::nanoseconds Timers::until_due() const {
  std::chrono::nanoseconds least = ServiceThread::kQuietWait;
  const Clock::time_point now = Clock::now();
  for (const auto& t : timers_) {
    const std::chrono::nanoseconds until = t->due - now;
    // A late message waits for space in the ring.
    least = std::min(least, std::max<std::chrono::nanoseconds>(until, std::chrono::microseconds(100)));
  }
  for (const auto& actor : kernel_.actors()) {
    const std::uint64_t due = kernel_.plan().timers != 0 ? look(kernel_.status(*actor) + kNextDue) : 0;
    const std::uint64_t time = clock_.now();
    if (due == 0) continue;
    least = std::min(least, std::chrono::nanoseconds(due > time ? due - time : 100'000));
  }
  return least;
}

}  // namespace quern::ring
