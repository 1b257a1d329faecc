#include "ring/dead_letters.hpp"

#include "quern/error.hpp"
#include "ring/peers.hpp"
#include "ring/words.hpp"

namespace quern::ring {

void DeadLetters::report(const ActorState& actor, DeadLetter::Reason reason,
                         std::vector<std::byte> message) const {
  if (!kernel_.options().on_dead_letter) return;
  kernel_.options().on_dead_letter({reason, actor.index, std::move(message)});
}

bool DeadLetters::sweep_expired(ActorState& actor) const {
  if (!kernel_.plan().has_deadlines) return false;
  std::vector<std::vector<std::byte>> late;
  bool did = false;
  {
    const std::lock_guard<std::mutex> lock(actor.sweep_mutex);
    for (const bool is_urgent : {false, true}) {
      if (is_urgent && kernel_.plan().urgent_slots == 0) continue;
      const Inbox& inbox = is_urgent ? actor.urgent : actor.inbox;
      std::uint64_t& swept = actor.swept[is_urgent ? 1 : 0];
      const std::uint64_t head = look(kernel_.status(actor) + (is_urgent ? kUrgentHeadOut : kHead));
      const std::uint64_t* const marks =
          kernel_.to_host() + kernel_.layout().expired_at +
          std::size_t{actor.index} * (kernel_.plan().slots + kernel_.plan().urgent_slots) +
          (is_urgent ? kernel_.plan().slots : 0);
      for (std::uint64_t at = swept; at < head; ++at) {
        did = true;
        if (look(marks + at % inbox.capacity()) != at + 1) continue;
        std::vector<std::byte>& message = late.emplace_back(inbox.message_bytes());
        inbox.read(at, message.data());
      }
      if (swept < head) put(&swept, head);
    }
  }
  for (std::vector<std::byte>& message : late) report(actor, DeadLetter::Reason::expired, std::move(message));
  return did;
}

void DeadLetters::report_ring(const ActorState& actor, const Inbox& inbox, std::uint64_t head) const {
  for (std::uint64_t at = head; at < inbox.tail(); ++at) {
    // A thread that took the position writes it immediately, unless it ended in between.
    Patience patience;
    for (int i = 0; i < 20'000 && !inbox.is_written(at); ++i) patience.wait();
    if (!inbox.is_written(at)) continue;
    std::vector<std::byte> message(inbox.message_bytes());
    inbox.read(at, message.data());
    report(actor, DeadLetter::Reason::stopped, std::move(message));
  }
}

void DeadLetters::report_timers(const ActorState& actor) const {
  if (kernel_.plan().timers == 0 || !kernel_.options().on_dead_letter) return;
  std::vector<std::uint64_t> timers(std::size_t{kernel_.plan().timers} * kernel_.layout().timer_words);
  kernel_.engine().read_own(kernel_.layout().timers_at + std::uint64_t{actor.index} * timers.size(), timers);
  for (std::uint32_t i = 0; i < kernel_.plan().timers; ++i) {
    const std::uint64_t* const timer = &timers[std::size_t{i} * kernel_.layout().timer_words];
    if (timer[kTimerKind] == 0) continue;
    const auto* const bytes =
        reinterpret_cast<const std::byte*>(timer + kTimerMessage) + kernel_.layout().header_bytes;
    report(actor, DeadLetter::Reason::stopped, {bytes, bytes + actor.sizes.message});
  }
}

void DeadLetters::report_peers(const ActorState& actor) const {
  if (!kernel_.options().on_dead_letter || kernel_.plan().survives_device_loss) return;
  try {
    for (std::vector<std::byte>& message : peer_messages(kernel_, actor))
      report(actor, DeadLetter::Reason::stopped, std::move(message));
  } catch (const Error&) {  // its memory was lost with the device
  }
}

}  // namespace quern::ring
