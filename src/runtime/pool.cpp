#include "runtime/pool.hpp"

#include <algorithm>

namespace quern::runtime {

using driver::MemoryKind;

namespace {

constexpr uint64_t kFirstSlab = uint64_t{2} << 20, kLargestSlab = uint64_t{256} << 20;
constexpr uint64_t kSmallSlab = uint64_t{1} << 20;  // for small blocks, which waste no space at its end
// Above this size, the unused share of a pool is limited.
constexpr uint64_t kLargePool = uint64_t{32} << 20;

}  // namespace

Pool::~Pool() {
  for (Slab& slab : slabs_) {
    if (slab.buffer != nullptr) drop(slab);
  }
}

bool Pool::serves(uint64_t bytes, MemoryKind kind) const {
  return bytes <= kMostBytes && !has_no_addresses_[index(kind)] &&
         device_.info().kind != driver::DeviceKind::simulated;
}

Piece Pool::take(uint64_t bytes, MemoryKind kind) {
  const auto block = blocks_[list(bytes, kind)].take(bytes);
  if (!block) return {};
  return {slabs_[block->stretch].buffer.get(), block->offset, block->stretch, block->id};
}

// A slab's size is proportional to the pool, so that the number of slabs and the unused memory stay small. If
// much memory is unused and none of it fits, a large block gets its own slab, which is freed with the block.
// This limits fragmentation.
driver::Result<Piece> Pool::grow(uint64_t bytes, MemoryKind kind, uint64_t most) {
  Blocks& blocks = blocks_[list(bytes, kind)];
  const uint64_t whole = (bytes + Blocks::kUnit - 1) / Blocks::kUnit * Blocks::kUnit;
  const bool is_single = bytes > kSmall && idles(blocks, 24);
  uint64_t size = is_single ? whole : slab_bytes(blocks, whole);
  if (device_.info().limits.buffer_bytes != 0) most = std::min(most, device_.info().limits.buffer_bytes);
  size = std::min(size, most / Blocks::kUnit * Blocks::kUnit);
  if (size < bytes) return Piece{};
  auto buffer = device_.allocate(size, kind);
  if (!buffer.ok()) return std::move(buffer).error();
  if ((*buffer)->address == 0) {
    has_no_addresses_[index(kind)] = true;
    device_.destroy(std::move(*buffer));
    return Piece{};
  }
  reserved_ += size;
  const uint32_t at = place(is_single);
  slabs_[at] = {std::move(*buffer), list(bytes, kind), is_single};
  blocks.add(at, size);
  return take(bytes, kind);
}

// Blocks are allocated from the lowest slabs first, so that the highest ones become free.
uint32_t Pool::place(bool is_single) {
  while (!slabs_.empty() && slabs_.back().buffer == nullptr) slabs_.pop_back();
  const auto free =
      std::find_if(slabs_.begin(), slabs_.end(), [](const Slab& s) { return s.buffer == nullptr; });
  if (!is_single && free != slabs_.end()) return static_cast<uint32_t>(free - slabs_.begin());
  slabs_.emplace_back();
  return static_cast<uint32_t>(slabs_.size() - 1);
}

uint64_t Pool::slab_bytes(const Blocks& blocks, uint64_t least) {
  if (least <= kSmall) return std::max(kSmallSlab, blocks.bytes() / 32 / kSmallSlab * kSmallSlab);
  const uint64_t share = blocks.bytes() / 32 / kFirstSlab * kFirstSlab;
  return std::clamp(std::max(share, least), kFirstSlab, kLargestSlab);
}

bool Pool::idles(const Blocks& blocks, uint64_t share) {
  return blocks.bytes() > kLargePool && (blocks.bytes() - blocks.taken_bytes()) > blocks.bytes() / share;
}

void Pool::give(const Piece& piece) {
  Slab& slab = slabs_[piece.slab];
  Blocks& blocks = blocks_[slab.list];
  blocks.give(piece.block);
  if (slab.is_single && idles(blocks, 16) && blocks.remove(piece.slab)) drop(slab);
}

void Pool::trim() {
  for (uint32_t at = 0; at < slabs_.size(); ++at) {
    Slab& slab = slabs_[at];
    if (slab.buffer != nullptr && blocks_[slab.list].remove(at)) drop(slab);
  }
}

uint64_t Pool::idle_bytes() const {
  uint64_t sum = 0;
  for (const Blocks& blocks : blocks_) sum += blocks.bytes() - blocks.taken_bytes();
  return sum;
}

uint64_t Pool::largest_free_bytes() {
  uint64_t most = 0;
  for (Blocks& blocks : blocks_) most = std::max(most, blocks.largest_free_bytes());
  return most;
}

void Pool::drop(Slab& slab) {
  reserved_ -= slab.buffer->bytes;
  device_.destroy(std::move(slab.buffer));
}

}  // namespace quern::runtime
