// Messages between actors. They are in the device's own memory, which the host reads while nobody works on
// it.
#include "quern/error.hpp"
#include "ring/group.hpp"
#include "ring/words.hpp"

namespace quern::ring {

// The count that a worker reports when it leaves may be outdated: another worker may still send to its
// actors.
void Group::look_for_peers() {
  if (knows_peers_ || plan_.survives_device_loss) return;
  std::vector<std::uint64_t> own(actors_.size() * kOwnWords);
  engine().read_own(0, own);
  for (const auto& actor : actors_) {
    const std::uint64_t* const mine = &own[std::size_t{actor->index} * kOwnWords];
    actor->has_peers_waiting = ((mine[kOwnPeerTail] ^ mine[kOwnPeerHead]) & kPeerMask) != 0;
  }
  knows_peers_ = true;
}

// In the order of the ring. A sender that took a position writes it immediately, unless its kernel ended in
// between.
std::vector<std::vector<std::byte>> Group::peer_messages(const ActorState& actor) const {
  constexpr int kTries = 100;
  std::vector<std::uint64_t> own(kOwnPeerHead + 1), ring(std::size_t{plan_.peer_slots} * layout_.slot_words);
  engine().read_own(std::uint64_t{actor.index} * kOwnWords, own);
  const auto head = static_cast<std::uint32_t>(own[kOwnPeerHead]);
  const std::uint32_t count = (static_cast<std::uint32_t>(own[kOwnPeerTail]) - head) & kPeerMask;
  std::vector<std::vector<std::byte>> out;
  if (count == 0) return out;
  Inbox peers;
  peers.start(ring.data(), nullptr, plan_.peer_slots, layout_, actor.sizes.message);
  const auto position = [&](std::uint32_t i) { return (head + i) & kPeerMask; };
  std::uint32_t written = 0;
  for (int i = 0; i < kTries && written < count; ++i) {
    if (i != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    engine().read_own(layout_.peers_at + std::uint64_t{actor.index} * ring.size(), ring);
    while (written < count && peers.is_written(position(written))) ++written;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!peers.is_written(position(i))) continue;
    peers.read(position(i), out.emplace_back(actor.sizes.message).data());
  }
  return out;
}

void Group::bury_peers(const ActorState& actor, DeadLetter::Reason reason) {
  if (!options_.on_dead_letter || is_given_up_ || plan_.survives_device_loss) return;
  // An actor that ended by a command has reported the count; for a kernel that ended by itself it is unknown.
  if (!is_dead_ && look(status(actor) + kPeerDepth) == 0) return;
  try {
    for (std::vector<std::byte>& message : peer_messages(actor))
      report_dead_letter(actor, reason, std::move(message));
  } catch (const Error&) {  // its memory was lost with the device
  }
}

}  // namespace quern::ring
