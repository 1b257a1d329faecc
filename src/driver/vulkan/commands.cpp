// The commands of a queue, single or as a graph: in one submission, each followed by a barrier. Host-visible
// memory is accessed directly while the queue has no work in flight; else copies go through staging memory,
// in queue order.
#include <algorithm>
#include <cstring>

#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

namespace {

constexpr uint64_t kLargeCopy = 1 << 20;  // worth using the transfer queue

// Not for copies within device memory, which are likely faster on the compute queue (docs/vulkan.md).
bool is_large_copy(const Command& c) {
  return c.bytes >= kLargeCopy && (c.kind == Command::Kind::kUpload || c.kind == Command::Kind::kDownload);
}

// Memory outside of the pools may be exclusive to the queue family that computes.
bool is_in_pool(const Command& c) {
  const driver::Place place = c.kind == Command::Kind::kUpload ? c.to : c.from;
  return static_cast<const Buffer&>(*place.buffer).outside == nullptr;
}

}  // namespace

Result<> Device::run(driver::Stream& stream, std::span<const Command> commands) {
  Stream& q = as_stream(stream);
  const bool is_apart = q.copies.native != nullptr && commands.size() == 1 && is_large_copy(commands[0]) &&
                        is_in_pool(commands[0]);
  Lane& lane = is_apart ? q.copies : q.work;
  QUERN_TRY_ASSIGN(Slot* const slot, begin(q, lane));
  for (const Command& c : commands) {
    QUERN_TRY(add(q, *slot, c));
    add_barrier(lane, *slot, c.kind == Command::Kind::kDownload);
  }
  QUERN_TRY(submit(q, lane, *slot));
  if (slot->arrivals.empty()) return {};
  const std::lock_guard lock(copies_mutex_);
  for (HostCopy& c : slot->arrivals) {
    c.when = {q.timeline, q.last};
    copies_.push_back(std::move(c));
  }
  slot->arrivals.clear();
  return {};
}

Result<> Device::add(Stream& stream, Slot& slot, const Command& c) {
  switch (c.kind) {
    case Command::Kind::kLaunch: {
      auto& kernel = static_cast<Kernel&>(*c.kernel);
      if (driver::reports(kernel.info)) stream.device_log->expect(kernel.program->report);
      return add_launch(slot, kernel, c.launch);
    }
    case Command::Kind::kUpload: {
      Piece from = host_pool_->find(c.source, c.bytes);
      if (from.chunk == nullptr) {
        QUERN_TRY_ASSIGN(from, stage(slot, c.bytes));
        staging_copier_.pack(from.host(), static_cast<const std::byte*>(c.source), c.bytes);
      }
      add_copy(slot, piece_of(c.to), c.to.offset, from, 0, c.bytes);
      return {};
    }
    case Command::Kind::kDownload: {
      Piece to = host_pool_->find(c.target, c.bytes);
      if (to.chunk == nullptr) {
        QUERN_TRY_ASSIGN(OwnedPiece own, host_pool_->take_owned(c.bytes));
        to = own.get();
        slot.arrivals.push_back({static_cast<std::byte*>(c.target), std::move(own), c.bytes, {}});
      }
      add_copy(slot, to, 0, piece_of(c.from), c.from.offset, c.bytes);
      return {};
    }
    case Command::Kind::kCopy:
      add_copy(slot, piece_of(c.to), c.to.offset, piece_of(c.from), c.from.offset, c.bytes);
      return {};
    case Command::Kind::kFill: return add_fill(slot, c);
  }
  return {};
}

void Device::add_copy(const Slot& slot, const Piece& to, uint64_t to_offset, const Piece& from,
                      uint64_t from_offset, uint64_t bytes) {
  const BufferCopy region{from.offset + from_offset, to.offset + to_offset, bytes};
  api_.vkCmdCopyBuffer(slot.commands, handle_of(from), handle_of(to), 1, &region);
}

