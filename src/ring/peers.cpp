#include "ring/peers.hpp"

#include <chrono>
#include <thread>

namespace quern::ring {

// In the order of the ring. A sender that took a position writes it immediately, unless its kernel ended in
// between.
std::vector<std::vector<std::byte>> peer_messages(const ActorKernel& kernel, const ActorState& actor) {
  constexpr int kTries = 100;
  std::vector<std::uint64_t> own(kOwnPeerHead + 1),
      ring(std::size_t{kernel.plan().peer_slots} * kernel.layout().slot_words);
  kernel.engine().read_own(std::uint64_t{actor.index} * kOwnWords, own);
  const auto head = static_cast<std::uint32_t>(own[kOwnPeerHead]);
  const std::uint32_t count = (static_cast<std::uint32_t>(own[kOwnPeerTail]) - head) & kPeerMask;
  std::vector<std::vector<std::byte>> out;
  if (count == 0) return out;
  Inbox peers;
  peers.start(ring.data(), nullptr, kernel.plan().peer_slots, kernel.layout(), actor.sizes.message);
  const auto position = [&](std::uint32_t i) { return (head + i) & kPeerMask; };
  std::uint32_t written = 0;
  for (int i = 0; i < kTries && written < count; ++i) {
    if (i != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kernel.engine().read_own(kernel.layout().peers_at + std::uint64_t{actor.index} * ring.size(), ring);
    while (written < count && peers.is_written(position(written))) ++written;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!peers.is_written(position(i))) continue;
    peers.read(position(i), out.emplace_back(actor.sizes.message).data());
  }
  return out;
}

}  // namespace quern::ring
