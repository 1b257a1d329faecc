#include "ring/mailbox.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ring/failure.hpp"
#include "ring/stamp.hpp"
#include "ring/words.hpp"

namespace quern::ring {
namespace {

// A sender does not wait for space.
[[noreturn]] void refuse_full(std::size_t count, std::uint32_t capacity, bool is_urgent) {
  const std::string slots = std::to_string(capacity);
  fail(ErrorKind::out_of_memory, count == 1
                                     ? message::kRingFull(slots, is_urgent ? "urgent messages" : "messages")
                                     : message::kNoRoom(std::to_string(count), slots));
}

}  // namespace

void Mailbox::start() {
  const Layout& layout = kernel_.layout();
  const Plan& plan = kernel_.plan();
  replies_.start(kernel_.to_host() + layout.replies_at, plan.replies, layout.reply_words, layout.stamp_at);
  const bool sweeps = plan.has_deadlines || plan.survives_device_loss;
  for (const auto& actor : kernel_.actors()) {
    const std::size_t i = actor->index;
    start_inbox(actor->inbox, plan, layout, kernel_.to_device(), i,
                sweeps ? &actor->swept[0] : kernel_.status(*actor) + kHead, actor->sizes.message);
    if (plan.urgent_slots == 0) continue;
    actor->urgent.start(kernel_.to_device() + layout.urgent_at + i * plan.urgent_slots * layout.slot_words,
                        sweeps ? &actor->swept[1] : kernel_.status(*actor) + kUrgentHeadOut,
                        plan.urgent_slots, layout, actor->sizes.message);
  }
}

Sending Mailbox::prepare(const Delivery& delivery) const {
  Sending how;
  if (delivery.urgent && kernel_.plan().urgent_slots == 0) fail(ErrorKind::invalid_use, message::kNoUrgent());
  if (delivery.within.count() != 0 && !kernel_.plan().has_deadlines)
    fail(ErrorKind::invalid_use, message::kNoDeadlines());
  if (delivery.within.count() < 0) fail(ErrorKind::invalid_use, message::kDeadlinePassed());
  how.is_urgent = delivery.urgent;
  if (delivery.within.count() > 0)
    how.header.deadline = clock_.now() + static_cast<std::uint64_t>(delivery.within.count());
  return how;
}

void Mailbox::check_open(const ActorState& actor) const {
  if (actor.is_open.load(std::memory_order_relaxed)) return;
  const Phase phase = actor.phase;
  if (phase == Phase::draining) fail(ErrorKind::invalid_use, message::kDraining());
  fail(ErrorKind::invalid_use, message::kSendAfterEnd(phase == Phase::failed ? "has failed" : "is stopped"));
}

// All of them, or none.
bool Mailbox::put_ring(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  const std::uint32_t each = actor.inbox.message_bytes();
  const auto count = static_cast<std::uint32_t>(messages.size() / each);
  std::uint64_t first = 0;
  Inbox& inbox = how.is_urgent ? actor.urgent : actor.inbox;
  if (!inbox.take(count, first)) {
    if (kernel_.plan().has_deadlines)
      thread_.wake();  // the thread that checks for expired messages makes space
    return false;
  }
  clock_.write(actor);  // timers that its handler sets start now, whatever the service thread does
  if (count == 1 && !kernel_.plan().has_stamps) {
    inbox.write(first, how.ticket, messages.data(), how.header);
  } else if (kernel_.plan().has_stamps) {
    Header header = how.header;
    for (std::uint32_t i = 0; i < count; ++i) {
      header.stamp = next_stamp();
      inbox.write(first + i, how.ticket, messages.data() + std::size_t{i} * each, header);
    }
  } else {
    inbox.write_all(first, count, how.ticket, messages.data(), how.header);
  }
  if (kernel_.is_driven() || control_.is_idle()) thread_.wake();
  return true;
}

void Mailbox::put_overflow(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  const std::uint32_t each = actor.inbox.message_bytes();
  std::vector<Waiting> lost;
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    if (actor.inbox.is_closed()) check_open(actor);  // its queue was emptied for the last time
    for (std::size_t at = 0; at < messages.size(); at += each) {
      if (kernel_.options().when_full == WhenFull::drop_oldest &&
          actor.overflow.size() >= kernel_.options().overflow) {
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
  thread_.wake();
  for (Waiting& w : lost) {
    if (w.ticket != 0) replies_.make_void(w.ticket);
    dead_letters_.report(actor, DeadLetter::Reason::dropped, std::move(w.message));
  }
}

void Mailbox::put_back(ActorState& actor, std::vector<Waiting> messages) {
  {
    const std::lock_guard<std::mutex> lock(actor.mutex);
    if (actor.inbox.is_closed()) check_open(actor);
    std::move(messages.begin(), messages.end(), std::back_inserter(actor.overflow));
    actor.has_overflow.store(true, std::memory_order_release);
  }
  thread_.wake();
}

bool Mailbox::try_send(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  check_open(actor);
  if (how.is_urgent) return put_ring(actor, messages, how);
  if (!actor.has_overflow.load(std::memory_order_acquire) && put_ring(actor, messages, how)) return true;
  if (kernel_.options().when_full == WhenFull::block || kernel_.options().when_full == WhenFull::fail)
    return false;
  put_overflow(actor, messages, how);
  return true;
}

void Mailbox::send(ActorState& actor, std::span<const std::byte> messages, const Sending& how) {
  // A batch that does not fit the ring is sent in pieces.
  const std::size_t each = actor.inbox.message_bytes();
  const std::uint32_t capacity = (how.is_urgent ? actor.urgent : actor.inbox).capacity();
  if (messages.size() > each * capacity) {
    if (kernel_.options().when_full == WhenFull::fail)
      fail(ErrorKind::out_of_memory,
           message::kBatchTooLarge(std::to_string(messages.size() / each), std::to_string(capacity)));
    const std::size_t piece = each * std::max(1u, capacity / 2);
    for (; messages.size() > piece; messages = messages.subspan(piece))
      send(actor, messages.first(piece), how);
  }
  Patience patience;
  while (!try_send(actor, messages, how)) {
    if (kernel_.options().when_full == WhenFull::fail)
      refuse_full(messages.size() / each, capacity, how.is_urgent);
    patience.wait();
  }
}

bool Mailbox::is_empty(const ActorState& actor) const {
  if (kernel_.plan().urgent_slots != 0 && actor.urgent.head() != actor.urgent.tail()) return false;
  return !actor.has_overflow && kernel_.head(actor) == actor.inbox.tail();
}

bool Mailbox::pump(ActorState& actor) {
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

void Mailbox::close(ActorState& actor) const {
  actor.inbox.close();
  if (kernel_.plan().urgent_slots != 0) actor.urgent.close();
}

std::deque<Waiting> Mailbox::take_queue(ActorState& actor) const {
  const std::lock_guard<std::mutex> lock(actor.mutex);
  actor.has_overflow = false;
  return std::exchange(actor.overflow, {});
}

std::uint32_t Mailbox::take_ticket(ActorState& actor) {
  constexpr std::chrono::seconds kStandstill(2);
  Clock::time_point moved;  // a call that finds a slot does not read the clock
  Patience patience;
  for (;;) {
    check_open(actor);
    const std::uint32_t ticket = replies_.take();
    if (ticket != 0) return ticket;
    replies_.sweep(false);
    if (kernel_.options().when_full == WhenFull::fail)
      fail(ErrorKind::out_of_memory, message::kNoReplySlot(std::to_string(kernel_.plan().replies)));
    const Clock::time_point now = Clock::now();
    if (moved == Clock::time_point() || !replies_.have_all_come()) moved = now;
    if (now - moved > kStandstill)
      fail(ErrorKind::out_of_memory, message::kRepliesNotTaken(std::to_string(kernel_.plan().replies)));
    patience.wait();
  }
}

bool Mailbox::is_reply_over(const ActorState& actor, std::uint32_t ticket) const {
  if (replies_.has_come(ticket, actor.sizes.reply)) return true;
  return replies_.is_void(ticket) || actor.is_over.load(std::memory_order_acquire);
}

}  // namespace quern::ring
