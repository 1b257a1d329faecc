// Matrix products with asynchronous copies to shared memory on NVIDIA devices: floats (text/matmul_f32.cuh),
// and doubles with tensor cores (text/matmul_f64.cuh).
#include <algorithm>

#include "ops/choice.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"
#include "ops/product.hpp"

namespace quern::ops {

namespace {

// Of text/async_copy.cuh and text/matmul_f64.cuh.
constexpr std::int64_t kAsyncPadding = 4, kDepthF64 = 16;

// A block's tile, and how its threads divide it.
struct AsyncPlan {
  std::int64_t rows, columns, depth, stages;
  std::int64_t warp_rows, warp_columns;
  std::int64_t element_bytes;
  bool is_double;

  AsyncPlan(const Variant& v, Element element)
      : rows(v.at("rows")),
        columns(v.at("columns")),
        depth(element == Element::f64 ? kDepthF64 : v.at("depth")),
        stages(v.at("stages")),
        warp_rows(element == Element::f64 ? rows / 2 : v.at("warp_rows")),
        warp_columns(element == Element::f64 ? 32 : 64),
        element_bytes(static_cast<std::int64_t>(bytes_of(element))),
        is_double(element == Element::f64) {}

  std::int64_t threads() const { return rows / warp_rows * (columns / warp_columns) * 32; }
  // Of a step. Floats are always in the order [depth][line].
  std::int64_t bytes(std::int64_t lines, bool depth_is_inner) const {
    return element_bytes *
           (is_double && depth_is_inner ? lines * (depth + kAsyncPadding) : depth * (lines + kAsyncPadding));
  }
  std::int64_t shared(bool left_depth_is_inner, bool right_depth_is_inner) const {
    return stages * (bytes(rows, left_depth_is_inner) + bytes(columns, right_depth_is_inner));
  }
  std::int64_t tiles(std::int64_t m, std::int64_t n) const {
    return tiles_of(m, rows) * tiles_of(n, columns);
  }
};

Variant tile_f32(std::int64_t rows, std::int64_t columns, std::int64_t warp_rows, std::int64_t depth,
                 std::int64_t stages) {
  return {
      {"rows", rows}, {"columns", columns}, {"warp_rows", warp_rows}, {"depth", depth}, {"stages", stages}};
}

Variant tile_f64(std::int64_t rows, std::int64_t columns, std::int64_t stages) {
  return {{"rows", rows}, {"columns", columns}, {"stages", stages}};
}

// The first one with which the product fills the device, or the last one.
Variant filling_tile(const std::vector<Variant>& tiles, const DeviceInfo& info, const Problem& problem) {
  for (const Variant& v : tiles) {
    const AsyncPlan plan(v, problem.element);
    const std::int64_t count = plan.tiles(problem.shape[0], problem.shape[1]);
    if (count * 10 >= std::int64_t{info.compute_units} * 9) return v;
  }
  return tiles.back();
}

}  // namespace

bool uses_async_copies(const DeviceInfo& info, const Problem& problem) {
  constexpr std::uint32_t kAmpere = 80, kHopper = 90;
  if (info.driver != "cuda" || problem.precision != Precision::full) return false;
  if (problem.element == Element::f64) return info.compute_capability >= kHopper;
  return problem.element == Element::f32 && info.compute_capability >= kAmpere;
}

// `warp_rows`: of a warp's tile; a thread computes a quarter of them × 8 columns.
std::vector<Variant> async_variants(const DeviceInfo& info, const Problem& problem) {
  const auto fits = [&](const Variant& v) {
    const AsyncPlan plan(v, problem.element);
    return plan.shared(true, true) <= static_cast<std::int64_t>(info.limits.shared_bytes);
  };
  if (problem.element == Element::f64) {
    const std::vector<Variant> tiles = {tile_f64(128, 128, 4), tile_f64(64, 64, 4)};
    return with_default(filling_tile(tiles, info, problem),
                        variants({{"rows", {64, 128}}, {"columns", {64, 128}}, {"stages", {3, 4}}}, fits));
  }
  std::vector<Variant> tiles = {tile_f32(128, 256, 64, 16, 3), tile_f32(64, 128, 32, 16, 4),
                                tile_f32(64, 64, 16, 16, 4), tile_f32(32, 64, 16, 16, 4)};
  const Variant standard = filling_tile(tiles, info, problem);
  for (const Variant& more :
       {tile_f32(128, 256, 64, 8, 4), tile_f32(128, 128, 64, 16, 3), tile_f32(64, 256, 64, 16, 3),
        tile_f32(64, 256, 32, 16, 3), tile_f32(128, 128, 32, 16, 3), tile_f32(64, 128, 32, 32, 3),
        tile_f32(64, 64, 32, 16, 4), tile_f32(64, 128, 64, 16, 4)})
    tiles.push_back(more);
  std::erase_if(tiles, [&](const Variant& v) { return !fits(v); });
  return with_default(standard, tiles);
}

Receipt multiply_with_async_copies(const On& on, const Product& p, const Variant& variant) {
  const Device device = on.stream().device();
  const AsyncPlan plan(variant, p.a.element);
  const Tiling left = Tiling::of_rows(device, p.a), right = Tiling::of_columns(device, p.b);
  const KernelKey key =
      p.key("matmul_async", plan.rows, plan.columns, plan.warp_rows, plan.depth, plan.stages,
            left.depth_is_inner, right.depth_is_inner, left.vector, right.vector);
  const Kernel kernel = Engine::of(device)->kernel(device, key, [&]() -> KernelSource {
    const std::string tilings = tilings_text(left, right);
    if (plan.is_double)
      return {{"index", "matmul", "async_copy", "matmul_f64"},
              {},
              instance("quern_ops::matmul_f64", p.epilogue(), plan.rows, plan.columns, plan.stages, tilings)};
    return {{"index", "matmul", "async_copy", "matmul_f32"},
            {},
            instance("quern_ops::matmul_f32", p.epilogue(), plan.rows, plan.columns, plan.warp_rows,
                     plan.depth, plan.stages, tilings)};
  });
  const LaunchConfig config =
      blocks_of_threads(blocks_for(device.info(), p.batches * plan.tiles(p.m, p.n), 1), plan.threads())
          .shared(static_cast<std::uint64_t>(plan.shared(left.depth_is_inner, right.depth_is_inner)));
  return on.stream().launch(kernel, config, p.batches, p.m, p.n, p.k, matrix_of(p.a), matrix_of(p.b),
                            matrix_of(p.c), p.bias_line(), scalar_of(p.accumulator, p.scalars.alpha),
                            scalar_of(p.accumulator, p.scalars.beta), argument_of(p.a), argument_of(p.b),
                            argument_of(p.c), p.bias_argument());
}

}  // namespace quern::ops
