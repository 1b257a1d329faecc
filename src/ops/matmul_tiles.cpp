// Matrix products on all devices but processors (text/matmul_tiles.cuh).
#include <algorithm>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"
#include "ops/product.hpp"

namespace quern::ops {

namespace {

constexpr std::int64_t kPadding = 4;  // of text/matmul_tiles.cuh

Variant tile(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t resident) {
  return {{"rows", rows}, {"columns", columns}, {"depth", depth}, {"resident", resident}};
}

std::int64_t shared_bytes(const Variant& v, Element accumulator) {
  const std::int64_t elements = 2 * v.at("depth") * (v.at("rows") + v.at("columns") + 2 * kPadding);
  return elements * static_cast<std::int64_t>(bytes_of(accumulator));
}

// The largest tile with which the product fills the device.
Variant standard_tile(const DeviceInfo& info, const Problem& problem, Element accumulator) {
  const std::int64_t units = std::max<std::int64_t>(info.compute_units, 1);
  const bool is_gpu = info.kind != DeviceKind::cpu && info.kind != DeviceKind::simulated;
  const bool is_large = is_gpu && accumulator == Element::f32 &&
                        tiles_of(problem.shape[0], 128) * tiles_of(problem.shape[1], 128) >= units;
  for (const Variant& v : {tile(128, 128, 16, 2), tile(64, 64, 16, 1), tile(64, 64, 8, 1)}) {
    const bool is_sensible = is_large || v.at("rows") == 64;
    if (is_sensible && static_cast<std::uint64_t>(shared_bytes(v, accumulator)) <= info.limits.shared_bytes)
      return v;
  }
  return tile(32, 32, 8, 1);
}

}  // namespace

Tiling Tiling::of_rows(const Device& device, const detail::View& view) {
  const Matrix matrix = matrix_of(view);
  Tiling out;
  out.depth_is_inner = matrix.column == 1 || matrix.row != 1;
  detail::View inner = view;
  if (!out.depth_is_inner) inner.layout = view.layout.transpose();
  if (has_pieces(device, inner)) out.vector = elements_of_piece(view.element);
  return out;
}

Tiling Tiling::of_columns(const Device& device, const detail::View& view) {
  detail::View rows = view;
  rows.layout = view.layout.transpose();
  return of_rows(device, rows);
}

std::string tilings_text(const Tiling& left, const Tiling& right) {
  return arguments(!left.depth_is_inner, right.depth_is_inner, left.vector, right.vector);
}

// `resident`: the least number of blocks per compute unit, as in __launch_bounds__.
std::vector<Variant> tile_variants(const DeviceInfo& info, const Problem& problem) {
  const Element accumulator = accumulator_of_product(problem.element);
  const auto is_sensible = [&](const Variant& v) {
    const std::int64_t rows = v.at("rows"), columns = v.at("columns");
    const std::int64_t registers =
        rows / 16 * columns / 16 * static_cast<std::int64_t>(bytes_of(accumulator)) / 4;  // of sums
    return static_cast<std::uint64_t>(shared_bytes(v, accumulator)) <= info.limits.shared_bytes &&
           (rows == columns || (rows == 2 * columns && rows > 64)) && registers <= 128 &&
           (v.at("resident") == 1 || registers == 64);
  };
  return with_default(standard_tile(info, problem, accumulator), variants({{"rows", {32, 64, 128, 256}},
                                                                           {"columns", {32, 64, 128}},
                                                                           {"depth", {8, 16}},
                                                                           {"resident", {1, 2}}},
                                                                          is_sensible));
}

Receipt multiply_in_tiles(const On& on, const Product& p, const Variant& variant) {
  const Device device = on.stream().device();
  const Matrix a = matrix_of(p.a), b = matrix_of(p.b), c = matrix_of(p.c);
  Tiling left = Tiling::of_rows(device, p.a), right = Tiling::of_columns(device, p.b);
  const std::int64_t rows = variant.at("rows"), columns = variant.at("columns"), depth = variant.at("depth"),
                     resident = variant.at("resident");
  for (Tiling* const t : {&left, &right}) {
    if (t->depth_is_inner && t->vector > depth) t->vector = 1;  // 8-bit elements
  }
  const KernelKey key = p.key("matmul_tiles", rows, columns, depth, resident, left.depth_is_inner,
                              right.depth_is_inner, left.vector, right.vector);
  const Kernel kernel = Engine::of(device)->kernel(device, key, [&]() -> KernelSource {
    return {{"index", "pieces", "matmul", "matmul_tiles"},
            {},
            instance("quern_ops::matmul_tiles", p.types(), rows, columns, depth, resident,
                     tilings_text(left, right))};
  });
  const std::int64_t tiles = p.batches * tiles_of(p.m, rows) * tiles_of(p.n, columns);
  return on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), tiles, 1)), p.batches, p.m,
                            p.n, p.k, a, b, c, p.bias_line(), scalar_of(p.accumulator, p.scalars.alpha),
                            scalar_of(p.accumulator, p.scalars.beta), argument_of(p.a), argument_of(p.b),
                            argument_of(p.c), p.bias_argument());
}

}  // namespace quern::ops
