// The reply slots of a group. A call takes one; its number and generation form the ticket, which the message
// carries and the device writes with the reply.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace quern::ring {

class Replies {
 public:
  // `stamp_at`: the index of a reply's stamp word; 0: none.
  void start(std::uint64_t* slots, std::uint32_t count, std::uint32_t slot_words, std::uint32_t stamp_at);

  std::uint32_t take();  // a ticket; 0: all slots are in use
  bool has_come(std::uint32_t ticket, std::uint32_t bytes) const;
  // Whether somebody may still wait for it.
  bool is_wanted(std::uint32_t ticket, std::uint32_t bytes) const {
    return own_[number(ticket)].generation.load(std::memory_order_acquire) == ticket >> bits_ &&
           !has_come(ticket, bytes);
  }
  // Stores a reply that the device has written elsewhere.
  void put_reply(std::uint32_t ticket, const std::uint64_t* words) const;
  bool is_void(std::uint32_t ticket) const;  // there will be no reply: its message was dropped
  void make_void(std::uint32_t ticket);
  // After has_come: copies the reply and returns the code of context.fail(), 0 for none.
  std::uint32_t read(std::uint32_t ticket, std::byte* to, std::uint32_t bytes) const;
  std::uint64_t stamp(std::uint32_t ticket) const;  // after has_come
  void give_back(std::uint32_t ticket);
  // The reply is not needed any more; its slot is freed when the reply has arrived.
  void abandon(std::uint32_t ticket, std::uint32_t bytes);
  bool have_all_come() const;  // the replies of all slots, if none is free
  // Frees abandoned slots whose replies have arrived, or all of them if none can arrive any more.
  void sweep(bool all);

 private:
  struct Slot {
    std::atomic<std::uint32_t> next{0};        // 1 + the number of the next free slot
    std::atomic<std::uint32_t> generation{0};  // of the slot's current owner
    std::atomic<std::uint32_t> void_ticket{0};
  };
  struct Abandoned {
    std::uint32_t ticket, bytes;
  };
  std::uint32_t number(std::uint32_t ticket) const { return ticket & mask_; }
  const std::uint64_t* words(std::uint32_t ticket) const {
    return slots_ + std::size_t{number(ticket)} * slot_words_;
  }

  std::uint64_t* slots_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t bits_ = 0;
  std::uint32_t slot_words_ = 0, stamp_at_ = 0;
  std::unique_ptr<Slot[]> own_;
  alignas(128) std::atomic<std::uint64_t> free_{
      0};  // low: 1 + number of the first free slot; high: a modification count
  std::mutex mutex_;
  std::vector<Abandoned> abandoned_;
};

}  // namespace quern::ring
