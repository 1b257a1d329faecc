// Sizes of launches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "quern/device.hpp"
#include "quern/launch.hpp"

namespace quern::ops {

inline constexpr std::uint32_t kThreads = 256;  // in a block

inline std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

inline LaunchConfig blocks_of_threads(std::uint32_t blocks, std::int64_t threads = kThreads) {
  return grid({blocks, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1});
}

// Blocks of kernels that loop over their work: enough to fill the device, and not more than the work needs.
inline std::uint32_t blocks_for(const DeviceInfo& info, std::int64_t work, std::int64_t per_block) {
  const std::int64_t needed = std::max<std::int64_t>(1, (work + per_block - 1) / per_block);
  const std::int64_t filling = std::max<std::int64_t>(info.compute_units, 1) * 32;
  return static_cast<std::uint32_t>(std::min({needed, filling, std::int64_t{info.limits.grid.x}}));
}

// Blocks of kernels whose threads load all their data before they use it. On GPUs, no thread has to loop: new
// blocks load while others compute and store, but a thread's next loads wait for its last stores
// (docs/ops_nn.md).
inline std::uint32_t blocks_for_all(const DeviceInfo& info, std::int64_t work, std::int64_t per_block) {
  if (info.kind == DeviceKind::cpu) return blocks_for(info, work, per_block);
  const std::int64_t needed = std::max<std::int64_t>(1, (work + per_block - 1) / per_block);
  return static_cast<std::uint32_t>(std::min(needed, std::int64_t{info.limits.grid.x}));
}

// Whether a block that has started makes progress while other blocks wait for it in loops. Kernels that need
// this take their work in order from a counter, so that blocks wait only for blocks that have started.
inline bool started_blocks_progress(const DeviceInfo& info) {
  return info.driver == "cuda" || info.driver == "hip" || info.driver == "sim" || info.driver == "cpu";
}
// Whether look-back between blocks is also the fastest way.
inline bool prefers_look_back(const DeviceInfo& info) {
  return info.driver == "cuda" || info.driver == "hip";
}

}  // namespace quern::ops
