// A device's memory pool: a few large driver buffers that are divided into allocations. Allocation and
// release are much faster than calls of the driver. Not thread-safe: the device's lock must be held.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "driver/interface/driver.hpp"
#include "runtime/blocks.hpp"

namespace quern::runtime {

// A range of a driver buffer.
struct Piece {
  driver::Buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint32_t slab = 0;
  uint32_t block = 0;
};

class Pool {
 public:
  // Larger allocations come directly from the driver, which can free them.
  static constexpr uint64_t kMostBytes = uint64_t{16} << 20;

  explicit Pool(driver::Device& device) : device_(device) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Whether allocations may share a driver buffer. They may if memory has addresses, except in a simulator,
  // which could not detect accesses outside an allocation.
  bool serves(uint64_t bytes, driver::MemoryKind kind) const;

  // Allocates from existing slabs; null buffer: no space.
  Piece take(uint64_t bytes, driver::MemoryKind kind);
  // Allocates from a new slab, of `most` bytes if that is enough.
  driver::Result<Piece> grow(uint64_t bytes, driver::MemoryKind kind, uint64_t most);
  void give(const Piece& piece);
  void trim();  // frees unused slabs

  uint64_t reserved_bytes() const { return reserved_; }  // from the driver
  uint64_t idle_bytes() const;                           // of these: unused
  uint64_t largest_free_bytes();                         // contiguous

 private:
  struct Slab {
    std::unique_ptr<driver::Buffer> buffer;  // null: freed
    size_t list = 0;                         // in blocks_
    bool is_single = false;                  // for one block, and freed if much memory is unused
  };
  static constexpr size_t kKinds = 6;
  // Small blocks have separate slabs: between large ones they would cause fragmentation.
  static constexpr uint64_t kSmall = 64 << 10;
  static size_t index(driver::MemoryKind kind) { return static_cast<size_t>(kind); }
  static size_t list(uint64_t bytes, driver::MemoryKind kind) {
    return 2 * index(kind) + (bytes > kSmall ? 1 : 0);
  }
  uint32_t place(bool is_single);  // index in slabs_ for a new slab
  static uint64_t slab_bytes(const Blocks& blocks, uint64_t least);
  // Whether more than 1/share of a pool that is not small is unused.
  static bool idles(const Blocks& blocks, uint64_t share);
  void drop(Slab& slab);

  driver::Device& device_;
  std::vector<Slab> slabs_;
  std::array<Blocks, 2 * kKinds> blocks_;  // of slabs for small and large blocks of each kind
  std::array<bool, kKinds> has_no_addresses_{};
  uint64_t reserved_ = 0;
};

}  // namespace quern::runtime
