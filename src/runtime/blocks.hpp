// Which parts of a stretch of bytes are taken. Free blocks hang in lists by size, two levels deep, so that
// taking and giving back need a few steps whatever the number of blocks; neighbours that are free become one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace quern::runtime {

class Blocks {
 public:
  static constexpr uint64_t kUnit = 256;  // bytes; every block begins at a multiple and has a multiple

  explicit Blocks(uint64_t bytes);

  struct Block {
    uint32_t id = 0;
    uint64_t offset = 0;
  };
  std::optional<Block> take(uint64_t bytes);  // nothing: no free block is certain to be large enough
  void give(uint32_t id);

  uint64_t bytes() const { return units_ * kUnit; }
  uint64_t taken_bytes() const { return taken_ * kUnit; }
  uint64_t largest_free_bytes() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint32_t kSteps = 16;   // sizes between a power of two and the next
  static constexpr uint32_t kLevels = 40;  // powers of two

  struct Node {
    uint64_t first = 0, units = 0;
    uint32_t below = kNone, above = kNone;    // neighbours in memory
    uint32_t previous = kNone, next = kNone;  // in its list, while it is free
    bool is_free = false;
  };
  struct Class {
    uint32_t level = 0, step = 0;
  };
  static Class class_of(uint64_t units);
  uint32_t find(uint64_t units) const;
  uint32_t new_node();
  void link(uint32_t id);
  void unlink(uint32_t id);
  void join(uint32_t low, uint32_t high);  // two neighbours; the lower one stays

  uint64_t units_;
  uint64_t taken_ = 0;
  std::vector<Node> nodes_;
  std::vector<uint32_t> unused_;  // nodes
  uint64_t levels_ = 0;           // bit set: some list of the level is not empty
  std::array<uint16_t, kLevels> steps_{};
  std::array<std::array<uint32_t, kSteps>, kLevels> lists_;
};

}  // namespace quern::runtime
