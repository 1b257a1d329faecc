// The host's side of one actor's ring: positions are reserved, written, and published to the device by their
// first word. Any number of threads may send.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ring/layout.hpp"

namespace quern::ring {

// The header of a message, if the layout has space for it.
struct Header {
  std::uint64_t stamp = 0, deadline = 0;
};

class Inbox {
 public:
  // `slots` and `head` are words of the blocks that host and device share. Each message follows its first
  // word, as always in the rings of peers and of urgent messages.
  void start(std::uint64_t* slots, const std::uint64_t* head, std::uint32_t count, const Layout& layout,
             std::uint32_t message_bytes);

  // `slots` contains first words only; the messages are in `bodies`.
  void split(std::uint64_t* bodies);

  // Publishes how far the ring is written: the lower word is the position before which all messages are
  // complete, the upper one a position from which on no reply is expected. Always true, and up to date while
  // only one thread at a time sends.
  void mark_in(std::uint64_t* word) { mark_ = word; }

  // Reserves `count` consecutive positions, starting at `first`; false: no space.
  bool take(std::uint32_t count, std::uint64_t& first);
  void write(std::uint64_t position, std::uint32_t ticket, const std::byte* message, const Header& header);
  // The messages of `count` consecutive positions.
  void write_all(std::uint64_t first, std::uint32_t count, std::uint32_t ticket, const std::byte* messages,
                 const Header& header);

  // Whether the message of a reserved position is complete; then it can be read.
  bool is_written(std::uint64_t position) const;
  void read(std::uint64_t position, std::byte* message) const;
  Header header(std::uint64_t position) const;
  std::uint32_t ticket(std::uint64_t position) const;

  // No reply to the message needs to be delivered.
  void drop_ticket(std::uint64_t position) const;
  void start_at(std::uint64_t tail) { tail_.store(tail, std::memory_order_release); }

  std::uint32_t capacity() const { return mask_ + 1; }
  std::uint32_t message_bytes() const { return message_bytes_; }
  std::uint64_t tail() const { return tail_.load(std::memory_order_acquire) & ~kClosed; }
  // Stops the reservation of positions, also by threads that are about to reserve one.
  void close() { tail_.fetch_or(kClosed, std::memory_order_acq_rel); }
  bool is_closed() const { return (tail_.load(std::memory_order_acquire) & kClosed) != 0; }
  std::uint64_t head() const;
  // Its first word; the message follows it, unless the layout is split.
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
  std::uint32_t slot_words_ = 0, body_words_ = 0;  // stride
  std::uint32_t message_bytes_ = 0;
  std::uint32_t header_bytes_ = 0;
  std::uint32_t words_ = 0;  // of a tagged message, with its header, of the longest kind
  bool is_tagged_ = false;
  alignas(128) std::atomic<std::uint64_t> tail_{0};
  alignas(128) std::atomic<std::uint64_t> seen_head_{0};
};

// The ring of the `actor`-th actor of a group, in the host's block.
void start_inbox(Inbox& inbox, const Plan& plan, const Layout& layout, std::uint64_t* to_device,
                 std::size_t actor, const std::uint64_t* head, std::uint32_t message_bytes);

}  // namespace quern::ring
