/// @file
/// Kinds and statistics of device memory.
#pragma once

#include <cstdint>
#include <string>

namespace quern {

/// Where a buffer's memory is. Allocation throws Error with kind `unsupported` if the device does not support
/// the kind.
enum class MemoryKind : std::uint8_t {
  device,  ///< Device memory.
  /// Page-locked host memory, the fastest source and destination of copies. On devices without it, device
  /// memory with an empty host().
  pinned,
  shared,   ///< Host and device access it in place; the best kind that the device has.
  managed,  ///< Shared memory that migrates to the processor that uses it.
  mapped,   ///< Host memory that kernels access.
  /// As `mapped`; it survives the loss of a session's device (extension::survives_device_loss).
  host_backed,
};

/// Memory of a device, in bytes.
struct MemoryStatistics {
  std::uint64_t in_use = 0;        ///< Allocated by the program.
  std::uint64_t peak = 0;          ///< Maximum of `in_use` so far.
  std::uint64_t buffers = 0;       ///< Number of live buffers.
  std::uint64_t allocations = 0;   ///< Number of allocations so far.
  std::uint64_t reserved = 0;      ///< Allocated from the driver: the pool and large buffers.
  std::uint64_t pool = 0;          ///< Size of the pool, a part of `reserved`.
  std::uint64_t pool_idle = 0;     ///< Unused part of the pool.
  std::uint64_t largest_free = 0;  ///< Largest contiguous free range of the pool.
  std::uint64_t limit = 0;         ///< Limit of `reserved`; 0: unlimited.
  double fragmentation = 0;        ///< Share of the pool that was unused even at its peak, 0 to 1.
};

/// One live buffer.
struct MemoryUse {
  std::uint64_t number = 0;  ///< Never used for another buffer of the program.
  std::uint64_t bytes = 0;   ///< Size.
  std::string label;         ///< As passed to Device::allocate or Device::upload.
};

}  // namespace quern
