// Copies. Memory that the host sees is written and read directly while nothing of the queue is in flight;
// else copies go through staging memory, in the order of the queue.
#include <algorithm>
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
  const Piece direct = host_pool_->find(from, bytes);
  if (direct.chunk == nullptr) return upload_staged(q, to, static_cast<const std::byte*>(from), bytes);
  QUERN_TRY_ASSIGN(Slot* const slot, begin(q, bytes));
  add_copy(*slot, target, to.offset, direct, 0, bytes);
  return submit(q, *slot);
}

// In pieces, of which one is packed while those before travel.
Result<> Device::upload_staged(Queue& queue, driver::Place to, const std::byte* from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += driver::kStagedPiece) {
    const uint64_t size = std::min<uint64_t>(driver::kStagedPiece, bytes - at);
    QUERN_TRY_ASSIGN(Slot* const slot, begin(queue, bytes));
    QUERN_TRY_ASSIGN(const Piece source, host_pool_->take(size));
    slot->staging.push_back(source);
    packers_.copy(source.host(), from + at, size);
    add_copy(*slot, piece_of(to), to.offset + at, source, 0, size);
    QUERN_TRY(submit(queue, *slot));
  }
  return {};
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
  const Piece direct = host_pool_->find(to, bytes);
  if (direct.chunk == nullptr) return download_staged(q, static_cast<std::byte*>(to), from, bytes);
  QUERN_TRY_ASSIGN(Slot* const slot, begin(q, bytes));
  add_copy(*slot, direct, 0, source, from.offset, bytes);
  return submit(q, *slot, true);
}

// In pieces, which whoever waits for the queue unpacks as they come.
Result<> Device::download_staged(Queue& queue, std::byte* to, driver::Place from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += driver::kStagedPiece) {
    const uint64_t size = std::min<uint64_t>(driver::kStagedPiece, bytes - at);
    QUERN_TRY_ASSIGN(Slot* const slot, begin(queue, bytes));
    QUERN_TRY_ASSIGN(const Piece target, host_pool_->take(size));
    add_copy(*slot, target, 0, piece_of(from), from.offset + at, size);
    if (auto submitted = submit(queue, *slot, true); !submitted.ok()) {
      host_pool_->give(target);
      return submitted;
    }
    const std::lock_guard lock(copies_mutex_);
    copies_.push_back({queue.timeline, queue.last, to + at, target, size});
    ++copy_count_;
  }
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
    packers_.copy(copy->to, copy->from.host(), copy->bytes);
    host_pool_->give(copy->from);
    copy = copies_.erase(copy);
    --copy_count_;
  }
  return {};
}

// Until the timeline has come to `value`; what the host gets on the way there is copied meanwhile.
Result<> Device::wait_copying(Timeline& timeline, uint64_t value) {
  for (;;) {
    uint64_t next = value;
    if (copy_count_ != 0) {
      const std::lock_guard lock(copies_mutex_);
      for (const HostCopy& copy : copies_) {
        if (copy.timeline.get() == &timeline) next = std::min(next, copy.value);
      }
    }
    QUERN_TRY(timeline.wait(next));
    QUERN_TRY(finish_host_copies());
    if (next == value) return {};
  }
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
