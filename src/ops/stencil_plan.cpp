#include "ops/stencil_plan.hpp"

#include <algorithm>
#include <limits>

namespace quern::ops {

namespace {

constexpr std::uint64_t kSharedBytes = 48 << 10;  // of a kernel on every GPU that has this much
constexpr int kMostThreads = 256;
constexpr int kMostLines = 32;                      // of text/stencil_march.cuh, which counts them in bits
constexpr int kMostMarchRadius = 8;                 // of the first axes: a thread keeps this many planes
constexpr int kWarpPoints = 32;                     // rows of other sizes lie in two warps, which is slower
constexpr int kMostUnknown = 25;                    // points of a neighborhood whose loops compilers unroll
constexpr int kFastRadius = 4, kFastBoxRadius = 2;  // at which a thread's values fit into registers

// The simulator checks the kernels of GPUs.
bool is_gpu(const DeviceInfo& info) {
  return info.kind == DeviceKind::discrete || info.kind == DeviceKind::integrated ||
         info.kind == DeviceKind::virtual_gpu || info.kind == DeviceKind::simulated;
}

int threads_of(const DeviceInfo& info, int wanted) {
  const std::uint32_t most = std::min(info.limits.block_threads, info.limits.block.x);
  int threads = wanted;
  while (threads > 1 && static_cast<std::uint32_t>(threads) > most) threads /= 2;
  return threads;
}

// Only the driver `cuda` runs kernels with more than kSharedBytes on all devices.
std::uint64_t shared_bytes_of(const DeviceInfo& info) {
  return info.driver == "cuda" || info.kind == DeviceKind::simulated
             ? info.limits.shared_bytes
             : std::min(info.limits.shared_bytes, kSharedBytes);
}

int chosen(int given, int otherwise) { return given > 0 ? given : otherwise; }
int rounded_up(int n, int unit) { return (n + unit - 1) / unit * unit; }
// Points of a tile: at most `most`, and similar for all tiles of an extent.
int spread(int extent, int most) {
  const int tiles = std::max(1, (extent + most - 1) / most);
  return (extent + tiles - 1) / tiles;
}
// Points of the result in a row of a tile with a halo: with which all tiles of an extent have the fewest
// points.
int best_width(int extent, int halo) {
  int best = std::min(extent, 2 * kWarpPoints), fewest = std::numeric_limits<int>::max();
  for (int width = 2 * kWarpPoints; width <= 4 * kWarpPoints && extent + halo > 2 * kWarpPoints;
       width += kWarpPoints) {
    const int inner = width - halo;
    if (inner < halo) continue;
    const int points = (extent + inner - 1) / inner * width;
    if (points < fewest) best = inner;
    fewest = std::min(fewest, points);
  }
  return best;
}

// Steps that pay: the halo grows with each of them.
int automatic_steps(const DeviceInfo& info, const StencilGrid& grid) {
  if (!is_gpu(info)) return 1;
  const int radius = std::max(grid.radius[1], grid.radius[2]);
  if (grid.rank == 3) return std::max(radius, grid.radius[0]) <= 1 ? 3 : 1;
  return radius <= 1 ? 4 : radius == 2 ? 2 : 1;
}

// Whether compilers know the offsets, so that a thread's values can be in registers.
bool has_constant_offsets(const StencilGrid& grid, const StencilUse& use) {
  int points = 1;
  for (const int radius : grid.radius) points *= 2 * radius + 1;
  return use.is_known || points <= kMostUnknown;
}

// Sets the tile of a kernel that moves along an axis. Returns whether a device can run it, and whether the
// halo is not larger than the tile.
bool fits(StencilPlan& plan, const DeviceInfo& info, const StencilGrid& grid, const StencilUse& use,
          int width, int height) {
  const int row_radius = grid.rank == 3 ? grid.radius[1] : 0;
  const int march_radius = grid.radius[grid.rank == 2 ? 1 : 0];
  const int halo1 = 2 * plan.steps * row_radius, halo2 = 2 * plan.steps * grid.radius[2];
  if (grid.rank == 3) {
    plan.width = rounded_up(width + halo2, 2);  // planes of other fields are aligned to 8 bytes
    plan.height = rounded_up(height + halo1, plan.rows);
    plan.threads = plan.width * (plan.height / plan.rows);
  } else {
    plan.threads = rounded_up((width + halo2 + plan.rows - 1) / plan.rows, 2);
    plan.width = plan.threads * plan.rows;
    plan.height = 1;
  }
  // kSlots of text/stencil_march.cuh.
  const int slots = plan.is_flat ? std::max(march_radius, 1) + 1 : 2 * march_radius + 2;
  const std::uint64_t points =
      static_cast<std::uint64_t>(plan.width) * static_cast<std::uint64_t>(plan.height);
  const std::uint64_t shared = points * static_cast<std::uint64_t>(slots * plan.steps) * use.bytes;
  plan.dynamic_bytes = shared > kSharedBytes ? shared : 0;
  // Two blocks alternate between computing and waiting at barriers. Other kernels would need more registers.
  plan.resident =
      grid.rank == 3 && plan.is_flat && march_radius <= 1 && use.bytes <= 4 && plan.threads <= 448 ? 2 : 1;
  return plan.threads == threads_of(info, plan.threads) && shared <= shared_bytes_of(info) &&
         2 * halo1 <= plan.height && 2 * halo2 <= plan.width;
}

bool plan_march(StencilPlan& plan, const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                const StencilUse& use) {
  if (grid.radius[0] > kMostMarchRadius || grid.radius[1] > kMostMarchRadius) return false;
  plan.kernel = StencilKernel::kMarch;
  plan.is_flat = use.is_flat;
  plan.has_guards = info.kind == DeviceKind::cpu;  // where divisions by zero trap
  const bool has_planes = grid.rank == 3, is_single = plan.steps == 1;
  const int rows = use.bytes <= 8 && (has_planes || !is_single) ? 4 : 2;
  plan.rows = std::min(chosen(tile.rows_per_thread, rows), kMostLines);
  plan.depth = tile.depth;
  // Loads that are in progress need registers. Other drivers compile the unrolled loop slowly.
  if (info.driver == "cuda" || info.kind == DeviceKind::simulated)
    plan.ahead = has_planes && !is_single ? 1 : 3;
  const int halo = 2 * plan.steps * grid.radius[2];
  if (has_planes) {
    const int width = chosen(tile.width, best_width(grid.extent[2], halo));
    for (const int height : {22, 14, 8}) {
      if (fits(plan, info, grid, use, width, chosen(tile.height, spread(grid.extent[1], height))))
        return true;
    }
    return fits(plan, info, grid, use, chosen(tile.width, 16), chosen(tile.height, 16));
  }
  for (const int width : {512, 256, 128}) {
    if (width > halo &&
        fits(plan, info, grid, use, chosen(tile.width, std::min(grid.extent[2], width - halo)), 1))
      return true;
  }
  return false;
}

}  // namespace

StencilPlan plan_step(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                      const StencilUse& use) {
  StencilPlan plan;
  const bool is_line = grid.rank == 1, has_planes = grid.rank == 3;
  const int radius = std::max({grid.radius[0], grid.radius[1], grid.radius[2]});
  if (is_gpu(info) && !is_line && has_constant_offsets(grid, use) &&
      radius <= (use.is_flat ? kFastRadius : kFastBoxRadius) && plan_march(plan, info, grid, tile, use))
    return plan;
  plan = {};
  plan.threads = threads_of(info, kMostThreads);
  // Narrow grids have narrow tiles. Processors prefer long rows.
  int width = 32;
  while (width < grid.extent[2] && width < (is_gpu(info) && !is_line ? 64 : kMostThreads)) width *= 2;
  plan.width = std::min(chosen(tile.width, width), plan.threads);
  const int thread_rows = plan.threads / plan.width;
  plan.rows = is_line ? 1 : chosen(tile.rows_per_thread, is_gpu(info) && !has_planes ? 4 : 1);
  plan.height = thread_rows * plan.rows;
  plan.depth = has_planes ? chosen(tile.depth, is_gpu(info) ? 4 : 1) : 1;
  return plan;
}

StencilPlan plan_steps(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                       const StencilUse& use, int steps) {
  const int best = has_constant_offsets(grid, use) ? automatic_steps(info, grid) : 1;
  for (int n = steps > 0 ? steps : best; n > 1; n = steps > 0 ? 1 : n - 1) {
    StencilPlan plan;
    plan.steps = n;
    if (plan_march(plan, info, grid, tile, use)) return plan;
  }
  return {};
}

}  // namespace quern::ops
