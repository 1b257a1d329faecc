#include <algorithm>

#include "quern/error.hpp"
#include "ring/group.hpp"
#include "ring/stamp.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::chrono::milliseconds kQuietPause(100);

}  // namespace

void Group::wake() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!sleeps_.load(std::memory_order_relaxed)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_one();
}

void Group::keep() {
  while (!ends_) {
    bool did = run_job();
    write_time();
    if (!is_dead_) did |= engine().step();
    if (!is_dead_) did |= survive_device_loss();
    did |= fire_timers();
    for (const auto& actor : actors_) {
      did |= pump(*actor);
      did |= deliver(*actor);
      did |= sweep_expired(*actor);
    }
    watch();
    did |= resume_awaiting();
    replies_.sweep(is_dead_);
    if (!is_dead_ && is_idle_) {
      did |= wake_kernel();
    } else if (!is_dead_ && engine().is_over() && !is_lost() &&
               !is_dead_) {  // an abandoned kernel is over, too
      did |= see_end();
    }
    rest(did);
  }
}

// Checks again immediately after work; otherwise less and less often, unless it is woken.
void Group::rest(bool did_something) {
  if (did_something) {
    idle_rounds_ = 0;
    return;
  }
  ++idle_rounds_;
  const std::uint32_t looks = plan_.is_driven ? patient_looks() / 8 : 0;
  if (idle_rounds_ < looks) return relax();
  if (idle_rounds_ < looks + 50) return std::this_thread::yield();
  const auto longest = std::chrono::microseconds(plan_.is_driven ? 1000 : plan_.has_time() ? 200 : 500);
  std::chrono::nanoseconds pause = std::min<std::chrono::microseconds>(
      longest, std::chrono::microseconds(20) * (1 + (idle_rounds_ - looks) / 64));
  std::unique_lock<std::mutex> lock(mutex_);
  sleeps_.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // While no kernel runs, nothing happens unless somebody sends and wakes this thread. It still checks
  // occasionally.
  if (idle_rounds_ > looks + 200 && is_quiet()) pause = kQuietPause;
  if (!ends_ && !has_jobs_) changed_.wait_for(lock, std::min(pause, until_due()));
  sleeps_.store(false, std::memory_order_relaxed);
}

bool Group::is_quiet() const {
  if (is_dead_) return true;
  return is_idle_ ? !has_work() : engine().is_quiet();
}

// The next message of a timer, of the host or of a handler.
std::chrono::nanoseconds Group::until_due() const {
  std::chrono::nanoseconds least = kQuietPause;
  const Clock::time_point now = Clock::now();
  for (const auto& t : timers_) {
    const std::chrono::nanoseconds until = t->due - now;
    // A late message waits for space in the ring.
    least = std::min(least, std::max<std::chrono::nanoseconds>(until, std::chrono::microseconds(100)));
  }
  for (const auto& actor : actors_) {
    const std::uint64_t due = plan_.timers != 0 ? look(status(*actor) + kNextDue) : 0;
    const std::uint64_t time = time_now();
    if (due == 0) continue;
    least = std::min(least, std::chrono::nanoseconds(due > time ? due - time : 100'000));
  }
  return least;
}

// Moves messages from the queue to the ring as far as there is space.
bool Group::pump(ActorState& actor) {
  if (!actor.has_overflow.load(std::memory_order_acquire)) return false;
  const std::lock_guard<std::mutex> lock(actor.mutex);
  bool did = false;
  while (!actor.overflow.empty()) {
    const Waiting& w = actor.overflow.front();
    if (!put_ring(actor, w.message, {w.ticket, w.is_urgent, w.header})) return did;
    actor.overflow.pop_front();
    did = true;
  }
  actor.has_overflow.store(false, std::memory_order_release);
  return did;
}

bool Group::deliver(ActorState& actor) { return deliver(actor, to_host_, to_device_, actor.event_head, 0); }

// Delivers from the `at`-th event on; those before `known` were delivered earlier.
bool Group::deliver(ActorState& actor, const std::uint64_t* to_host, std::uint64_t* to_device,
                    std::uint64_t& at, std::uint64_t known) {
  const std::uint32_t words = layout_.reply_words, bytes = actor.sizes.reply;
  const std::uint64_t* const ring =
      to_host + layout_.events_at + std::size_t{actor.index} * plan_.events * words;
  bool did = false;
  for (;; ++at) {
    const std::uint64_t* const slot = ring + (at & (plan_.events - 1)) * words;
    const auto tag = static_cast<std::uint32_t>(at + 1);
    std::vector<std::byte> event(bytes);
    std::uint64_t stamp = 0;
    for (std::uint32_t i = 0; i < 1 + (bytes + 3) / 4; ++i) {
      const std::uint64_t word = look(slot + i);
      if (static_cast<std::uint32_t>(word >> 32) != tag) {
        if (did) put(to_device + std::size_t{actor.index} * kLine + 1, at);
        return did;
      }
      for (std::uint32_t b = 0; i > 0 && b < 4 && (i - 1) * 4 + b < bytes; ++b)
        event[(i - 1) * 4 + b] = static_cast<std::byte>(word >> (8 * b));
    }
    if (layout_.stamp_at != 0) {
      const std::uint64_t low = look(slot + layout_.stamp_at), high = look(slot + layout_.stamp_at + 1);
      stamp = static_cast<std::uint32_t>(low) | high << 32;
      merge_stamp(stamp);
    }
    std::vector<std::function<void(std::span<const std::byte>, std::uint64_t)>> subscribers;
    {
      const std::lock_guard<std::mutex> lock(actor.mutex);
      subscribers = actor.subscribers;
    }
    if (at >= known) {
      for (const auto& s : subscribers) s(event, stamp);
    }
    did = true;
  }
}

bool Group::is_reply_over(const ActorState& actor, std::uint32_t ticket) const {
  if (replies_.has_come(ticket, actor.sizes.reply)) return true;
  return replies_.is_void(ticket) || actor.is_over.load(std::memory_order_acquire);
}

void Group::await(ActorState& actor, std::uint32_t ticket, std::coroutine_handle<> handle) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    awaiting_.push_back({&actor, ticket, handle});
    idle_rounds_ = 0;
  }
  wake();
}

bool Group::resume_awaiting() {
  std::vector<std::coroutine_handle<>> ready;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(awaiting_, [&](const Awaiting& a) {
      const bool is_ready = is_reply_over(*a.actor, a.ticket);
      if (is_ready) ready.push_back(a.handle);
      return is_ready;
    });
  }
  for (const std::coroutine_handle<> handle : ready) handle.resume();
  return !ready.empty();
}

// Returns whether the group continues.
bool Group::see_end() {
  const bool all_ended =
      std::all_of(actors_.begin(), actors_.end(), [](const auto& a) { return a->has_ended(); });
  if (all_ended) return false;
  const std::string how = engine().how_it_ended();
  if (is_lost()) return true;
  // It may have ended just now because the last actor was stopped.
  const bool all_answered = std::all_of(actors_.begin(), actors_.end(), [&](const auto& a) {
    const auto answer = static_cast<Answer>(look(status(*a) + kAnswer) & 255);
    return answer == Answer::kStopped || answer == Answer::kGone;
  });
  if (how.empty() && all_answered) return false;
  if (how.empty() && (plan_.idle_polls != 0 || was_held_)) {
    knows_peers_ = false;
    is_idle_ = true;
    return true;
  }
  if (restart()) return true;
  is_dead_ = true;
  fail_all(how.empty() ? "its kernel ended" : how);
  return true;
}

}  // namespace quern::ring
