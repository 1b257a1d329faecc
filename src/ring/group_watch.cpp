// The watchdog. A persistent kernel reports when user code begins and ends (kStep). A driven batch reports
// nothing before it ends, so it is given the time for all of its messages.
#include <algorithm>

#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {

std::chrono::nanoseconds Stillness::look(std::uint64_t number, std::chrono::nanoseconds longest) {
  const Clock::time_point now = Clock::now();
  const bool goes_on = is_on_ && number == number_;
  so_far_ = goes_on ? so_far_ + std::min<std::chrono::nanoseconds>(now - last_, longest)
                    : std::chrono::nanoseconds(0);
  is_on_ = true;
  number_ = number;
  last_ = now;
  return so_far_;
}

namespace {

// Minimum frequency of the checks.
constexpr std::chrono::milliseconds kLook(100);
// A driver may compile a kernel at its first launch.
constexpr std::chrono::seconds kMaking(30);

std::chrono::nanoseconds longest_look(std::chrono::nanoseconds limit) {
  return std::min<std::chrono::nanoseconds>(2 * kLook, limit / 4 + std::chrono::nanoseconds(1));
}

}  // namespace

bool Group::is_stuck(ActorState& actor) {
  const std::uint64_t step = look(status(actor) + kStep);
  if (step % 2 == 0 || is_idle_ || actor.has_ended()) {
    actor.stillness.end();
    return false;
  }
  // Threads that handle messages independently are watched together, over all of their messages.
  const std::uint32_t slots =
      std::max(1u, std::min(plan_.slots, plan_.stage_bytes / (layout_.slot_words * 8)));
  const std::uint32_t each = plan_.shape == Shape::parallel ? (slots + plan_.threads - 1) / plan_.threads : 1;
  return actor.stillness.look(step, longest_look(options_.watchdog)) > each * options_.watchdog;
}

bool Group::is_batch_stuck() {
  const Burst burst = engine().burst();
  if (burst.number == 0) {
    stillness_.end();
    return false;
  }
  const std::chrono::nanoseconds limit = static_cast<std::int64_t>(burst.steps) * options_.watchdog;
  return stillness_.look(burst.number, longest_look(limit)) >
         limit + (burst.is_first ? kMaking : std::chrono::seconds(0));
}

void Group::watch() {
  if (!plan_.is_watched || is_dead_) return;
  const auto is_any = [&](const auto& actor) { return is_stuck(*actor); };
  if (plan_.is_driven ? is_batch_stuck() : std::any_of(actors_.begin(), actors_.end(), is_any))
    give_up("its handler took longer than the watchdog allows");
}

}  // namespace quern::ring
