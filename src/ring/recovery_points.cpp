#include "ring/recovery_points.hpp"

#include <thread>

#include "quern/error.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::chrono::seconds kLongest(1);        // between two points, while messages arrive
constexpr std::chrono::milliseconds kSoonAway(2);  // a kernel between two messages leaves sooner,
constexpr std::chrono::microseconds kAtOnce(20);   // usually immediately

}  // namespace

void RecoveryPoints::start() {
  point_.own.resize(kernel_.layout().own_words);
  point_.heads.assign(kernel_.actors().size(), 0);
  do {
    losses_.set_recovered(losses_.current());
    kernel_.engine().go_on_after(losses_.recovered());
    kernel_.engine().read_own(0, point_.own);
    buffers_.download(point_.buffers);
  } while (losses_.current() != losses_.recovered());
  point_.taken = Clock::now();
}

bool RecoveryPoints::is_due() const {
  if (requested_ != taken_) return true;
  bool has_moved = false, is_over = true;
  for (const auto& actor : kernel_.actors()) {
    const std::uint64_t since = kernel_.head(*actor) - point_.heads[actor->index];
    if (since >= kernel_.plan().slots / 2) return true;
    if (since != 0 && actor->inbox.tail() - point_.heads[actor->index] >= kernel_.plan().slots) return true;
    has_moved = has_moved || since != 0;
    is_over = is_over && actor->has_ended();
  }
  if (is_over && !was_final_) return true;
  return has_moved && (control_.is_idle() || Clock::now() - point_.taken > kLongest);
}

bool RecoveryPoints::step() {
  if (!is_due()) return false;
  const bool is_out = control_.is_idle() || kernel_.engine().is_over();
  if (losses_.is_lost()) return true;
  if (is_out) return take();
  if (!is_suspending_) {
    is_suspending_ = true;
    suspended_since_ = Clock::now();
    control_.suspend();
  }
  const Clock::duration since = Clock::now() - suspended_since_;
  if (since > kSoonAway) return false;
  if (since > kAtOnce) std::this_thread::sleep_for(kAtOnce);
  return true;
}

bool RecoveryPoints::take() {
  const std::uint64_t wanted = requested_;
  Point point;
  point.own.resize(kernel_.layout().own_words);
  const bool is_final = kernel_.have_all_ended();
  try {
    if (!control_.is_idle() && !kernel_.engine().how_it_ended().empty())
      return false;  // see_end() reports it
    kernel_.engine().read_own(0, point.own);
    buffers_.download(point.buffers);
  } catch (const Error& e) {
    if (losses_.is_lost()) return true;
    termination_.fail_all(e.message());
    return true;
  }
  if (losses_.is_lost()) return true;
  for (const auto& actor : kernel_.actors()) point.heads.push_back(kernel_.head(*actor));
  point.taken = Clock::now();
  point_ = std::move(point);
  was_final_ = is_final;
  for (const auto& actor : kernel_.actors()) put(&actor->swept[0], point_.heads[actor->index]);
  taken_ = wanted;
  end_suspension();
  return true;
}

void RecoveryPoints::end_suspension() {
  if (!is_suspending_) return;
  is_suspending_ = false;
  control_.resume();
}

void RecoveryPoints::request() {
  const std::uint64_t wanted = ++requested_;
  thread_.wake();
  Patience patience;
  while (taken_ < wanted && losses_.is_recoverable() && !termination_.is_dead()) patience.wait();
}

}  // namespace quern::ring
