#include "ring/watchdog.hpp"

#include <algorithm>

#include "ring/words.hpp"

namespace quern::ring {
namespace {

// Minimum frequency of the checks.
constexpr std::chrono::milliseconds kLook(100);
// A driver may compile a kernel at its first launch.
constexpr std::chrono::seconds kMaking(30);

std::chrono::nanoseconds longest_look(std::chrono::nanoseconds limit) {
  return std::min<std::chrono::nanoseconds>(2 * kLook, limit / 4 + std::chrono::nanoseconds(1));
}

}  // namespace

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

bool Watchdog::is_stuck(const ActorState& actor) {
  const std::uint64_t step = look(kernel_.status(actor) + kStep);
  if (step % 2 == 0 || control_.is_idle() || actor.has_ended()) {
    actors_[actor.index].end();
    return false;
  }
  // Threads that handle messages independently are watched together, over all of their messages.
  const std::uint32_t slots = std::max(
      1u, std::min(kernel_.plan().slots, kernel_.plan().stage_bytes / (kernel_.layout().slot_words * 8)));
  const std::uint32_t each = kernel_.plan().shape == Shape::parallel
                                 ? (slots + kernel_.plan().threads - 1) / kernel_.plan().threads
                                 : 1;
  return actors_[actor.index].look(step, longest_look(kernel_.options().watchdog)) >
         each * kernel_.options().watchdog;
}

bool Watchdog::is_batch_stuck() {
  const Burst burst = kernel_.engine().burst();
  if (burst.number == 0) {
    batch_.end();
    return false;
  }
  const std::chrono::nanoseconds limit = static_cast<std::int64_t>(burst.steps) * kernel_.options().watchdog;
  return batch_.look(burst.number, longest_look(limit)) >
         limit + (burst.is_first ? kMaking : std::chrono::seconds(0));
}

void Watchdog::check() {
  if (!kernel_.plan().is_watched || termination_.is_dead()) return;
  actors_.resize(kernel_.actors().size());
  const auto is_any = [&](const auto& actor) { return is_stuck(*actor); };
  if (kernel_.plan().is_driven ? is_batch_stuck()
                               : std::any_of(kernel_.actors().begin(), kernel_.actors().end(), is_any))
    termination_.abandon("its handler took longer than the watchdog allows");
}

}  // namespace quern::ring
