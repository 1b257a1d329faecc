#include <algorithm>
#include <iterator>

#include "ring/failure.hpp"
#include "ring/group.hpp"
#include "ring/stamp.hpp"
#include "ring/words.hpp"

namespace quern::ring {

void Group::check_open(const ActorState& actor) const {
  if (actor.is_open.load(std::memory_order_relaxed)) return;
  const Phase phase = actor.phase;
  if (phase == Phase::draining) fail(ErrorKind::invalid_use, "send failed: the actor is draining");
  fail(ErrorKind::invalid_use,
       std::string("send failed: the actor ") + (phase == Phase::failed ? "has failed" : "is stopped"));
}

bool Group::must_queue(const ActorState& actor) const {
  return actor.has_overflow.load(std::memory_order_acquire);
}

// All of them, or none.
bool Group::put_ring(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  const std::uint32_t each = actor.inbox.message_bytes();
  const auto count = static_cast<std::uint32_t>(messages.size() / each);
  std::uint64_t first = 0;
  Inbox& inbox = how.is_urgent ? actor.urgent : actor.inbox;
  if (!inbox.take(count, first)) {
    if (plan_.has_deadlines) wake();  // the thread that checks for expired messages makes space
    return false;
  }
  write_time(actor);  // timers that its handler sets start now, whatever the group's thread does
  if (count == 1 && !plan_.has_stamps) {
    inbox.write(first, how.ticket, messages.data(), how.header);
  } else if (plan_.has_stamps) {
    Header header = how.header;
    for (std::uint32_t i = 0; i < count; ++i) {
      header.stamp = next_stamp();
      inbox.write(first + i, how.ticket, messages.data() + std::size_t{i} * each, header);
    }
  } else {
    inbox.write_all(first, count, how.ticket, messages.data(), how.header);
  }
  if (is_driven_.load(std::memory_order_relaxed) || is_idle_.load(std::memory_order_relaxed)) wake();
  return true;
}

void Group::put_overflow(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  const std::uint32_t each = actor.inbox.message_bytes();
  std::vector<Waiting> lost;
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    if (actor.inbox.is_closed()) check_open(actor);  // its queue was emptied for the last time
    for (std::size_t at = 0; at < messages.size(); at += each) {
      if (options_.when_full == WhenFull::drop_oldest && actor.overflow.size() >= options_.overflow) {
        if (actor.overflow.empty()) {
          lost.push_back({{messages.begin() + static_cast<std::ptrdiff_t>(at),
                           messages.begin() + static_cast<std::ptrdiff_t>(at + each)},
                          how.ticket,
                          how.header,
                          how.is_urgent});
          continue;
        }
        lost.push_back(std::move(actor.overflow.front()));
        actor.overflow.pop_front();
      }
      actor.overflow.push_back({{messages.begin() + static_cast<std::ptrdiff_t>(at),
                                 messages.begin() + static_cast<std::ptrdiff_t>(at + each)},
                                how.ticket,
                                how.header,
                                how.is_urgent});
    }
    actor.has_overflow.store(!actor.overflow.empty(), std::memory_order_release);
    actor.dropped += lost.size();
  }
  wake();
  for (Waiting& w : lost) {
    if (w.ticket != 0) replies_.make_void(w.ticket);
    report_dead_letter(actor, DeadLetter::Reason::dropped, std::move(w.message));
  }
}

// Regardless of the ring's content and of a pause: they wait in the queue.
void Group::put_back(ActorState& actor, std::vector<Waiting> messages) {
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    if (actor.inbox.is_closed()) check_open(actor);
    std::move(messages.begin(), messages.end(), std::back_inserter(actor.overflow));
    actor.has_overflow.store(true, std::memory_order_release);
  }
  wake();
}

bool Group::try_put(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  check_open(actor);
  if (how.is_urgent) return put_ring(actor, messages, how);
  if (!must_queue(actor) && put_ring(actor, messages, how)) return true;
  if (options_.when_full == WhenFull::block || options_.when_full == WhenFull::fail) return false;
  put_overflow(actor, messages, how);
  return true;
}

void Group::put_in(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  // A batch that does not fit the ring is sent in pieces.
  const std::size_t each = actor.inbox.message_bytes();
  const std::uint32_t capacity = (how.is_urgent ? actor.urgent : actor.inbox).capacity();
  if (messages.size() > each * capacity) {
    if (options_.when_full == WhenFull::fail)
      fail(ErrorKind::out_of_memory,
           "send failed: a batch of " + std::to_string(messages.size() / each) +
               " messages does not fit a ring of " + std::to_string(capacity) + " slots",
           "set Options::slots to a larger number, or send smaller batches");
    const std::size_t piece = each * std::max(1u, capacity / 2);
    for (; messages.size() > piece; messages = messages.subspan(piece))
      put_in(actor, messages.first(piece), how);
  }
  Patience patience;
  while (!try_put(actor, messages, how)) {
    if (options_.when_full == WhenFull::fail) {
      const std::size_t count = messages.size() / each;
      const std::string slots = std::to_string(capacity);
      fail(ErrorKind::out_of_memory,
           count == 1 ? "send failed: the actor's ring is full: " + slots +
                            (how.is_urgent ? " urgent messages wait in it" : " messages wait in it")
                      : "send failed: the actor's ring has no room for " + std::to_string(count) +
                            " messages: it has " + slots + " slots",
           "set Options::slots to a larger number, or Options::when_full to another policy");
    }
    patience.wait();
  }
}

// Waits until replies are taken, but not forever once all have arrived.
std::uint32_t Group::take_ticket(ActorState& actor) {
  constexpr std::chrono::seconds kStandstill(2);
  constexpr const char* kHint =
      "take the replies of earlier calls, or set Options::replies to a larger number";
  Clock::time_point moved;  // a call that finds a slot does not read the clock
  Patience patience;
  for (;;) {
    check_open(actor);
    const std::uint32_t ticket = replies_.take();
    if (ticket != 0) return ticket;
    replies_.sweep(false);
    if (options_.when_full == WhenFull::fail)
      fail(ErrorKind::out_of_memory,
           "call failed: all " + std::to_string(plan_.replies) + " reply slots are in use", kHint);
    const Clock::time_point now = Clock::now();
    if (moved == Clock::time_point() || !replies_.have_all_come()) moved = now;
    if (now - moved > kStandstill)
      fail(ErrorKind::out_of_memory,
           "call failed: all " + std::to_string(plan_.replies) +
               " reply slots hold replies that have not been taken",
           kHint);
    patience.wait();
  }
}

}  // namespace quern::ring
