// Persistent actors on the device of a session: points to which they can be brought back. A point is taken
// when the kernel is out; it is sent away for that when enough messages have gathered. Slots of the rings are
// free again only behind it, so what was sent since then is still there.
#include <algorithm>

#include "ring/failure.hpp"
#include "ring/group.hpp"

namespace quern::ring {
namespace {

constexpr std::chrono::seconds kLongest(1);        // between two points, where messages come
constexpr std::chrono::milliseconds kSoonAway(2);  // a kernel between two messages leaves sooner,
constexpr std::chrono::microseconds kAtOnce(20);   // mostly at once

bool rests(const ActorState& actor) { return actor.phase == Phase::paused || actor.has_ended(); }

bool is_memory(const Argument& argument) {
  return argument.kind() == Argument::Kind::memory && argument.memory().memory != nullptr;
}

}  // namespace

// Handled again from the last point, messages must lead to the same.
void Group::check_outlasting() const {
  const auto refuse = [](const std::string& what) {
    fail(ErrorKind::unsupported,
         "persistent actors on the device of a session have no " + what +
             ": after a loss messages are handled again, and must lead to the same",
         "Engine::driven can");
  };
  if (options_.shape == Shape::parallel) refuse("shape 'parallel'");
  if (options_.urgent != 0) refuse("urgent messages");
  if (options_.deadlines) refuse("deadlines");
  if (options_.timers != 0) refuse("timers");
  if (options_.restart.limit != 0) refuse("restarts");
  if (has_idle_) refuse("on_idle");
}

void Group::begin_outlasting() {
  if (std::any_of(options_.buffers.begin(), options_.buffers.end(), is_memory))
    claim_ = device_.claim(options_.buffers);
  driver_ = device_.driver();
  point_.own.resize(layout_.own_words);
  point_.heads.assign(actors_.size(), 0);
  furthest_ = point_.heads;
  do {
    losses_ = device_.losses();
    engine().go_on_after(losses_);
    engine().read_own(0, point_.own);
    copy_buffers(true, point_.buffers);
  } while (device_.losses() != losses_);
  point_.taken = Clock::now();
  outlasts_ = true;
}

void Group::copy_buffers(bool to_host, std::vector<std::vector<std::byte>>& contents) {
  contents.resize(options_.buffers.size());
  const auto copy = [&] {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (!is_memory(options_.buffers[i])) continue;
      const quern::detail::Bytes& bytes = options_.buffers[i].memory();
      if (to_host) {
        contents[i].resize(bytes.size);
        quern::detail::download(contents[i].data(), bytes, bytes.size, 1);
      } else {
        quern::detail::upload(bytes, contents[i].data(), bytes.size, 1);
      }
    }
  };
  if (claim_ != nullptr) {
    claim_->keep(copy);
  } else {
    copy();
  }
}

void Group::check_buffers(const std::vector<std::vector<std::byte>>& contents,
                          const std::string& whose) const {
  const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " buffer" : " buffers"); };
  if (contents.size() != options_.buffers.size())
    fail(ErrorKind::invalid_use,
         whose + " has " + count(contents.size()) + ", and this actor was given " +
             std::to_string(options_.buffers.size()),
         "Options::buffers are part of it");
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::size_t size = is_memory(options_.buffers[i]) ? options_.buffers[i].memory().size : 0;
    if (contents[i].size() == size) continue;
    fail(ErrorKind::invalid_use, whose + " has " + std::to_string(contents[i].size()) + " bytes for buffer " +
                                     std::to_string(i) + ", which has " + std::to_string(size) + " here");
  }
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
  return has_moved && (dozes_ || Clock::now() - point_.taken > kLongest);
}

// Yields whether there was something to do.
bool Group::outlast() {
  if (!plan_.outlasts) return false;
  if (!outlasts_) {  // it is driven now, and the session's log has all it needs
    for (const auto& actor : actors_) put(&actor->swept[0], head(*actor));
    return false;
  }
  if (is_lost()) {
    recover();
    return true;
  }
  if (!is_point_due()) return false;
  const bool is_out = dozes_ || engine().is_over();
  if (is_lost()) return true;
  if (is_out) return take_point();
  if (!holds_for_point_) {
    holds_for_point_ = true;
    held_since_ = Clock::now();
    leave_for_a_while();
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
    if (!dozes_ && !engine().how_it_ended().empty()) return false;  // see_end() tells it
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
  come_back();
}

void Group::want_point() {
  const std::uint64_t wanted = ++points_wanted_;
  wake();
  Patience patience;
  while (points_taken_ < wanted && outlasts_ && !is_dead_) patience.wait();
}

void Group::keep_changes() {
  if (outlasts_ && !is_on_own_thread()) want_point();
}

bool Group::all_rest() const {
  return std::all_of(actors_.begin(), actors_.end(), [](const auto& a) { return rests(*a); });
}

// All actors rest: others may use their buffers. What is in them goes into the session's log, where they may
// be used from here on.
void Group::open_buffers() {
  if (!outlasts_ || is_on_own_thread()) return;
  const std::lock_guard<std::mutex> lock(claim_mutex_);
  if (claim_ == nullptr || !all_rest() || is_open_) return;
  for (;;) {
    want_point();
    if (!outlasts_) return;
    if (is_dead_) break;  // nobody works on them any more
    const std::uint64_t losses = losses_;
    copy_buffers(false, point_.buffers);
    if (losses == losses_ && !is_lost()) break;
  }
  is_open_ = true;
  claim_->open(true);
}

void Group::close_buffers(ActorState& actor) {
  const std::lock_guard<std::mutex> lock(claim_mutex_);
  if (is_open_) {
    // While it is open the session's log has what is in them: a point without it must not be gone back to.
    if (claim_->take_touched()) want_point();
    claim_->open(false);
    is_open_ = false;
  }
  actor.phase = Phase::active;  // from now on it does not rest
}

}  // namespace quern::ring
