// Suballocation: memory is allocated in large chunks, because native APIs allow few allocations, and each is
// slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.hpp"
#include "driver/support/owned.hpp"

namespace quern::driver {

// One native allocation. A driver derives a class that holds the native handle and releases it.
struct Chunk {
  Chunk() = default;
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  virtual ~Chunk() = default;

  uint64_t bytes = 0;
  uint64_t address = 0;                // 0 if the device has no addresses
  std::byte* host = nullptr;           // null if the host cannot access it
  std::map<uint64_t, uint64_t> holes;  // free ranges: offset and size in bytes
};

struct Piece {
  Chunk* chunk = nullptr;
  uint64_t offset = 0;
  uint64_t bytes = 0;  // size within the chunk, including padding

  uint64_t address() const { return chunk->address == 0 ? 0 : chunk->address + offset; }
  std::byte* host() const { return chunk->host == nullptr ? nullptr : chunk->host + offset; }
  bool operator==(const Piece&) const = default;
};

class Chunks;
struct GiveBack {
  void operator()(const Piece& piece) const;
  Chunks* pool = nullptr;
};
using OwnedPiece = Owned<Piece, GiveBack>;  // returned to the chunk by its destructor

class Chunks {
 public:
  using Make = std::function<base::Result<std::unique_ptr<Chunk>>(uint64_t bytes)>;

  Chunks(uint64_t most_bytes, Make make) : most_bytes_(most_bytes), make_(std::move(make)) {}

  base::Result<Piece> take(uint64_t bytes);
  base::Result<OwnedPiece> take_owned(uint64_t bytes) {
    QUERN_TRY_ASSIGN(const Piece piece, take(bytes));
    return OwnedPiece(piece, {this});
  }
  void give(const Piece& piece);
  // Returns the piece that contains the host pointer; its chunk is null if there is none.
  Piece find(const void* host, uint64_t bytes);

 private:
  base::Result<Chunk*> grow(uint64_t bytes);

  const uint64_t most_bytes_;
  const Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

// A piece of memory that is in no pool has none.
inline void GiveBack::operator()(const Piece& piece) const {
  if (pool != nullptr) pool->give(piece);
}

}  // namespace quern::driver
