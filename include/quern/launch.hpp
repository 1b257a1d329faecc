/// @file
/// Launch configuration: sizes of grid and blocks, shared memory, clusters.
#pragma once

#include <cstdint>

#include "quern/types/dim3.hpp"
#include "quern/types/launch.hpp"

namespace quern {

/// A total number of threads. The block size suits the device; the grid may have more threads, so the kernel
/// must check its index. Throws Error with kind `invalid_use` if a size does not fit 32 bits.
inline LaunchConfig threads(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
  LaunchConfig s;
  s.total = {x, y, z};
  return s;
}

/// Explicit numbers of blocks and of threads per block.
inline LaunchConfig grid(Dim3 blocks, Dim3 threads_per_block) {
  LaunchConfig s;
  s.grid_size = blocks;
  s.block_size = threads_per_block;
  return s;
}

}  // namespace quern
