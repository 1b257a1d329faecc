// How many threads a launch has, and what it is given.
#pragma once

#include <cstdint>
#include <type_traits>

#include "quern/export.hpp"

namespace quern {

class Receipt;

namespace detail {
[[noreturn]] QUERN_API void refuse_launch_size(std::uint64_t size);
// Sizes have 32 bits; one that does not fit is refused and not cut off.
constexpr std::uint32_t launch_size(std::uint64_t size) {
  if (size > UINT32_MAX) refuse_launch_size(size);
  return static_cast<std::uint32_t>(size);
}
}  // namespace detail

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr Dim3() = default;
  constexpr Dim3(std::uint64_t width, std::uint64_t height = 1, std::uint64_t depth = 1)
      : x(detail::launch_size(width)), y(detail::launch_size(height)), z(detail::launch_size(depth)) {}
  bool operator==(const Dim3&) const = default;
};

// threads(1000): so many in all, blocks are chosen for the device. grid(4, 256): so many blocks of so many
// threads.
struct Shape {
  Dim3 grid_size;
  Dim3 block_size;
  Dim3 total{0, 0, 0};             // not 0: as many threads in all
  std::uint64_t shared_bytes = 0;  // dynamic shared memory of each block
  Dim3 cluster_size{0, 0, 0};      // blocks that run at once next to each other; 0: as the kernel says
  Receipt* receipt_to = nullptr;

  Shape cluster(Dim3 blocks) const {
    Shape s = *this;
    s.cluster_size = blocks;
    return s;
  }
  Shape shared(std::uint64_t bytes) const {
    Shape s = *this;
    s.shared_bytes = bytes;
    return s;
  }
  // Asks for a receipt of this launch: what ran, where, and for how long.
  Shape receipt(Receipt& to) const {
    Shape s = *this;
    s.receipt_to = &to;
    return s;
  }
};

inline Shape threads(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
  Shape s;
  s.total = {x, y, z};
  return s;
}

inline Shape grid(Dim3 blocks, Dim3 threads_per_block) {
  Shape s;
  s.grid_size = blocks;
  s.block_size = threads_per_block;
  return s;
}

}  // namespace quern