// vkCmdFillBuffer writes one repeated 32-bit word. Other fills are copied from a stretch of the pattern.
Result<> Device::add_fill(Slot& slot, const Command& c) {
  uint64_t pattern = c.value;
  for (uint32_t bits = c.width * 8; bits < 64; bits *= 2) {
    pattern &= (uint64_t{1} << bits) - 1;
    pattern |= pattern << bits;
  }
  const auto word = static_cast<uint32_t>(pattern);
  const Piece& to = piece_of(c.to);
  if (c.to.offset % 4 == 0 && c.bytes % 4 == 0 && pattern >> 32 == word) {
    api_.vkCmdFillBuffer(slot.commands, handle_of(to), to.offset + c.to.offset, c.bytes, word);
    return {};
  }
  constexpr uint64_t kStretch = 1 << 20;
  QUERN_TRY_ASSIGN(const Piece from, stage(slot, std::min(c.bytes, kStretch)));
  for (uint64_t i = 0; i < from.bytes; i += sizeof pattern)
    std::memcpy(from.host() + i, &pattern, sizeof pattern);
  for (uint64_t done = 0; done < c.bytes; done += kStretch)
    add_copy(slot, to, c.to.offset + done, from, 0, std::min(c.bytes - done, kStretch));
  return {};
}

void Device::add_barrier(const Lane& lane, const Slot& slot, bool for_host) {
  const uint32_t stages = lane.only_copies ? kPipeTransfer : kPipeCompute | kPipeTransfer;
  const bool host = for_host || host_looks_.load(std::memory_order_relaxed);
  const MemoryBarrier barrier{.from = kWriteTransfer | (lane.only_copies ? 0u : kWriteShader),
                              .to = kReadTransfer | kWriteTransfer |
                                    (lane.only_copies ? 0u : kReadShader | kWriteShader) |
                                    (host ? kReadHost | kWriteHost : 0u)};
  api_.vkCmdPipelineBarrier(slot.commands, stages, stages | (host ? kPipeHost : 0u), 0, 1, &barrier, 0,
                            nullptr, 0, nullptr);
}

Result<Piece> Device::stage(Slot& slot, uint64_t bytes) {
  QUERN_TRY_ASSIGN(slot.staging.emplace_back(), host_pool_->take_owned(bytes));
  return slot.staging.back().get();
}

// If it is host-visible, and the queue has no work in flight.
Result<std::byte*> Device::touch(driver::Stream& stream, driver::Place place) {
  std::byte* const seen = piece_of(place).host();
  if (seen == nullptr) return seen;
  const Stream& q = as_stream(stream);
  QUERN_TRY_ASSIGN(bool is_idle, q.timeline->has_reached(q.last));
  for (size_t i = 0; i < q.waits.size() && is_idle; ++i) {
    QUERN_TRY_ASSIGN(is_idle, q.waits[i].timeline->has_reached(q.waits[i].value));
  }
  if (!is_idle) return nullptr;
  QUERN_TRY(finish_host_copies());  // earlier downloads to the same host memory
  return seen + place.offset;
}

// If staging memory is needed, one piece is filled while the previous ones are transferred.
uint64_t Device::piece_bytes(const Command& copy) {
  const void* const host = copy.kind == Command::Kind::kUpload ? copy.source : copy.target;
  return host_pool_->find(host, copy.bytes).chunk != nullptr ? copy.bytes : driver::kStagedPiece;
}

// A thread that sees one queue reach a point may infer the progress of other queues: all completed downloads
// are therefore finished here.
Result<> Device::finish_host_copies() {
  const std::lock_guard lock(copies_mutex_);
  for (auto copy = copies_.begin(); copy != copies_.end();) {
    QUERN_TRY_ASSIGN(const bool is_done, copy->when.timeline->has_reached(copy->when.value));
    if (!is_done) {
      ++copy;
      continue;
    }
    staging_copier_.copy(copy->to, copy->from.get().host(), copy->bytes);
    copy = copies_.erase(copy);
  }
  return {};
}

// Downloads that complete on the way are copied meanwhile.
Result<> Device::wait_copying(const Point& until) {
  for (;;) {
    uint64_t next = until.value;
    {
      const std::lock_guard lock(copies_mutex_);
      for (const HostCopy& copy : copies_) {
        if (copy.when.timeline == until.timeline) next = std::min(next, copy.when.value);
      }
    }
    QUERN_TRY(until.timeline->wait(next));
    QUERN_TRY(finish_host_copies());
    if (next == until.value) return {};
  }
}

Result<std::unique_ptr<driver::Graph>> Device::make_graph(std::span<const Command> commands) {
  return make_submitted_graph(commands);
}

}  // namespace quern::vulkan
