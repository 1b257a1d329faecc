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

void Inbox::write(std::uint64_t position, std::uint32_t ticket, const std::byte* message) {
  std::uint64_t* const to = slot(position);
  const std::uint64_t above = (position + 1) << 32;
  if (is_tagged_) {
    std::uint32_t left = message_bytes_;
    for (std::uint32_t i = 1; left != 0; ++i) {
      const std::uint32_t piece = left < 4 ? left : 4;
      std::uint32_t bits = 0;
      std::memcpy(&bits, message, piece);
      put_relaxed(to + i, above | bits);
      message += piece;
      left -= piece;
    }
  } else {
    std::memcpy(to + 2, message, message_bytes_);
  }
  put(to, above | ticket);
}

bool Inbox::is_written(std::uint64_t position) const {
  return static_cast<std::uint32_t>(look(slot(position)) >> 32) == static_cast<std::uint32_t>(position + 1);
}

void Inbox::read(std::uint64_t position, std::byte* message) const {
  const std::uint64_t* const from = slot(position);
  if (!is_tagged_) {
    std::memcpy(message, from + 2, message_bytes_);
    return;
  }
  std::uint32_t left = message_bytes_;
  for (std::uint32_t i = 1; left != 0; ++i) {
    const std::uint32_t piece = left < 4 ? left : 4;
    const auto bits = static_cast<std::uint32_t>(look_relaxed(from + i));
    std::memcpy(message, &bits, piece);
    message += piece;
    left -= piece;
  }
}

}  // namespace quern::ring
