// Sizes of launches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "quern/device.hpp"
#include "quern/launch.hpp"

namespace quern::ops {

inline constexpr std::uint32_t kThreads = 256;  // in a block

inline LaunchConfig blocks_of_threads(std::uint32_t blocks, std::int64_t threads = kThreads) {
  return grid({blocks, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1});
}

// Blocks of kernels that loop over their work: enough to fill the device, and not more than the work needs.
inline std::uint32_t blocks_for(const DeviceInfo& info, std::int64_t work, std::int64_t per_block) {
  const std::int64_t needed = std::max<std::int64_t>(1, (work + per_block - 1) / per_block);
  const std::int64_t filling = std::max<std::int64_t>(info.compute_units, 1) * 32;
  return static_cast<std::uint32_t>(std::min({needed, filling, std::int64_t{info.limits.grid.x}}));
}

}  // namespace quern::ops
