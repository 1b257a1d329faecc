#include "ops/stencil_plan.hpp"

#include <algorithm>

namespace quern::ops {

namespace {

constexpr std::uint64_t kSharedBytes = 48 << 10;  // of a kernel on every GPU that has this much
constexpr int kMostThreads = 256;

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

std::uint64_t shared_bytes_of(const DeviceInfo& info) {
  return std::min(info.limits.shared_bytes, kSharedBytes);
}

int chosen(int given, int otherwise) { return given > 0 ? given : otherwise; }

// Steps that pay: the halo grows with each of them.
int automatic_steps(const DeviceInfo& info, const StencilGrid& grid) {
  if (!is_gpu(info)) return 1;
  const int radius = std::max(grid.radius[1], grid.radius[2]);
  if (grid.rank == 3) return std::max(radius, grid.radius[0]) <= 1 ? 2 : 1;
  return radius <= 1 ? 4 : radius == 2 ? 2 : 1;
}

bool plan_tile(StencilPlan& plan, const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
               std::size_t bytes) {
  const bool is_line = grid.rank == 1;
  plan.kernel = StencilKernel::kTile;
  plan.threads = threads_of(info, kMostThreads);
  for (int width = chosen(tile.width, is_line ? 1024 : 64), height = is_line ? 1 : chosen(tile.height, 32);
       width >= 8; (height > width / 2 ? height : width) /= 2) {
    const int w = width + 2 * plan.steps * grid.radius[2], h = height + 2 * plan.steps * grid.radius[1];
    if (2 * bytes * static_cast<std::size_t>(w) * static_cast<std::size_t>(h) > shared_bytes_of(info))
      continue;
    plan.width = width;
    plan.height = height;
    return w <= 2 * width && h <= std::max(2 * height, 1);
  }
  return false;
}

bool plan_stream(StencilPlan& plan, const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile,
                 std::size_t bytes) {
  struct Candidate {
    int width, height;
  };
  const std::array<Candidate, 5> candidates{
      Candidate{chosen(tile.width, 64), chosen(tile.height, 24)}, {32, 32}, {32, 24}, {32, 16}, {16, 16}};
  plan.kernel = StencilKernel::kStream;
  plan.rows = chosen(tile.rows_per_thread, 4);
  const int planes = plan.steps * (2 * grid.radius[0] + 2);
  for (const Candidate& c : candidates) {
    const std::size_t points = static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height);
    const int threads = c.width * (c.height / plan.rows), halo1 = 2 * plan.steps * grid.radius[1],
              halo2 = 2 * plan.steps * grid.radius[2];
    if (c.height % plan.rows != 0 || threads != threads_of(info, threads)) continue;
    if (static_cast<std::size_t>(planes) * points * bytes > shared_bytes_of(info)) continue;
    if (2 * halo1 > c.height || 2 * halo2 > c.width) continue;
    plan.threads = threads;
    plan.width = c.width;
    plan.height = c.height;
    return true;
  }
  return false;
}

}  // namespace

StencilPlan plan_step(const DeviceInfo& info, const StencilGrid& grid, const StencilTile& tile) {
  StencilPlan plan;
  plan.threads = threads_of(info, kMostThreads);
  const bool is_line = grid.rank == 1, has_planes = grid.rank == 3;
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
                       std::size_t bytes, int steps) {
  for (int n = steps > 0 ? steps : automatic_steps(info, grid); n > 1; n = steps > 0 ? 1 : n / 2) {
    StencilPlan plan;
    plan.steps = n;
    if (grid.rank == 3 ? plan_stream(plan, info, grid, tile, bytes)
                       : plan_tile(plan, info, grid, tile, bytes))
      return plan;
  }
  return {};
}

}  // namespace quern::ops
