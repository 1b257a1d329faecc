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
  for (const uint32_t at : by_kind_[index(kind)]) {
    const auto block = slabs_[at].blocks->take(bytes);
    if (block) return {slabs_[at].buffer.get(), block->offset, at, block->id};
  }
  return {};
}

// Each slab is a share of what is there: their number stays small, and so does what lies idle.
driver::Result<Piece> Pool::grow(uint64_t bytes, MemoryKind kind) {
  std::vector<uint32_t>& own = by_kind_[index(kind)];
  const uint64_t share = reserved_ / 16 / kFirstSlab * kFirstSlab;
  uint64_t size = std::clamp(std::max(share, bytes), kFirstSlab, kLargestSlab);
  const uint64_t most = device_.info().limits.buffer_bytes;
  if (most != 0) size = std::min(size, most / Blocks::kUnit * Blocks::kUnit);
  auto buffer = device_.allocate(size, kind);
  if (!buffer.ok()) return std::move(buffer).error();
  if ((*buffer)->address == 0) {
    has_no_addresses_[index(kind)] = true;
    device_.destroy(std::move(*buffer));
    return Piece{};
  }
  reserved_ += size;
  Slab slab{std::move(*buffer), std::make_unique<Blocks>(size)};
  const auto free =
      std::find_if(slabs_.begin(), slabs_.end(), [](const Slab& s) { return s.buffer == nullptr; });
  const auto at = static_cast<uint32_t>(free - slabs_.begin());
  if (free == slabs_.end()) {
    slabs_.push_back(std::move(slab));
  } else {
    *free = std::move(slab);
  }
  own.push_back(at);
  return take(bytes, kind);
}

void Pool::give(const Piece& piece) { slabs_[piece.slab].blocks->give(piece.block); }

void Pool::trim() {
  for (std::vector<uint32_t>& own : by_kind_) {
    std::erase_if(own, [this](uint32_t at) {
      if (slabs_[at].blocks->taken_bytes() != 0) return false;
      drop(slabs_[at]);
      return true;
    });
  }
}

void Pool::drop(Slab& slab) {
  reserved_ -= slab.blocks->bytes();
  slab.blocks.reset();
  device_.destroy(std::move(slab.buffer));
}

}  // namespace quern::runtime
