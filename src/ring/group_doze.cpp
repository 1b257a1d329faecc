// The doorbell: a kernel that has had nothing to do for a while leaves, and whoever sends something wakes the
// thread that launches it again.
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
  const std::uint64_t command = look(to_device_ + std::size_t{actor.index} * kLine);
  const auto said = static_cast<Answer>(answer & 255);
  if (command >> 8 != answer >> 8) return true;
  if (said != Answer::kActive && said != Answer::kDrained) return false;
  if (actor.inbox.is_written(look(s + kHead))) return true;
  if (plan_.urgent_slots != 0 && actor.urgent.is_written(look(s + kUrgentHeadOut))) return true;
  const std::uint64_t due = plan_.timers != 0 ? look(s + kNextDue) : 0;
  return look(s + kPeerDepth) != 0 || (due != 0 && due <= time_now());
}

bool Group::has_work() const {
  for (const auto& actor : actors_) {
    if (has_work(*actor)) return true;
  }
  return false;
}

bool Group::wake_kernel() {
  if (!has_work()) return false;
  try {
    tell_time();
    dozes_ = false;
    engine_->start(inboxes());
  } catch (const Error& e) {
    is_dead_ = true;
    fail_all(e.message());
  }
  return true;
}

}  // namespace quern::ring
