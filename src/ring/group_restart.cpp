// Restart after a fault: with the state before the interrupted message, which becomes a dead letter.
#include <array>

#include "quern/error.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {

// The message that was being handled in one of the rings, if any.
bool Group::skip_faulted(ActorState& actor, std::span<std::uint64_t> own, bool is_urgent) {
  if (is_urgent && plan_.urgent_slots == 0) return false;
  const Inbox& inbox = is_urgent ? actor.urgent : actor.inbox;
  std::uint64_t& head = own[is_urgent ? kOwnUrgentHead : kHead];
  if (own[is_urgent ? kOwnUrgentUnderWay : kOwnUnderWay] != head + 1) return false;
  std::vector<std::byte> message(inbox.message_bytes());
  inbox.read(head, message.data());
  replies_.make_void(inbox.ticket(head));
  ++head;
  put(to_host_ + layout_.status_at + std::size_t{actor.index} * kStatusWords +
          (is_urgent ? kUrgentHeadOut : kHead),
      head);
  report_dead_letter(actor, DeadLetter::Reason::faulted, std::move(message));
  return true;
}

bool Group::skip_faulted_peer(ActorState& actor, std::span<std::uint64_t> own) {
  if (own[kOwnPeerUnderWay] != own[kOwnPeerHead] + 1) return false;
  std::vector<std::vector<std::byte>> waiting = peer_messages(actor);
  own[kOwnPeerHead] = (own[kOwnPeerHead] + 1) & kPeerMask;
  if (!waiting.empty()) report_dead_letter(actor, DeadLetter::Reason::faulted, std::move(waiting.front()));
  return true;
}

void Group::drop_faulted_timer(ActorState& actor, std::span<std::uint64_t> own) {
  const std::uint64_t which = own[kOwnTimerUnderWay] - 1;
  own[kOwnTimerUnderWay] = 0;
  std::vector<std::uint64_t> timer(layout_.timer_words);
  const std::uint64_t at =
      layout_.timers_at + (std::uint64_t{actor.index} * plan_.timers + which) * layout_.timer_words;
  engine().read_own(at, timer);
  timer[kTimerKind] = 0;
  engine().write_own(at, timer);
  const auto* const bytes =
      reinterpret_cast<const std::byte*>(timer.data() + kTimerMessage) + layout_.header_bytes;
  report_dead_letter(actor, DeadLetter::Reason::faulted, {bytes, bytes + actor.sizes.message});
}

// An actor that was interrupted.
void Group::mend(ActorState& actor) {
  std::array<std::uint64_t, 32> own{};
  const std::uint64_t at = std::uint64_t{actor.index} * kOwnWords,
                      state = std::uint64_t{actor.index} * layout_.state_words;
  engine().read_own(at, own);
  if (own[kOwnIsKept] == 0) return;
  own[kOwnIsKept] = 0;
  std::vector<std::uint64_t> kept(layout_.state_words);
  engine().read_own(layout_.kept_at + state, kept);
  engine().write_own(layout_.states_at + state, kept);
  // Timers fire after a message, whose mark is still set.
  if (own[kOwnTimerUnderWay] != 0) {
    drop_faulted_timer(actor, own);
  } else {
    (void)(skip_faulted(actor, own, true) || skip_faulted(actor, own, false) ||
           skip_faulted_peer(actor, own));
  }
  engine().write_own(at, own);
}

bool Group::restart() {
  const Clock::time_point now = Clock::now();
  while (!recent_restarts_.empty() && now - recent_restarts_.front() > options_.restart.window)
    recent_restarts_.pop_front();
  if (recent_restarts_.size() >= options_.restart.limit) return false;
  recent_restarts_.push_back(now);
  try {
    engine().finish();
    for (const auto& actor : actors_) mend(*actor);
    // Resets the synchronization of workers, of which some never left.
    engine().write_own(layout_.own_words - kLine, std::array<std::uint64_t, kLine>{});
    allow();
    engine().start(inboxes());
  } catch (const Error&) {
    return false;
  }
  ++restarts_;
  return true;
}

}  // namespace quern::ring
