// Recovery points of persistent actors on the device of a session. A point is taken while the kernel is not
// running; the kernel is suspended for it when enough messages have accumulated. Slots of the rings are free
// only after the next point, so all messages since then are still there.
#include <algorithm>

#include "ring/failure.hpp"
#include "ring/group.hpp"

namespace quern::ring {
namespace {

constexpr std::chrono::seconds kLongest(1);        // between two points, while messages arrive
constexpr std::chrono::milliseconds kSoonAway(2);  // a kernel between two messages leaves sooner,
constexpr std::chrono::microseconds kAtOnce(20);   // usually immediately

}  // namespace

// Messages that are handled again from the last point must give the same result.
void Group::check_recoverable() const {
  const auto refuse = [](const std::string& what) {
    fail(ErrorKind::unsupported,
         "spawn failed: persistent actors on the device of a session do not support " + what +
             ": after a device loss, messages are handled again and must give the same result",
         "use Engine::driven");
  };
  if (options_.shape == Shape::parallel) refuse("shape 'parallel'");
  if (options_.urgent != 0) refuse("urgent messages");
  if (options_.deadlines) refuse("deadlines");
  if (options_.timers != 0) refuse("timers");
  if (options_.restart.limit != 0) refuse("restarts");
  if (has_idle_) refuse("on_idle");
}

void Group::begin_recoverable() {
  acquire_buffers();
  driver_ = device_.driver();
  point_.own.resize(layout_.own_words);
  point_.heads.assign(actors_.size(), 0);
  furthest_ = point_.heads;
  do {
    losses_ = extension::losses(device_);
    engine().go_on_after(losses_);
    engine().read_own(0, point_.own);
    copy_buffers(true, point_.buffers);
  } while (extension::losses(device_) != losses_);
  point_.taken = Clock::now();
  survives_device_loss_ = true;
}

bool Group::is_point_due() const {
  if (points_wanted_ != points_taken_) return true;
  bool has_moved = false, is_over = true;
  for (const auto& actor : actors_) {
    const std::uint64_t since = head(*actor) - point_.heads[actor->index];
    if (since >= plan_.slots / 2) return true;
    if (since != 0 && actor->inbox.tail() - point_.heads[actor->index] >= plan_.slots) return true;
    has_moved = has_moved || since != 0;
    is_over = is_over && actor->has_ended();
  }
  if (is_over && !was_final_) return true;
  return has_moved && (is_idle_ || Clock::now() - point_.taken > kLongest);
}

// Returns whether there was something to do.
bool Group::survive_device_loss() {
  if (!plan_.survives_device_loss) return false;
  if (!survives_device_loss_) {  // it is driven now, and the session's log has all it needs
    for (const auto& actor : actors_) put(&actor->swept[0], head(*actor));
    return false;
  }
  if (is_lost()) {
    recover();
    return true;
  }
  if (!is_point_due()) return false;
  const bool is_out = is_idle_ || engine().is_over();
  if (is_lost()) return true;
  if (is_out) return take_point();
  if (!holds_for_point_) {
    holds_for_point_ = true;
    held_since_ = Clock::now();
    suspend_kernel();
  }
  const Clock::duration since = Clock::now() - held_since_;
  if (since > kSoonAway) return false;
  if (since > kAtOnce) std::this_thread::sleep_for(kAtOnce);
  return true;
}

bool Group::take_point() {
  const std::uint64_t wanted = points_wanted_;
  Point point;
  point.own.resize(layout_.own_words);
  const bool is_final =
      std::all_of(actors_.begin(), actors_.end(), [](const auto& a) { return a->has_ended(); });
  try {
    if (!is_idle_ && !engine().how_it_ended().empty()) return false;  // see_end() reports it
    engine().read_own(0, point.own);
    copy_buffers(true, point.buffers);
  } catch (const Error& e) {
    if (is_lost()) return true;
    is_dead_ = true;
    fail_all(e.message());
    return true;
  }
  if (is_lost()) return true;
  for (const auto& actor : actors_) point.heads.push_back(head(*actor));
  point.taken = Clock::now();
  point_ = std::move(point);
  was_final_ = is_final;
  for (const auto& actor : actors_) put(&actor->swept[0], point_.heads[actor->index]);
  points_taken_ = wanted;
  end_hold();
  return true;
}

void Group::end_hold() {
  if (!holds_for_point_) return;
  holds_for_point_ = false;
  resume_kernel();
}

void Group::want_point() {
  const std::uint64_t wanted = ++points_wanted_;
  wake();
  Patience patience;
  while (points_taken_ < wanted && survives_device_loss_ && !is_dead_) patience.wait();
}

void Group::keep_changes() {
  if (survives_device_loss_ && !is_on_own_thread()) want_point();
}

}  // namespace quern::ring
