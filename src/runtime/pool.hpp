// The memory of a device in few large buffers of the driver's, of which allocations are parts: taking one and
// giving it back costs far less than asking the driver. Not for several threads at once: the device's lock is
// held.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "driver/interface/driver.hpp"
#include "runtime/blocks.hpp"

namespace quern::runtime {

// A part of a driver's buffer.
struct Piece {
  driver::Buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint32_t slab = 0;
  uint32_t block = 0;
};

class Pool {
 public:
  // Larger ones are better had from the driver, which can give them back.
  static constexpr uint64_t kMostBytes = uint64_t{16} << 20;

  explicit Pool(driver::Device& device) : device_(device) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Whether parts of buffers are as good as buffers: they are where memory has addresses, but a simulator
  // would not see when a kernel leaves its part.
  bool serves(uint64_t bytes, driver::MemoryKind kind) const;

  // From what it has; null buffer: it has no room.
  Piece take(uint64_t bytes, driver::MemoryKind kind);
  // From a new slab, of `most` bytes if that is enough.
  driver::Result<Piece> grow(uint64_t bytes, driver::MemoryKind kind, uint64_t most);
  void give(const Piece& piece);
  void trim();  // gives back slabs that nobody uses

  uint64_t reserved_bytes() const { return reserved_; }  // of the driver
  uint64_t idle_bytes() const;                           // of these: nobody has them
  uint64_t largest_free_bytes();                         // in one piece

 private:
  struct Slab {
    std::unique_ptr<driver::Buffer> buffer;  // null: given back
    size_t list = 0;                         // in blocks_
    bool is_single = false;                  // made for one block, and given back when much is idle
  };
  static constexpr size_t kKinds = 6;
  // Small ones lie apart: between large ones they would keep these from becoming one again.
  static constexpr uint64_t kSmall = 64 << 10;
  static size_t index(driver::MemoryKind kind) { return static_cast<size_t>(kind); }
  static size_t list(uint64_t bytes, driver::MemoryKind kind) {
    return 2 * index(kind) + (bytes > kSmall ? 1 : 0);
  }
  uint32_t place(bool is_single);  // in slabs_, for one more
  static uint64_t slab_bytes(const Blocks& blocks, uint64_t least);
  // Whether more than 1/share of a pool that is not small lies idle.
  static bool idles(const Blocks& blocks, uint64_t share);
  void drop(Slab& slab);

  driver::Device& device_;
  std::vector<Slab> slabs_;
  std::array<Blocks, 2 * kKinds> blocks_;  // of slabs for small and for large ones of each kind
  std::array<bool, kKinds> has_no_addresses_{};
  uint64_t reserved_ = 0;
};

}  // namespace quern::runtime
