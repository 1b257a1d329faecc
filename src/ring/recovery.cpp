#include "ring/recovery.hpp"

#include <algorithm>
#include <thread>

#include "quern/extension.hpp"
#include "ring/failure.hpp"
#include "ring/replay.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::uint64_t kMostFutile = 4;

bool rests(const ActorState& actor) { return actor.phase == Phase::paused || actor.has_ended(); }

bool all_rest(const ActorKernel& kernel) {
  return std::all_of(kernel.actors().begin(), kernel.actors().end(), [](const auto& a) { return rests(*a); });
}

}  // namespace

void Recovery::start() {
  buffers_.acquire();
  driver_ = kernel_.device().driver();
  points_.start();
  furthest_ = points_.last().heads;
  losses_.start();
}

bool Recovery::step() {
  if (!kernel_.plan().survives_device_loss) return false;
  if (!losses_.is_recoverable()) {  // it is driven now, and the session's log has all it needs
    for (const auto& actor : kernel_.actors()) put(&actor->swept[0], kernel_.head(*actor));
    return false;
  }
  if (!losses_.is_lost()) return points_.step();
  recover();
  return true;
}

void Recovery::recover() {
  is_recovering_ = true;
  const std::vector<std::uint64_t> obeyed = obeyed_orders();
  for (;;) {
    const std::uint64_t losses = losses_.current();
    try {
      if (!has_moved_on())
        fail(ErrorKind::device_lost, message::kLostRepeatedly(std::to_string(kMostFutile)));
      if (recover_once(losses, obeyed)) break;
    } catch (const Error& e) {
      if (losses_.current() != losses) continue;
      termination_.fail_all(e.message());
      break;
    }
  }
  ++recoveries_;
  is_recovering_ = false;
}

// A message that causes device losses would do so forever.
bool Recovery::has_moved_on() {
  bool has_work = false, has_moved = false;
  for (const auto& actor : kernel_.actors()) {
    const std::uint64_t now = kernel_.head(*actor);
    has_moved = has_moved || now > furthest_[actor->index];
    has_work = has_work || now != actor->inbox.tail() || now != points_.last().heads[actor->index];
    furthest_[actor->index] = std::max(furthest_[actor->index], now);
  }
  futile_ = has_moved || !has_work ? 0 : futile_ + 1;
  return futile_ < kMostFutile;
}

// False: the device was lost again.
bool Recovery::recover_once(std::uint64_t losses, std::span<const std::uint64_t> obeyed) {
  for (const auto& actor : kernel_.actors()) (void)events_.deliver(*actor);
  // Until the session has a device again, queries refer to the lost one.
  std::uint64_t word = 0;
  kernel_.engine().read_own(0, std::span(&word, 1));
  const bool is_planned =
      extension::survives_device_loss(kernel_.device()) && kernel_.device().driver() == driver_;
  if (!kernel_.is_driven() && !is_planned) {
    kernel_.become_driven();
    // From here on the session's log has all uses of the buffers.
    if (buffers_.access() != nullptr) buffers_.access()->open(true);
  }
  kernel_.engine().go_on_after(losses);
  kernel_.engine().write_own(0, points_.last().own);
  if (!are_buffers_open_) buffers_.upload(points_.last().buffers);
  drop_old_tickets();
  if (!replay(losses)) return false;
  points_.end_suspension();
  for (const auto& actor : kernel_.actors()) {
    const std::uint64_t order = obeyed[actor->index];
    if (order != 0 && !had_obeyed(*actor, order)) put(kernel_.status(*actor) + kAnswer, 0);
  }
  control_.launch();
  if (!obey_again(losses, obeyed)) return false;
  losses_.set_recovered(losses);
  if (kernel_.is_driven()) {
    losses_.end();  // nobody waits for a point any more, with or without the lock
    const std::lock_guard<std::mutex> lock(buffers_mutex_);
    are_buffers_open_ = false;
    buffers_.release();
  }
  return true;
}

bool Recovery::replay(std::uint64_t losses) {
  Replay replay(kernel_, control_, events_, points_.last(), losses);
  if (!replay.run()) return false;
  replay.take_replies(mailbox_.replies());
  return true;
}

