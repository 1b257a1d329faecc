#include "ops/stencil_plan.hpp"

#include <algorithm>

namespace quern::ops {

namespace {

constexpr std::uint64_t kSharedBytes = 48 << 10;  // of a kernel on every GPU that has this much
constexpr int kMostThreads = 256;
constexpr int kMostLines = 32;                      // of text/stencil_march.cuh, which counts them in bits
constexpr int kMostMarchRadius = 8;                 // of the first axes: a thread keeps this many planes
constexpr int kFastRadius = 4, kFastBoxRadius = 2;  // at which a thread's values fit into registers

bool is_gpu(const DeviceInfo& info) {
  return info.kind == DeviceKind::discrete || info.kind == DeviceKind::integrated ||
         info.kind == DeviceKind::virtual_gpu;
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

// Steps that pay: the halo grows with each of them.
int automatic_steps(const DeviceInfo& info, const StencilGrid& grid) {
  if (!is_gpu(info)) return 1;
  const int radius = std::max(grid.radius[1], grid.radius[2]);
  if (grid.rank == 3) return std::max(radius, grid.radius[0]) <= 1 ? 2 : 1;
  return radius <= 1 ? 4 : radius == 2 ? 2 : 1;
}

// Sets the tile of a kernel that moves along an axis. Returns whether a device can run it, and whether the
// halo is not larger than the tile.
bool fits(StencilPlan& plan, const DeviceInfo& info, const StencilGrid& grid, const StencilUse& use,
          int width, int height) {
  const int row_radius = grid.rank == 3 ? grid.radius[1] : 0, march_radius = grid.rank == 3   ? grid.radius[0]
                                                                             : grid.rank == 2 ? grid.radius[1]
                                                                                              : 0;
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
  return plan.threads == threads_of(info, plan.threads) && shared <= shared_bytes_of(info) &&
         2 * halo1 <= plan.height + halo1 && 2 * halo2 <= plan.width + halo2;
}

bool plan_march(StencilPlan& plan, const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                const StencilUse& use) {
  if (grid.radius[0] > kMostMarchRadius || grid.radius[1] > kMostMarchRadius) return false;
  plan.kernel = StencilKernel::kMarch;
  plan.is_flat = use.is_flat;
  plan.has_guards = info.kind == DeviceKind::cpu;  // where divisions by zero trap
  plan.rows = std::min(chosen(tile.rows_per_thread, use.bytes <= 8 ? 4 : 2), kMostLines);
  plan.depth = tile.depth;
  struct Candidate {
    int width, height;
  };
  constexpr std::array<Candidate, 5> kPlanes{Candidate{64, 32}, {64, 16}, {32, 32}, {32, 16}, {16, 16}};
  constexpr std::array<Candidate, 4> kLines{Candidate{1024, 1}, {512, 1}, {256, 1}, {128, 1}};
  const auto fits_any = [&](const auto& candidates) {
    for (const Candidate& c : candidates) {
      if (fits(plan, info, grid, use, chosen(tile.width, spread(grid.extent[2], c.width)),
               chosen(tile.height, spread(grid.extent[1], c.height))))
        return true;
    }
    return false;
  };
  return grid.rank == 3 ? fits_any(kPlanes) : fits_any(kLines);
}

}  // namespace

StencilPlan plan_step(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                      const StencilUse& use) {
  StencilPlan plan;
  const bool is_line = grid.rank == 1, has_planes = grid.rank == 3;
  const int radius = std::max({grid.radius[0], grid.radius[1], grid.radius[2]});
  if (is_gpu(info) && !is_line && radius <= (use.is_flat ? kFastRadius : kFastBoxRadius) &&
      plan_march(plan, info, grid, tile, use))
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
  for (int n = steps > 0 ? steps : automatic_steps(info, grid); n > 1; n = steps > 0 ? 1 : n / 2) {
    StencilPlan plan;
    plan.steps = n;
    if (plan_march(plan, info, grid, tile, use)) return plan;
  }
  return {};
}

}  // namespace quern::ops
