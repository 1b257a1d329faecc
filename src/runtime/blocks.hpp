// Manages which parts of some byte ranges ("stretches") are allocated: a two-level segregated fit allocator.
// Free blocks are in lists by size, so that allocation and release take a few steps regardless of their
// number. Adjacent free blocks are merged. Small blocks are kept unmerged for the next request of the same
// size, until there are many or space is needed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace quern::runtime {

class Blocks {
 public:
  static constexpr uint64_t kUnit = 256;  // bytes; offset and size of every block are multiples

  Blocks();

  // Adds a stretch of that many bytes under a number chosen by the caller.
  void add(uint32_t stretch, uint64_t bytes);
  bool remove(uint32_t stretch);  // if no part of it is allocated

  struct Block {
    uint32_t id = 0;
    uint32_t stretch = 0;
    uint64_t offset = 0;
  };
  std::optional<Block> take(uint64_t bytes);  // nothing: no free block is certainly large enough
  void give(uint32_t id);

  uint64_t bytes() const { return units_ * kUnit; }  // of all stretches
  uint64_t taken_bytes() const { return taken_ * kUnit; }
  uint64_t largest_free_bytes();

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint32_t kSteps = 16;   // sizes between a power of two and the next
  static constexpr uint32_t kLevels = 40;  // powers of two
  static constexpr uint32_t kSmall = 256;  // units up to which blocks are kept

  struct Node {
    uint64_t first = 0, units = 0;
    uint32_t below = kNone, above = kNone;    // neighbours in memory
    uint32_t previous = kNone, next = kNone;  // in its list, while it is free
    uint32_t stretch = 0;
    bool is_free = false;
  };
  struct Class {
    uint32_t level = 0, step = 0;
  };
  static Class class_of(uint64_t units);
  static bool lies_below(const Node& a, const Node& b);
  uint32_t find(uint64_t units) const;
  void make_free(uint32_t id);
  bool free_kept();  // whether there were any
  Block block(uint32_t id);
  uint32_t new_node();
  void link(uint32_t id);
  void unlink(uint32_t id);
  void join(uint32_t low, uint32_t high);  // two neighbours; the lower one stays

  uint64_t units_ = 0;
  uint64_t taken_ = 0;
  std::vector<uint32_t> lowest_;  // for every stretch: its first block
  std::vector<Node> nodes_;
  std::vector<uint32_t> unused_;  // nodes
  uint64_t levels_ = 0;           // bit set: some list of the level is not empty
  std::array<uint16_t, kLevels> steps_{};
  std::array<std::array<uint32_t, kSteps>, kLevels> lists_;
  std::array<uint32_t, kSmall + 1> kept_;          // by units: the first of a list
  std::array<uint64_t, kSmall / 64 + 1> keeps_{};  // bits: which of these are not empty
  uint64_t kept_units_ = 0;
};

}  // namespace quern::runtime
