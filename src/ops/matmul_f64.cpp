// Matrix products of doubles with the tensor cores of NVIDIA devices (text/matmul_f64.cuh).
#include <algorithm>

#include "ops/choice.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"
#include "ops/product.hpp"

namespace quern::ops {

namespace {

constexpr std::int64_t kStepDepth = 16, kStepPadding = 4;  // of text/matmul_f64.cuh
constexpr std::int64_t kLargeTile = 128, kSmallTile = 64;

// Of a step of one operand.
std::int64_t step_bytes(std::int64_t lines, bool depth_is_inner) {
  const std::int64_t elements =
      depth_is_inner ? lines * (kStepDepth + kStepPadding) : kStepDepth * (lines + kStepPadding);
  return elements * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

bool uses_f64_tensor_cores(const DeviceInfo& info, Element element) {
  constexpr std::uint32_t kHopper = 90;
  return info.driver == "cuda" && info.compute_capability >= kHopper && element == Element::f64;
}

std::vector<Variant> f64_variants(const DeviceInfo& info, const Problem& problem) {
  const auto fits = [&](const Variant& v) {
    const std::int64_t bytes =
        v.at("stages") * (step_bytes(v.at("rows"), true) + step_bytes(v.at("columns"), true));
    return static_cast<std::uint64_t>(bytes) <= info.limits.shared_bytes;
  };
  const auto tiles = tiles_of(problem.shape[0], kLargeTile) * tiles_of(problem.shape[1], kLargeTile);
  const std::int64_t tile = tiles >= info.compute_units ? kLargeTile : kSmallTile;
  return with_default(
      {{"rows", tile}, {"columns", tile}, {"stages", 4}},
      variants(
          {{"rows", {kSmallTile, kLargeTile}}, {"columns", {kSmallTile, kLargeTile}}, {"stages", {3, 4, 5}}},
          fits));
}

Receipt multiply_f64(const On& on, const Product& p, const Variant& variant) {
  const Device device = on.stream().device();
  const Matrix a = matrix_of(p.a), b = matrix_of(p.b), c = matrix_of(p.c);
  const std::int64_t rows = variant.at("rows"), columns = variant.at("columns"),
                     stages = variant.at("stages");
  const Tiling left = Tiling::of_rows(device, p.a), right = Tiling::of_columns(device, p.b);
  const std::string name = "quern_ops::matmul_f64<" + p.epilogue() + ", " + std::to_string(rows) + ", " +
                           std::to_string(columns) + ", " + std::to_string(stages) +
                           tilings_text(left, right) + ">";
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "matmul", "matmul_f64"}, {}, name);
  const std::int64_t tiles = p.batches * tiles_of(p.m, rows) * tiles_of(p.n, columns);
  const std::int64_t shared =
      stages * (step_bytes(rows, left.depth_is_inner) + step_bytes(columns, right.depth_is_inner));
  const LaunchConfig config =
      blocks_of_threads(blocks_for(device.info(), tiles, 1)).shared(static_cast<std::uint64_t>(shared));
  return on.stream().launch(kernel, config, p.batches, p.m, p.n, p.k, a, b, c, p.bias_line(), p.scalars.alpha,
                            p.scalars.beta, argument_of(p.a), argument_of(p.b), argument_of(p.c),
                            p.bias_argument());
}

}  // namespace quern::ops
