#include "driver/support/chunks.hpp"

#include <algorithm>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "driver/support/messages.hpp"

namespace quern::driver {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint64_t kAlignment = 256;  // of new memory: as cudaMalloc guarantees, and enough for descriptors
constexpr uint64_t kUsualBytes = 64 << 20;

Piece cut(Chunk& chunk, uint64_t size) {
  const auto hole =
      std::find_if(chunk.holes.begin(), chunk.holes.end(), [&](const auto& h) { return h.second >= size; });
  if (hole == chunk.holes.end()) return {};
  const uint64_t at = hole->first, left = hole->second - size;
  chunk.holes.erase(hole);
  if (left != 0) chunk.holes.emplace(at + size, left);
  return {&chunk, at, size};
}

}  // namespace

// A request for at least half of a chunk gets its own chunk, which is released with it.
base::Result<Chunk*> Chunks::grow(uint64_t bytes) {
  const uint64_t usual =
      std::min(kUsualBytes, std::max(base::round_up(most_bytes_ / 32, kAlignment), kAlignment));
  if (bytes > most_bytes_)
    return Error(ErrorKind::out_of_memory,
                 message::kAllocationTooLarge(base::format_bytes(bytes), base::format_bytes(most_bytes_)));
  const uint64_t size = bytes > usual / 2 ? bytes : usual;
  auto chunk = make_(size);
  if (!chunk.ok()) return std::move(chunk).error().add_context("allocating " + base::format_bytes(size));
  (*chunk)->bytes = size;
  (*chunk)->holes.emplace(0, size);
  chunks_.push_back(std::move(*chunk));
  return chunks_.back().get();
}

base::Result<Piece> Chunks::take(uint64_t bytes) {
  const uint64_t size = base::round_up(std::max<uint64_t>(bytes, 1), kAlignment);
  const std::lock_guard lock(mutex_);
  for (const auto& chunk : chunks_) {
    if (const Piece piece = cut(*chunk, size); piece.chunk != nullptr) return piece;
  }
  QUERN_TRY_ASSIGN(Chunk* const chunk, grow(size));
  return cut(*chunk, size);
}

void Chunks::give(const Piece& piece) {
  if (piece.chunk == nullptr) return;
  const std::lock_guard lock(mutex_);
  Chunk& chunk = *piece.chunk;
  auto hole = chunk.holes.emplace(piece.offset, piece.bytes).first;
  const auto join = [&](auto first, auto second) {
    if (first->first + first->second != second->first) return false;
    first->second += second->second;
    chunk.holes.erase(second);
    return true;
  };
  if (const auto next = std::next(hole); next != chunk.holes.end()) join(hole, next);
  if (hole != chunk.holes.begin()) {
    if (const auto before = std::prev(hole); join(before, hole)) hole = before;
  }
  if (hole->second != chunk.bytes || chunks_.size() == 1) return;
  std::erase_if(chunks_, [&](const auto& c) { return c.get() == &chunk; });
}

Piece Chunks::find(const void* host, uint64_t bytes) {
  const auto* at = static_cast<const std::byte*>(host);
  const std::less_equal<> no_later;  // total order of pointers
  const std::lock_guard lock(mutex_);
  for (const auto& chunk : chunks_) {
    if (chunk->host != nullptr && no_later(chunk->host, at) &&
        no_later(at + bytes, chunk->host + chunk->bytes))
      return {chunk.get(), static_cast<uint64_t>(at - chunk->host), bytes};
  }
  return {};
}

}  // namespace quern::driver
