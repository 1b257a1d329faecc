#include "ring/event_delivery.hpp"

#include "ring/stamp.hpp"
#include "ring/words.hpp"

namespace quern::ring {

bool EventDelivery::deliver(ActorState& actor) const {
  return deliver(actor, kernel_.to_host(), kernel_.to_device(), actor.event_head, 0);
}

bool EventDelivery::deliver(ActorState& actor, const std::uint64_t* to_host, std::uint64_t* to_device,
                            std::uint64_t& at, std::uint64_t known) const {
  const std::uint32_t words = kernel_.layout().reply_words, bytes = actor.sizes.reply;
  const std::uint64_t* const ring =
      to_host + kernel_.layout().events_at + std::size_t{actor.index} * kernel_.plan().events * words;
  bool did = false;
  for (;; ++at) {
    const std::uint64_t* const slot = ring + (at & (kernel_.plan().events - 1)) * words;
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
    if (kernel_.layout().stamp_at != 0) {
      const std::uint64_t low = look(slot + kernel_.layout().stamp_at),
                          high = look(slot + kernel_.layout().stamp_at + 1);
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

}  // namespace quern::ring
