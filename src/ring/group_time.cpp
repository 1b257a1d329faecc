// Time-dependent functions: clocks reported to the device, delayed messages, expired messages, and timers of
// handlers that will not fire any more.
#include <algorithm>

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/stamp.hpp"
#include "ring/words.hpp"

namespace quern::ring {

void Timer::cancel() const {
  if (timer_ != nullptr) timer_->is_cancelled = true;
}

std::uint64_t Group::time_now() const {
  return 1 + static_cast<std::uint64_t>(
                 std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count());
}

void Group::write_time() {
  for (const auto& actor : actors_) write_time(*actor);
}

void Group::write_time(const ActorState& actor) {
  if (!plan_.has_time()) return;
  std::uint64_t* const line = to_device_ + std::size_t{actor.index} * kLine;
  put(line + kControlTime, time_now());
  put(line + kControlWall, plan_.has_stamps ? wall_stamp() : 0);
}

Sending Group::prepare(const Delivery& delivery) const {
  Sending how;
  if (delivery.urgent && plan_.urgent_slots == 0)
    fail(ErrorKind::invalid_use, "send failed: the actor does not support urgent messages",
         "set Options::urgent to the number of slots");
  if (delivery.within.count() != 0 && !plan_.has_deadlines)
    fail(ErrorKind::invalid_use, "send failed: the actor does not support deadlines",
         "set Options::deadlines");
  if (delivery.within.count() < 0)
    fail(ErrorKind::invalid_use, "send failed: the deadline of the message has already passed");
  how.is_urgent = delivery.urgent;
  if (delivery.within.count() > 0)
    how.header.deadline = time_now() + static_cast<std::uint64_t>(delivery.within.count());
  return how;
}

std::shared_ptr<detail::HostTimer> Group::set_timer(ActorState& actor, std::chrono::nanoseconds delay,
                                                    std::chrono::nanoseconds period,
                                                    std::span<const std::byte> message) {
  check_open(actor);
  auto timer = std::make_shared<detail::HostTimer>();
  timer->group = this;
  timer->actor = &actor;
  timer->due = Clock::now() + delay;
  timer->period = period;
  timer->message.assign(message.begin(), message.end());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    timers_.push_back(timer);
    has_timers_ = true;
  }
  wake();
  return timer;
}

// In the order in which they are due; those that find no space are tried again.
bool Group::fire_timers() {
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
      report_dead_letter(*t->actor, DeadLetter::Reason::stopped, t->message);
    } else if (t->actor->is_open) {
      try {
        if (!try_put(*t->actor, t->message, {})) continue;
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

// The device has marked the slots of expired messages; they are not reused until the host has processed them.
bool Group::sweep_expired(ActorState& actor) {
  if (!plan_.has_deadlines) return false;
  std::vector<std::vector<std::byte>> late;
  bool did = false;
  {
    const std::lock_guard<std::mutex> lock(actor.sweep_mutex);
    for (const bool is_urgent : {false, true}) {
      if (is_urgent && plan_.urgent_slots == 0) continue;
      const Inbox& inbox = is_urgent ? actor.urgent : actor.inbox;
      std::uint64_t& swept = actor.swept[is_urgent ? 1 : 0];
      const std::uint64_t head = look(status(actor) + (is_urgent ? kUrgentHeadOut : kHead));
      const std::uint64_t* const marks = to_host_ + layout_.expired_at +
                                         std::size_t{actor.index} * (plan_.slots + plan_.urgent_slots) +
                                         (is_urgent ? plan_.slots : 0);
      for (std::uint64_t at = swept; at < head; ++at) {
        did = true;
        if (look(marks + at % inbox.capacity()) != at + 1) continue;
        std::vector<std::byte>& message = late.emplace_back(inbox.message_bytes());
        inbox.read(at, message.data());
      }
      if (swept < head) put(&swept, head);
    }
  }
  for (std::vector<std::byte>& message : late)
    report_dead_letter(actor, DeadLetter::Reason::expired, std::move(message));
  return did;
}

// The messages of pending timers in the device's own memory.
void Group::bury_timers(const ActorState& actor) {
  if (plan_.timers == 0 || is_dead_ || !options_.on_dead_letter) return;
  std::vector<std::uint64_t> timers(std::size_t{plan_.timers} * layout_.timer_words);
  engine().read_own(layout_.timers_at + std::uint64_t{actor.index} * timers.size(), timers);
  for (std::uint32_t i = 0; i < plan_.timers; ++i) {
    const std::uint64_t* const timer = &timers[std::size_t{i} * layout_.timer_words];
    if (timer[kTimerKind] == 0) continue;
    const auto* const bytes =
        reinterpret_cast<const std::byte*>(timer + kTimerMessage) + layout_.header_bytes;
    report_dead_letter(actor, DeadLetter::Reason::stopped, {bytes, bytes + actor.sizes.message});
  }
}

}  // namespace quern::ring
