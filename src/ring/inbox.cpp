#include "ring/inbox.hpp"

#include <algorithm>
#include <cstring>

#include "ring/words.hpp"

namespace quern::ring {

void Inbox::start(std::uint64_t* slots, const std::uint64_t* head, std::uint32_t count, const Layout& layout,
                  std::uint32_t message_bytes) {
  slots_ = slots;
  head_ = head;
  mask_ = count - 1;
  slot_words_ = body_words_ = layout.slot_words;
  bodies_ = slots + 2;
  message_bytes_ = message_bytes;
  header_bytes_ = layout.header_bytes;
  words_ = (layout.message_bytes + 3) / 4;
  is_tagged_ = layout.is_tagged();
}

void Inbox::split(std::uint64_t* bodies) {
  bodies_ = bodies;
  body_words_ = slot_words_ - 2;
  slot_words_ = 1;
}

void start_inbox(Inbox& inbox, const Plan& plan, const Layout& layout, std::uint64_t* to_device,
                 std::size_t actor, const std::uint64_t* head, std::uint32_t message_bytes) {
  const std::size_t before = actor * plan.slots;
  std::uint64_t* const slots =
      to_device + layout.inbox_at + before * (layout.is_split ? 1 : layout.slot_words);
  inbox.start(slots, head, plan.slots, layout, message_bytes);
  if (!layout.is_split) return;
  inbox.split(to_device + layout.bodies_at + before * (layout.slot_words - 2));
  if (plan.is_marked) inbox.mark_in(to_device + actor * kLine + kControlMark);
}

std::uint64_t Inbox::head() const { return look(head_); }

bool Inbox::take(std::uint32_t count, std::uint64_t& first) {
  std::uint64_t at = tail_.load(std::memory_order_relaxed);
  for (;;) {
    if ((at & kClosed) != 0) return false;
    if (at + count - seen_head_.load(std::memory_order_acquire) > capacity()) {
      const std::uint64_t now = look(head_);
      if (now > at) {  // other threads were here since
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
    // Blocks read slots without knowing the actor's kind: all words of the longest kind are tagged.
    for (; i <= words_; ++i) put_relaxed(to + i, above);
  } else {
    std::uint64_t* const message_to = body(position);
    if (header_bytes_ != 0) {
      message_to[0] = header.stamp;
      message_to[1] = header.deadline;
    }
    std::memcpy(message_to + header_bytes_ / 8, message, message_bytes_);
  }
  put(to, above | ticket);
  if (mark_ != nullptr) advance_mark(position, 1, ticket);
}

// Everything it states is already true, so any thread may write it, and a smaller value may overwrite it.
void Inbox::advance_mark(std::uint64_t first, std::uint32_t count, std::uint32_t ticket) {
  constexpr std::uint32_t kFar = 1u << 30;
  const std::uint64_t mark = look(mark_);
  auto calls = static_cast<std::uint32_t>(mark >> 32);
  std::uint64_t end = first + count;
  if (static_cast<std::uint32_t>(mark) != static_cast<std::uint32_t>(first)) {
    end = written_from(mark, end, calls);
  } else if (ticket != 0) {
    calls = static_cast<std::uint32_t>(end);
  }
  // The device compares differences.
  if (static_cast<std::uint32_t>(end) - calls > kFar) calls = static_cast<std::uint32_t>(end) - kFar / 2;
  put(mark_, std::uint64_t{calls} << 32 | static_cast<std::uint32_t>(end));
}

// Another thread also sends: find how far messages are complete, starting at the mark.
std::uint64_t Inbox::written_from(std::uint64_t mark, std::uint64_t end, std::uint32_t& calls) const {
  std::uint64_t at =
      end - static_cast<std::uint32_t>(static_cast<std::uint32_t>(end) - static_cast<std::uint32_t>(mark));
  const std::uint64_t head = look(head_);
  if (at < head) at = head;
  if (end - at > capacity()) return at;  // another thread has already written more
  for (; at < end && is_written(at); ++at) {
    if (ticket(at) != 0) calls = static_cast<std::uint32_t>(at + 1);
  }
  return at;
}

// The size is known at compile time: a producer has a few nanoseconds per message. Stores retire in order,
// and a store to a missing line delays the following ones. So if first words are separate, the messages of a
// piece are written first and then its first words, eight per line.
template <std::size_t Bytes>
void Inbox::write_plain(std::uint64_t first, std::uint32_t count, std::uint32_t ticket,
                        const std::byte* messages) {
  constexpr std::uint32_t kPiece = 64;
  const std::uint32_t most = slot_words_ == 1 ? kPiece : 1;
  const std::uint64_t end = first + count;
  for (std::uint64_t from = first; from < end;) {
    const std::uint64_t to = std::min(end, from + most);
    for (std::uint64_t position = from; position < to; ++position) {
      std::memcpy(body(position), messages, Bytes);
      messages += Bytes;
    }
    for (; from < to; ++from) put(slot(from), (from + 1) << 32 | ticket);
  }
  if (mark_ != nullptr) advance_mark(first, count, ticket);
}

void Inbox::write_all(std::uint64_t first, std::uint32_t count, std::uint32_t ticket,
                      const std::byte* messages, const Header& header) {
  if (!is_tagged_ && header_bytes_ == 0) {
    switch (message_bytes_) {
      case 32: return write_plain<32>(first, count, ticket, messages);
      case 64: return write_plain<64>(first, count, ticket, messages);
      case 128: return write_plain<128>(first, count, ticket, messages);
      default: break;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i)
    write(first + i, ticket, messages + std::size_t{i} * message_bytes_, header);
}

Header Inbox::header(std::uint64_t position) const {
  const std::uint64_t* const from = slot(position);
  if (header_bytes_ == 0) return {};
  if (!is_tagged_) return {body(position)[0], body(position)[1]};
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
    std::memcpy(message, body(position) + header_bytes_ / 8, message_bytes_);
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