// By actor: the answers to commands to rest or to end that the host has seen.
std::vector<std::uint64_t> Recovery::obeyed_orders() const {
  std::vector<std::uint64_t> all;
  for (const auto& actor : kernel_.actors()) {
    const std::uint64_t answer = look(kernel_.status(*actor) + kAnswer);
    const std::uint64_t command = look(kernel_.control(*actor)) & ~kHold;
    const auto said = static_cast<Answer>(answer & 255);
    const bool rests = said == Answer::kPaused || said == Answer::kStopped || said == Answer::kGone;
    all.push_back(rests && answer >> 8 == command >> 8 ? answer : 0);
  }
  return all;
}

// Whether the command was obeyed at the point and nothing was replayed since: then it is not answered again.
bool Recovery::had_obeyed(const ActorState& actor, std::uint64_t order) {
  const std::uint64_t own = points_.last().own[std::size_t{actor.index} * kOwnWords + kOwnCommand];
  return kernel_.head(actor) == points_.last().heads[actor.index] && (own & ~kHold) >> 8 == order >> 8;
}

// Only then is the actor where it was. False: the device was lost again.
bool Recovery::obey_again(std::uint64_t losses, std::span<const std::uint64_t> obeyed) {
  Patience patience;
  for (std::uint32_t looks = 1;; ++looks) {
    (void)kernel_.engine().step();
    bool is_done = true;
    for (const auto& actor : kernel_.actors()) {
      (void)events_.deliver(*actor);
      is_done = is_done && look(kernel_.status(*actor) + kAnswer) >> 8 >= obeyed[actor->index] >> 8;
    }
    if (losses_.current() != losses) return false;
    if (is_done) return true;
    if (looks % 256 == 0 && kernel_.engine().is_over()) {
      const std::string how = kernel_.engine().how_it_ended();
      if (losses_.current() != losses) return false;
      if (!how.empty()) fail(ErrorKind::kernel_fault, how);
      if (!control_.is_suspended() && !kernel_.is_driven()) control_.launch();  // it was suspended
    }
    patience.wait();
  }
}

// Calls whose replies the host has, or does not need any more: another call may have the slot by now.
void Recovery::drop_old_tickets() {
  for (const auto& actor : kernel_.actors()) {
    const std::uint64_t tail = actor->inbox.tail();
    for (std::uint64_t at = points_.last().heads[actor->index]; at < tail; ++at) {
      if (!actor->inbox.is_written(at)) continue;
      const std::uint32_t ticket = actor->inbox.ticket(at);
      if (ticket != 0 && !mailbox_.replies().is_wanted(ticket, actor->sizes.reply))
        actor->inbox.drop_ticket(at);
    }
  }
}

bool Recovery::between_losses(const std::function<void()>& work) const {
  do {
    while (losses_.is_lost() && !termination_.is_dead())
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    const std::uint64_t before = losses_.recovered();
    work();
    if (before == losses_.recovered() && !losses_.is_lost()) return true;
  } while (!termination_.is_dead());
  return false;
}

void Recovery::keep_changes() {
  if (losses_.is_recoverable() && !thread_.is_current()) points_.request();
}

void Recovery::open_buffers() {
  if (!losses_.is_recoverable() || thread_.is_current()) return;
  const std::lock_guard<std::mutex> lock(buffers_mutex_);
  if (buffers_.access() == nullptr || !all_rest(kernel_) || are_buffers_open_) return;
  for (;;) {
    points_.request();
    if (!losses_.is_recoverable()) return;
    if (termination_.is_dead()) break;  // nothing uses them any more
    const std::uint64_t losses = losses_.recovered();
    buffers_.upload(points_.last().buffers);
    if (losses == losses_.recovered() && !losses_.is_lost()) break;
  }
  are_buffers_open_ = true;
  buffers_.access()->open(true);
}

void Recovery::close_buffers(ActorState& actor) {
  const std::lock_guard<std::mutex> lock(buffers_mutex_);
  if (are_buffers_open_) {
    // While they are open, the session's log has their content: a point without it must not be restored.
    if (buffers_.access()->take_touched()) points_.request();
    buffers_.access()->open(false);
    are_buffers_open_ = false;
  }
  actor.phase = Phase::active;  // from now on it works
}

}  // namespace quern::ring
