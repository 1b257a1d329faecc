// Idle kernels: a kernel without work for a while leaves, and a sender wakes the thread that launches it
// again.
#include "quern/error.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {

std::vector<const Inbox*> Group::inboxes() const {
  std::vector<const Inbox*> all;
  for (const auto& actor : actors_) all.push_back(&actor->inbox);
  if (plan_.urgent_slots == 0) return all;
  for (const auto& actor : actors_) all.push_back(&actor->urgent);
  return all;
}

bool Group::has_work(const ActorState& actor) const {
  const std::uint64_t* const s = status(actor);
  const std::uint64_t answer = look(s + kAnswer);
  const std::uint64_t command = look(to_device_ + std::size_t{actor.index} * kLine) & ~kHold;
  const auto said = static_cast<Answer>(answer & 255);
  if (command >> 8 != answer >> 8) return true;
  if (said != Answer::kActive && said != Answer::kDrained) return false;
  if (has_idle_ || actor.has_peers_waiting) return true;
  if (actor.inbox.is_written(look(s + kHead))) return true;
  if (plan_.urgent_slots != 0 && actor.urgent.is_written(look(s + kUrgentHeadOut))) return true;
  const std::uint64_t due = plan_.timers != 0 ? look(s + kNextDue) : 0;
  return due != 0 && due <= time_now();
}

bool Group::has_work() const {
  for (const auto& actor : actors_) {
    if (has_work(*actor)) return true;
  }
  return false;
}

// The kernel leaves between two messages. This does not wait: the driver call that follows does.
void Group::suspend_kernel() {
  const std::lock_guard<std::mutex> lock(hold_mutex_);
  ++holds_;
  was_held_ = true;
  for (std::size_t a = 0; a < actors_.size(); ++a)
    std::atomic_ref<std::uint64_t>(to_device_[a * kLine]).fetch_or(kHold);
  for (std::size_t a = 0; a < actors_.size() && replayed_ != nullptr; ++a)
    std::atomic_ref<std::uint64_t>(replayed_[a * kLine]).fetch_or(kHold);
}

void Group::resume_kernel() {
  --holds_;
  wake();
}

bool Group::wake_kernel() {
  if (holds_ != 0) return false;
  try {
    look_for_peers();
    if (!has_work()) return false;
    allow();
    write_time();
    is_idle_ = false;
    engine().start(inboxes());
  } catch (const Error& e) {
    if (is_lost()) return true;
    is_dead_ = true;
    fail_all(e.message());
  }
  return true;
}

// Before the kernel is launched.
void Group::allow() {
  const std::lock_guard<std::mutex> lock(hold_mutex_);
  was_held_ = holds_ != 0;
  for (std::size_t a = 0; a < actors_.size() && !was_held_; ++a)
    std::atomic_ref<std::uint64_t>(to_device_[a * kLine]).fetch_and(~kHold);
}

// Writes a command; the bit that makes the kernel leave stays unchanged.
void Group::put_command(const ActorState& actor, std::uint64_t command) {
  const std::atomic_ref<std::uint64_t> word(to_device_[std::size_t{actor.index} * kLine]);
  std::uint64_t now = word.load();
  while (!word.compare_exchange_weak(now, (now & kHold) | command)) {
  }
}

}  // namespace quern::ring
