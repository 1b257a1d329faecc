#include "ring/replies.hpp"

#include <bit>
#include <cstring>

#include "ring/words.hpp"

namespace quern::ring {
namespace {

constexpr std::uint64_t kChange = std::uint64_t{1} << 32;

std::uint32_t tag(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

void Replies::start(std::uint64_t* slots, std::uint32_t count, std::uint32_t slot_words,
                    std::uint32_t stamp_at) {
  slots_ = slots;
  mask_ = count - 1;
  bits_ = static_cast<std::uint32_t>(std::countr_zero(count));
  slot_words_ = slot_words;
  stamp_at_ = stamp_at;
  own_ = std::make_unique<Slot[]>(count);
  for (std::uint32_t i = 0; i + 1 < count; ++i) own_[i].next.store(i + 2, std::memory_order_relaxed);
  free_.store(1, std::memory_order_release);
}

std::uint32_t Replies::take() {
  std::uint64_t top = free_.load(std::memory_order_acquire);
  for (;;) {
    const auto first = static_cast<std::uint32_t>(top);
    if (first == 0) return 0;
    const std::uint64_t next = own_[first - 1].next.load(std::memory_order_relaxed);
    const std::uint64_t above = (top & ~(kChange - 1)) + kChange;
    if (free_.compare_exchange_weak(top, above | next, std::memory_order_acq_rel)) {
      Slot& slot = own_[first - 1];
      // 0 is not a ticket: the generation of a slot is never a multiple of the ticket's range.
      const std::uint32_t most = ~std::uint32_t{0} >> bits_;
      const std::uint32_t before = slot.generation.load(std::memory_order_relaxed);
      const std::uint32_t generation = before == most ? 1 : before + 1;
      slot.generation.store(generation, std::memory_order_release);
      return generation << bits_ | (first - 1);
    }
  }
}

bool Replies::has_come(std::uint32_t ticket, std::uint32_t bytes) const {
  const std::uint64_t* const from = words(ticket);
  const std::uint32_t count = 1 + (bytes + 3) / 4;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (tag(look(from + i)) != ticket) return false;
  }
  return stamp_at_ == 0 ||
         (tag(look(from + stamp_at_)) == ticket && tag(look(from + stamp_at_ + 1)) == ticket);
}

void Replies::put_reply(std::uint32_t ticket, const std::uint64_t* from) const {
  std::uint64_t* const to = slots_ + std::size_t{number(ticket)} * slot_words_;
  for (std::uint32_t i = slot_words_; i-- > 0;) put(to + i, look(from + i));
}

bool Replies::is_void(std::uint32_t ticket) const {
  return own_[number(ticket)].void_ticket.load(std::memory_order_acquire) == ticket;
}

void Replies::make_void(std::uint32_t ticket) {
  own_[number(ticket)].void_ticket.store(ticket, std::memory_order_release);
}

std::uint32_t Replies::read(std::uint32_t ticket, std::byte* to, std::uint32_t bytes) const {
  const std::uint64_t* const from = words(ticket);
  for (std::uint32_t i = 1; bytes != 0; ++i) {
    const std::uint32_t piece = bytes < 4 ? bytes : 4;
    const auto bits = static_cast<std::uint32_t>(look_relaxed(from + i));
    std::memcpy(to, &bits, piece);
    to += piece;
    bytes -= piece;
  }
  return static_cast<std::uint32_t>(look_relaxed(from));
}

std::uint64_t Replies::stamp(std::uint32_t ticket) const {
  if (stamp_at_ == 0) return 0;
  const std::uint64_t* const from = words(ticket) + stamp_at_;
  return static_cast<std::uint32_t>(look_relaxed(from)) | look_relaxed(from + 1) << 32;
}

void Replies::give_back(std::uint32_t ticket) {
  const std::uint32_t own = number(ticket);
  std::uint64_t top = free_.load(std::memory_order_relaxed);
  for (;;) {
    own_[own].next.store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
    const std::uint64_t above = (top & ~(kChange - 1)) + kChange;
    if (free_.compare_exchange_weak(top, above | (own + 1), std::memory_order_acq_rel)) return;
  }
}

bool Replies::have_all_come() const {
  for (std::uint32_t i = 0; i <= mask_; ++i) {
    const std::uint32_t ticket = own_[i].generation.load(std::memory_order_acquire) << bits_ | i;
    if (tag(look(words(ticket))) != ticket) return false;
  }
  return true;
}

void Replies::abandon(std::uint32_t ticket, std::uint32_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  abandoned_.push_back({ticket, bytes});
}

void Replies::sweep(bool all) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(abandoned_, [&](const Abandoned& a) {
    const bool is_over = all || is_void(a.ticket) || has_come(a.ticket, a.bytes);
    if (is_over) give_back(a.ticket);
    return is_over;
  });
}

}  // namespace quern::ring
