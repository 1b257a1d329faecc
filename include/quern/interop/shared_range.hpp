/// @file
/// Part of an allocation, as another process can use it: what share() returns.
#pragma once

#include <cstdint>

#include "quern/interop/handles.hpp"

namespace quern::interop {

/// Device memory that was allocated without sharing in mind, for another process.
struct SharedRange {
  SharedMemory memory;           ///< The whole allocation, for import_memory().
  std::uint64_t offset = 0;      ///< Of the range in the allocation, in bytes.
  std::uint64_t allocation = 0;  ///< Number of the allocation; never used again in this process.
  /// Keeps the allocation until it is released: the driver requires that other processes close their
  /// mappings before the memory is freed. If `hold.use_count()` is 1, the allocation has been released
  /// otherwise. Release it before the device is closed.
  KeepAlive hold = {};
};

}  // namespace quern::interop
