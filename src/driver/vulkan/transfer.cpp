// Copies. Memory that the host sees is written and read directly while nothing of the queue is in flight;
// else copies go through staging memory, in the order of the queue.
#include <cstring>

#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

namespace {

Queue& as_queue(driver::Queue& queue) { return static_cast<Queue&>(queue); }

}  // namespace

Result<bool> Device::is_idle(Queue& queue) {
  QUERN_TRY_ASSIGN(bool idle, queue.timeline->has_reached(queue.last));
  for (size_t i = 0; i < queue.waits.size() && idle; ++i) {
    QUERN_TRY_ASSIGN(idle, queue.waits[i]->has_reached(queue.wait_values[i]));
  }
  return idle;
}

void Device::add_copy(const Slot& slot, const Piece& to, uint64_t to_offset, const Piece& from,
                      uint64_t from_offset, uint64_t bytes) {
  const BufferCopy region{from.offset + from_offset, to.offset + to_offset, bytes};
  api_.vkCmdCopyBuffer(slot.commands, handle_of(from), handle_of(to), 1, &region);
}

// Vulkan fills whole words, all with the same one.
std::optional<uint32_t> Device::fill_word(driver::Place to, uint64_t value, uint32_t width, uint64_t bytes) {
  uint64_t pattern = value;
  for (uint32_t bits = width * 8; bits < 64; bits *= 2) {
    pattern &= (uint64_t{1} << bits) - 1;
    pattern |= pattern << bits;
  }
  const auto word = static_cast<uint32_t>(pattern);
  if (to.offset % 4 != 0 || bytes % 4 != 0 || pattern >> 32 != word) return std::nullopt;
  return word;
}

Result<> Device::upload(driver::Queue& queue, driver::Place to, const void* from, uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  Queue& q = as_queue(queue);
  const Piece& target = piece_of(to);
  if (target.host() != nullptr) {
    QUERN_TRY_ASSIGN(const bool idle, is_idle(q));
    if (idle) {
      std::memcpy(target.host() + to.offset, from, bytes);
      return {};
    }
  }
  QUERN_TRY_ASSIGN(Slot* const slot, begin(q, bytes));
  Piece source = host_pool_->find(from, bytes);
  if (source.chunk == nullptr) {
    QUERN_TRY_ASSIGN(source, host_pool_->take(bytes));
    slot->staging.push_back(source);
    std::memcpy(source.host(), from, bytes);
  }
  add_copy(*slot, target, to.offset, source, 0, bytes);
  return submit(q, *slot);
}

Result<> Device::download(driver::Queue& queue, void* to, driver::Place from, uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  Queue& q = as_queue(queue);
  const Piece& source = piece_of(from);
  if (source.host() != nullptr) {
    QUERN_TRY_ASSIGN(const bool idle, is_idle(q));
    if (idle) {
      QUERN_TRY(finish_host_copies());  // earlier ones to the same place
      std::memcpy(to, source.host() + from.offset, bytes);
      return {};
    }
  }
  QUERN_TRY_ASSIGN(Slot* const slot, begin(q, bytes));
  const Piece direct = host_pool_->find(to, bytes);
  Piece target = direct;
  if (direct.chunk == nullptr) {
    QUERN_TRY_ASSIGN(target, host_pool_->take(bytes));
  }
  add_copy(*slot, target, 0, source, from.offset, bytes);
  auto submitted = submit(q, *slot, true);
  if (direct.chunk != nullptr) return submitted;
  if (!submitted.ok()) {
    host_pool_->give(target);
    return submitted;
  }
  const std::lock_guard lock(copies_mutex_);
  copies_.push_back({q.timeline, q.last, to, target, bytes});
  ++copy_count_;
  return {};
}

// Whoever learns that some queue has come to a point may know by that of others behind it: all that is done
// is finished here.
Result<> Device::finish_host_copies() {
  if (copy_count_ == 0) return {};
  const std::lock_guard lock(copies_mutex_);
  for (auto copy = copies_.begin(); copy != copies_.end();) {
    QUERN_TRY_ASSIGN(const bool is_done, copy->timeline->has_reached(copy->value));
    if (!is_done) {
      ++copy;
      continue;
    }
    std::memcpy(copy->to, copy->from.host(), copy->bytes);
    host_pool_->give(copy->from);
    copy = copies_.erase(copy);
    --copy_count_;
  }
  return {};
}

Result<> Device::copy(driver::Queue& queue, driver::Place to, driver::Place from, uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  QUERN_TRY_ASSIGN(Slot* const slot, begin(as_queue(queue), bytes));
  add_copy(*slot, piece_of(to), to.offset, piece_of(from), from.offset, bytes);
  return submit(as_queue(queue), *slot);
}

Result<> Device::fill(driver::Queue& queue, driver::Place to, uint64_t value, uint32_t width,
                      uint64_t bytes) {
  QUERN_TRY(alive());
  if (bytes == 0) return {};
  const std::optional<uint32_t> word = fill_word(to, value, width, bytes);
  if (!word) return driver::Device::fill(queue, to, value, width, bytes);
  const Piece& target = piece_of(to);
  QUERN_TRY_ASSIGN(Slot* const slot, begin(as_queue(queue)));
  api_.vkCmdFillBuffer(slot->commands, handle_of(target), target.offset + to.offset, bytes, *word);
  return submit(as_queue(queue), *slot);
}

}  // namespace quern::vulkan
