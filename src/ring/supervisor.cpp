#include "ring/supervisor.hpp"

#include <array>
#include <utility>
#include <vector>

#include "quern/error.hpp"
#include "ring/peers.hpp"
#include "ring/words.hpp"

namespace quern::ring {

// The message that was being handled in one of the rings, if any.
bool Supervisor::skip_faulted(ActorState& actor, std::span<std::uint64_t> own, bool is_urgent) {
  if (is_urgent && kernel_.plan().urgent_slots == 0) return false;
  const Inbox& inbox = is_urgent ? actor.urgent : actor.inbox;
  std::uint64_t& head = own[is_urgent ? kOwnUrgentHead : kHead];
  if (own[is_urgent ? kOwnUrgentUnderWay : kOwnUnderWay] != head + 1) return false;
  std::vector<std::byte> message(inbox.message_bytes());
  inbox.read(head, message.data());
  replies_.make_void(inbox.ticket(head));
  ++head;
  put(kernel_.status(actor) + (is_urgent ? kUrgentHeadOut : kHead), head);
  dead_letters_.report(actor, DeadLetter::Reason::faulted, std::move(message));
  return true;
}

bool Supervisor::skip_faulted_peer(ActorState& actor, std::span<std::uint64_t> own) {
  if (own[kOwnPeerUnderWay] != own[kOwnPeerHead] + 1) return false;
  std::vector<std::vector<std::byte>> waiting = peer_messages(kernel_, actor);
  own[kOwnPeerHead] = (own[kOwnPeerHead] + 1) & kPeerMask;
  if (!waiting.empty()) dead_letters_.report(actor, DeadLetter::Reason::faulted, std::move(waiting.front()));
  return true;
}

void Supervisor::drop_faulted_timer(ActorState& actor, std::span<std::uint64_t> own) {
  const std::uint64_t which = own[kOwnTimerUnderWay] - 1;
  own[kOwnTimerUnderWay] = 0;
  std::vector<std::uint64_t> timer(kernel_.layout().timer_words);
  const std::uint64_t at =
      kernel_.layout().timers_at +
      (std::uint64_t{actor.index} * kernel_.plan().timers + which) * kernel_.layout().timer_words;
  kernel_.engine().read_own(at, timer);
  timer[kTimerKind] = 0;
  kernel_.engine().write_own(at, timer);
  const auto* const bytes =
      reinterpret_cast<const std::byte*>(timer.data() + kTimerMessage) + kernel_.layout().header_bytes;
  dead_letters_.report(actor, DeadLetter::Reason::faulted, {bytes, bytes + actor.sizes.message});
}

// An actor that was interrupted.
void Supervisor::repair(ActorState& actor) {
  std::array<std::uint64_t, 32> own{};
  const std::uint64_t at = std::uint64_t{actor.index} * kOwnWords,
                      state = std::uint64_t{actor.index} * kernel_.layout().state_words;
  kernel_.engine().read_own(at, own);
  if (own[kOwnIsKept] == 0) return;
  own[kOwnIsKept] = 0;
  std::vector<std::uint64_t> kept(kernel_.layout().state_words);
  kernel_.engine().read_own(kernel_.layout().kept_at + state, kept);
  kernel_.engine().write_own(kernel_.layout().states_at + state, kept);
  // Timers fire after a message, whose mark is still set.
  if (own[kOwnTimerUnderWay] != 0) {
    drop_faulted_timer(actor, own);
  } else {
    (void)(skip_faulted(actor, own, true) || skip_faulted(actor, own, false) ||
           skip_faulted_peer(actor, own));
  }
  kernel_.engine().write_own(at, own);
}

bool Supervisor::restart() {
  const Clock::time_point now = Clock::now();
  while (!recent_.empty() && now - recent_.front() > kernel_.options().restart.window) recent_.pop_front();
  if (recent_.size() >= kernel_.options().restart.limit) return false;
  recent_.push_back(now);
  try {
    kernel_.engine().finish();
    for (const auto& actor : kernel_.actors()) repair(*actor);
    // Resets the synchronization of workers, of which some never left.
    kernel_.engine().write_own(kernel_.layout().own_words - kLine, std::array<std::uint64_t, kLine>{});
    control_.launch();
  } catch (const Error&) {
    return false;
  }
  ++restarts_;
  return true;
}

}  // namespace quern::ring
