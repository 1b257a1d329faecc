#include "runtime/pool.hpp"

#include <algorithm>

namespace quern::runtime {

using driver::MemoryKind;

namespace {

constexpr uint64_t kFirstSlab = uint64_t{2} << 20, kLargestSlab = uint64_t{256} << 20;

}  // namespace

Pool::~Pool() {
  for (Slab& slab : slabs_) {
    if (slab.buffer != nullptr) drop(slab);
  }
}

bool Pool::serves(uint64_t bytes, MemoryKind kind) const {
  return bytes <= kMostBytes && !has_no_addresses_[index(kind)] &&
         device_.info().kind != driver::DeviceKind::kSimulated;
}

Piece Pool::take(uint64_t bytes, MemoryKind kind) {
  const auto block = blocks_[list(bytes, kind)].take(bytes);
  if (!block) return {};
  return {slabs_[block->stretch].buffer.get(), block->offset, block->stretch, block->id};
}

// Each slab is a share of what is there: their number stays small, and so does what lies idle.
driver::Result<Piece> Pool::grow(uint64_t bytes, MemoryKind kind, uint64_t most) {
  Blocks& blocks = blocks_[list(bytes, kind)];
  const uint64_t share = blocks.bytes() / 32 / kFirstSlab * kFirstSlab;
  const uint64_t whole = (bytes + Blocks::kUnit - 1) / Blocks::kUnit * Blocks::kUnit;
  uint64_t size = std::clamp(std::max(share, whole), kFirstSlab, kLargestSlab);
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
  Slab slab{std::move(*buffer), list(bytes, kind)};
  const auto free =
      std::find_if(slabs_.begin(), slabs_.end(), [](const Slab& s) { return s.buffer == nullptr; });
  const auto at = static_cast<uint32_t>(free - slabs_.begin());
  if (free == slabs_.end()) {
    slabs_.push_back(std::move(slab));
  } else {
    *free = std::move(slab);
  }
  blocks.add(at, size);
  return take(bytes, kind);
}

void Pool::give(const Piece& piece) { blocks_[slabs_[piece.slab].list].give(piece.block); }

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
