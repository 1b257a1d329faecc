// The host's side of one actor's ring: positions are taken, written, and given to the device by their first
// word. Any number of threads may send.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ring/layout.hpp"

namespace quern::ring {

// What travels before a message, where the layout has room for it.
struct Header {
  std::uint64_t stamp = 0, deadline = 0;
};

class Inbox {
 public:
  // `slots` and `head` are words of the blocks that host and device share. Each message is behind its first
  // word, as in the rings of peers and of urgent messages whatever the layout.
  void start(std::uint64_t* slots, const std::uint64_t* head, std::uint32_t count, const Layout& layout,
             std::uint32_t message_bytes);

  // `slots` are first words only, and the messages lie there.
  void split(std::uint64_t* bodies);

  // Says there how far the ring is written: below, the position before which everything is there; above, one
  // from which on nobody waits for a reply. True whoever sends, and up to date while one thread at a time
  // does.
  void mark_in(std::uint64_t* word) { mark_ = word; }

  // `count` positions in a row, from `first` on; false: there is no room for them.
  bool take(std::uint32_t count, std::uint64_t& first);
  void write(std::uint64_t position, std::uint32_t ticket, const std::byte* message, const Header& header);
  // The messages of `count` positions, which lie side by side.
  void write_all(std::uint64_t first, std::uint32_t count, std::uint32_t ticket, const std::byte* messages,
                 const Header& header);

  // Whether the message of a taken position is there; then it can be read.
  bool is_written(std::uint64_t position) const;
  void read(std::uint64_t position, std::byte* message) const;
  Header header(std::uint64_t position) const;
  std::uint32_t ticket(std::uint64_t position) const;

  // Nobody has to be told of what the message replies.
  void drop_ticket(std::uint64_t position) const;
  void start_at(std::uint64_t tail) { tail_.store(tail, std::memory_order_release); }

  std::uint32_t capacity() const { return mask_ + 1; }
  std::uint32_t message_bytes() const { return message_bytes_; }
  std::uint64_t tail() const { return tail_.load(std::memory_order_acquire) & ~kClosed; }
  // No more positions are given out, not even to threads that were about to take one.
  void close() { tail_.fetch_or(kClosed, std::memory_order_acq_rel); }
  bool is_closed() const { return (tail_.load(std::memory_order_acquire) & kClosed) != 0; }
  std::uint64_t head() const;
  // Its first word; the message is behind it, except where the layout is split.
  std::uint64_t* slot(std::uint64_t position) const {
    return slots_ + (static_cast<std::uint32_t>(position) & mask_) * std::size_t{slot_words_};
  }

 private:
  std::uint64_t* body(std::uint64_t position) const {
    return bodies_ + (static_cast<std::uint32_t>(position) & mask_) * std::size_t{body_words_};
  }
  void advance_mark(std::uint64_t first, std::uint32_t count, std::uint32_t ticket);
  std::uint64_t written_from(std::uint64_t mark, std::uint64_t end, std::uint32_t& calls) const;
  template <std::size_t Bytes>
  void write_plain(std::uint64_t first, std::uint32_t count, std::uint32_t ticket, const std::byte* messages);

  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 63;
  std::uint64_t* slots_ = nullptr;
  const std::uint64_t* head_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint64_t* bodies_ = nullptr;  // messages that are not tagged
  std::uint64_t* mark_ = nullptr;
  std::uint32_t slot_words_ = 0, body_words_ = 0;  // from one to the next
  std::uint32_t message_bytes_ = 0;
  std::uint32_t header_bytes_ = 0;
  std::uint32_t words_ = 0;  // of a tagged message, with its header, of the longest kind
  bool is_tagged_ = false;
  alignas(128) std::atomic<std::uint64_t> tail_{0};
  alignas(128) std::atomic<std::uint64_t> seen_head_{0};
};

// The ring of the `actor`-th of a group, in the host's block.
void start_inbox(Inbox& inbox, const Plan& plan, const Layout& layout, std::uint64_t* to_device,
                 std::size_t actor, const std::uint64_t* head, std::uint32_t message_bytes);

}  // namespace quern::ring
