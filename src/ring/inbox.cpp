#include "ring/inbox.hpp"

#include <cstring>

#include "ring/words.hpp"

namespace quern::ring {

void Inbox::start(std::uint64_t* slots, const std::uint64_t* head, std::uint32_t count, const Layout& layout,
                  std::uint32_t message_bytes) {
  slots_ = slots;
  head_ = head;
  mask_ = count - 1;
  slot_words_ = layout.slot_words;
  message_bytes_ = message_bytes;
  header_bytes_ = layout.header_bytes;
  words_ = (layout.message_bytes + 3) / 4;
  is_tagged_ = layout.is_tagged();
}

std::uint64_t Inbox::head() const { return look(head_); }

bool Inbox::take(std::uint32_t count, std::uint64_t& first) {
  std::uint64_t at = tail_.load(std::memory_order_relaxed);
  for (;;) {
    if ((at & kClosed) != 0) return false;
    if (at + count - seen_head_.load(std::memory_order_acquire) > capacity()) {
      const std::uint64_t now = look(head_);
      if (now > at) {  // others have been here since
        at = tail_.load(std::memory_order_acquire);
        continue;
      }
      if (at + count - now > capacity()) return false;
      seen_head_.store(now, std::memory_order_release);
    }
    if (tail_.compare_exchange_weak(at, at + count, std::memory_order_acq_rel, std::memory_order_relaxed))
      break;
  }
  first = at;
  return true;
}

void Inbox::write(std::uint64_t position, std::uint32_t ticket, const std::byte* message,
                  const Header& header) {
  std::uint64_t* const to = slot(position);
  const std::uint64_t above = (position + 1) << 32;
  if (is_tagged_) {
    std::uint32_t i = 1;
    if (header_bytes_ != 0) {
      for (const std::uint64_t word : {header.stamp, header.deadline}) {
        put_relaxed(to + i++, above | static_cast<std::uint32_t>(word));
        put_relaxed(to + i++, above | word >> 32);
      }
    }
    for (std::uint32_t left = message_bytes_; left != 0; ++i) {
      const std::uint32_t piece = left < 4 ? left : 4;
      std::uint32_t bits = 0;
      std::memcpy(&bits, message, piece);
      put_relaxed(to + i, above | bits);
      message += piece;
      left -= piece;
    }
    // Blocks read slots without knowing the actor's kind: all words of the longest one have the tag.
    for (; i <= words_; ++i) put_relaxed(to + i, above);
  } else {
    if (header_bytes_ != 0) {
      to[2] = header.stamp;
      to[3] = header.deadline;
    }
    std::memcpy(to + 2 + header_bytes_ / 8, message, message_bytes_);
  }
  put(to, above | ticket);
}

Header Inbox::header(std::uint64_t position) const {
  const std::uint64_t* const from = slot(position);
  if (header_bytes_ == 0) return {};
  if (!is_tagged_) return {from[2], from[3]};
  const auto half = [&](std::uint32_t i) { return look_relaxed(from + i) & 0xffffffff; };
  return {half(1) | half(2) << 32, half(3) | half(4) << 32};
}

std::uint32_t Inbox::ticket(std::uint64_t position) const {
  return static_cast<std::uint32_t>(look(slot(position)));
}

void Inbox::drop_ticket(std::uint64_t position) const { put(slot(position), (position + 1) << 32); }

bool Inbox::is_written(std::uint64_t position) const {
  return static_cast<std::uint32_t>(look(slot(position)) >> 32) == static_cast<std::uint32_t>(position + 1);
}

void Inbox::read(std::uint64_t position, std::byte* message) const {
  const std::uint64_t* const from = slot(position);
  if (!is_tagged_) {
    std::memcpy(message, from + 2 + header_bytes_ / 8, message_bytes_);
    return;
  }
  std::uint32_t left = message_bytes_;
  for (std::uint32_t i = 1 + header_bytes_ / 4; left != 0; ++i) {
    const std::uint32_t piece = left < 4 ? left : 4;
    const auto bits = static_cast<std::uint32_t>(look_relaxed(from + i));
    std::memcpy(message, &bits, piece);
    message += piece;
    left -= piece;
  }
}

}  // namespace quern::ring
