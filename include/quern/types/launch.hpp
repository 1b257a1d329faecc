/// @file
/// Launch configuration, occupancy and floating-point mode.
#pragma once

#include <cstdint>

#include "quern/types/dim3.hpp"

namespace quern {

/// Freedom of floating-point arithmetic.
enum class Math : std::uint8_t {
  exact,  ///< Identical rounding on every device, as specified in docs/language.md.
  /// `a * b + c` may be rounded once where the device's compiler chooses to, and signed integers are assumed
  /// not to overflow, as in nvcc.
  fused,
  fast,  ///< Also approximate functions, division and square roots, where the device's compiler has them.
};

/// Occupancy of a kernel; 0: unknown.
struct Occupancy {
  std::uint32_t max_blocks_per_unit = 0;   ///< Blocks of the given size that one compute unit holds.
  std::uint32_t max_threads_per_unit = 0;  ///< Threads that one compute unit can hold.
  std::uint32_t best_block = 0;            ///< Threads per block with the best occupancy.
};

/// Launch configuration. Created by threads() and grid().
struct LaunchConfig {
  Dim3 grid_size;                  ///< Blocks.
  Dim3 block_size;                 ///< Threads per block.
  Dim3 total{0, 0, 0};             ///< Total number of threads; 0: grid_size and block_size apply.
  std::uint64_t shared_bytes = 0;  ///< Dynamic shared memory per block, in bytes.
  Dim3 cluster_size{0, 0, 0};      ///< Blocks per cluster; 0: as the kernel declares.
  bool is_timed = false;           ///< Whether the receipt contains the time of the kernel.

  /// A copy with this cluster size.
  LaunchConfig cluster(Dim3 blocks) const {
    LaunchConfig s = *this;
    s.cluster_size = blocks;
    return s;
  }
  /// A copy with this much dynamic shared memory per block, in bytes.
  LaunchConfig shared(std::uint64_t bytes) const {
    LaunchConfig s = *this;
    s.shared_bytes = bytes;
    return s;
  }
  /// A copy for a launch that is timed: Receipt::seconds then has a value. The launch records an event before
  /// and after the kernel.
  LaunchConfig timed() const {
    LaunchConfig s = *this;
    s.is_timed = true;
    return s;
  }
};

}  // namespace quern
