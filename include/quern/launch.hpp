/// @file
/// Launch configuration: sizes of grid and blocks, shared memory, clusters.
#pragma once

#include <cstdint>
#include <type_traits>

#include "quern/export.hpp"

namespace quern {

class Receipt;
struct LaunchWithReceipt;

namespace detail {
[[noreturn]] QUERN_API void refuse_launch_size(std::uint64_t size);
// Sizes have 32 bits. A size that does not fit throws Error with kind `invalid_use`.
constexpr std::uint32_t launch_size(std::uint64_t size) {
  if (size > UINT32_MAX) refuse_launch_size(size);
  return static_cast<std::uint32_t>(size);
}
}  // namespace detail

/// A three-dimensional size.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr Dim3() = default;
  constexpr Dim3(std::uint64_t width, std::uint64_t height = 1, std::uint64_t depth = 1)
      : x(detail::launch_size(width)), y(detail::launch_size(height)), z(detail::launch_size(depth)) {}
  bool operator==(const Dim3&) const = default;
};

/// Launch configuration. Created by threads() and grid().
struct LaunchConfig {
  Dim3 grid_size;
  Dim3 block_size;
  Dim3 total{0, 0, 0};             ///< Total number of threads; 0: grid_size and block_size apply.
  std::uint64_t shared_bytes = 0;  ///< Dynamic shared memory per block, in bytes.
  Dim3 cluster_size{0, 0, 0};      ///< Blocks per cluster; 0: as the kernel declares.
  Receipt* receipt_to = nullptr;   ///< Set by a launch with with_receipt().

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
  /// The same configuration for a launch that returns a Receipt.
  LaunchWithReceipt with_receipt() const;
};

/// The configuration of a launch that returns a Receipt. Created by LaunchConfig::with_receipt.
struct LaunchWithReceipt {
  LaunchConfig config;
};

inline LaunchWithReceipt LaunchConfig::with_receipt() const { return {*this}; }

/// A total number of threads. The block size suits the device; the grid may have more threads, so the kernel
/// must check its index.
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
