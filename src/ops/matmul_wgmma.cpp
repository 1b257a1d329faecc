// Matrix products with the tensor cores of NVIDIA devices of compute capability 9.0 (text/matmul_wgmma.cuh).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/linear.hpp"
#include "ops/product.hpp"
#include "quern/extension.hpp"
#include "quern/ops/transform.hpp"
#include "quern/tensor_map.hpp"

namespace quern::ops {

namespace {

using detail::Layout;
using detail::View;

// Of text/matmul_wgmma.cuh.
constexpr std::int64_t kLineBytes = 128, kChunkLines = 64, kChunkBytes = kChunkLines * kLineBytes;
constexpr std::int64_t kBlockRows = 128, kBlockThreads = 384, kMostStages = 8, kBarrierBytes = 16;

constexpr std::int64_t kMapBytes = 16;     // strides in tensor maps are multiples
constexpr std::int64_t kLeastExtent = 33;  // of problems in a class of at least 64
constexpr std::int64_t kMostTiles = 1 << 30;

bool is_float(Element element) { return element == Element::f32; }
std::int64_t size_of(const View& view) { return static_cast<std::int64_t>(bytes_of(view.element)); }

// Next to the stages: results, the beginning that aligns stages, and barriers of split products.
constexpr std::int64_t kOtherBytes = 4 * kChunkBytes + 1024 + 32;

// Stages of tiles that fit into shared memory.
std::int64_t stages_of(const DeviceInfo& info, std::int64_t columns) {
  const auto all = static_cast<std::int64_t>(info.limits.shared_bytes);
  const std::int64_t rest = all - kOtherBytes;
  return std::min(kMostStages, rest / ((kBlockRows + columns) * kLineBytes + kBarrierBytes));
}

// Rows of a or columns of b: lines [batch][line][depth], of which depth or lines are contiguous.
struct Lines {
  View view;
  std::int64_t count, line_stride, depth, depth_stride, batches, batch_stride;

  bool depth_is_inner() const { return depth_stride == 1; }
  std::int64_t inner() const { return depth_is_inner() ? depth : count; }
  std::int64_t outer() const { return depth_is_inner() ? count : depth; }
  std::int64_t outer_stride() const { return depth_is_inner() ? line_stride : depth_stride; }

  bool has_tensor_map(const Device& device) const {
    const auto fits = [&](std::int64_t stride) {
      return stride > 0 && stride * size_of(view) % kMapBytes == 0;
    };
    return (depth_stride == 1 || line_stride == 1) && fits(outer_stride()) &&
           (batches == 1 || fits(batch_stride)) && is_aligned(device, view);
  }
  TensorMap map(TensorElement element, std::int64_t box_inner, std::int64_t box_outer) const {
    const auto bytes = [&](std::int64_t elements) {
      return static_cast<std::uint64_t>(elements * size_of(view));
    };
    const Slice<const std::byte> memory =
        Slice<const std::byte>(view.bytes).slice(static_cast<std::size_t>(bytes(view.layout.first)));
    return TensorMap(
        memory,
        {.element = element,
         .rank = 3,
         .sizes = {static_cast<std::uint64_t>(inner()), static_cast<std::uint64_t>(outer()),
                   static_cast<std::uint64_t>(batches)},
         .strides = {bytes(outer_stride()), bytes(batches == 1 ? outer_stride() * outer() : batch_stride)},
         .box = {static_cast<std::uint32_t>(box_inner), static_cast<std::uint32_t>(box_outer), 1},
         .swizzle = TensorSwizzle::bytes128,
         .promotion = TensorPromotion::bytes256});
  }
};

// The tensor cores read float as TF32.
TensorElement operand_element(Element element) {
  switch (element) {
    case Element::f16: return TensorElement::float16;
    case Element::bf16: return TensorElement::bfloat16;
    case Element::f32: return TensorElement::tensor_float32;
    default: return TensorElement::uint8;
  }
}
TensorElement result_element(Element element) {
  if (element == Element::i32) return TensorElement::int32;
  return element == Element::f32 ? TensorElement::float32 : operand_element(element);
}

Lines lines_of(const View& view, std::int64_t count, std::int64_t line_stride, std::int64_t depth,
               std::int64_t depth_stride) {
  const std::int64_t batches = matrix_of(view).batch == 0 ? 1 : batches_of(view);
  return {view, count, line_stride, depth, depth_stride, batches, matrix_of(view).batch};
}

// PackedLines of text/matmul_pack.cuh.
struct PackedLines {
  std::int64_t batches = 0, lines = 0, bytes = 0, first = 0, batch = 0, line = 0, pitch = 0;
  std::int64_t pieces() const { return batches * lines * tiles_of(bytes, kMapBytes); }
};

// An operand that has a tensor map: the user's, or a copy.
class Packed {
 public:
  // `takes_lines`: the tensor cores can read tiles in which depth is not contiguous.
  Packed(const On& on, const Lines& lines, bool takes_lines) : lines_(lines), from_(lines.view) {
    const Device device = on.stream().device();
    if (lines_.has_tensor_map(device) && (takes_lines || lines_.depth_is_inner())) return;
    const bool keeps_order = takes_lines && lines.line_stride == 1;
    const std::int64_t line = kLineBytes / size_of(lines.view);
    const std::int64_t inner = keeps_order ? lines.count : lines.depth,
                       outer = keeps_order ? lines.depth : lines.count, pitch = tiles_of(inner, line) * line,
                       inner_stride = keeps_order ? lines.line_stride : lines.depth_stride,
                       outer_stride = keeps_order ? lines.depth_stride : lines.line_stride;
    memory_.emplace(device, static_cast<std::size_t>(lines.batches * outer * pitch * size_of(lines.view)));
    View to = memory_->view(lines.view.element, lines.batches * outer * pitch);
    if (inner_stride == 1) {
      const std::int64_t size = size_of(lines.view);
      work_ = {lines.batches,
               outer,
               inner * size,
               lines.view.layout.first * size,
               lines.batch_stride * size,
               outer_stride * size,
               pitch * size};
    } else {
      View from = lines.view;
      from.layout = to.layout = Layout::contiguous({lines.batches, outer, inner});
      from.layout.first = lines.view.layout.first;
      from.layout.strides = {lines.batch_stride, outer_stride, inner_stride};
      to.layout.strides = {outer * pitch, pitch, 1};
      detail::copy(on, from, to);
    }
    lines_.view = to;
    lines_.batch_stride = outer * pitch;
    (keeps_order ? lines_.line_stride : lines_.depth_stride) = 1;
    (keeps_order ? lines_.depth_stride : lines_.line_stride) = pitch;
  }

  const Lines& lines() const { return lines_; }

  // Copies what is left to copy.
  static void finish(const On& on, const Packed& a, const Packed& b) {
    const std::int64_t pieces = a.work_.pieces() + b.work_.pieces();
    if (pieces == 0) return;
    const Device device = on.stream().device();
    const Kernel kernel =
        Engine::of(device)->kernel(device, {"index", "pieces", "matmul_pack"}, {}, "quern_ops::pack_lines");
    on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), pieces, kThreads)), a.work_,
                       b.work_, a.from(), b.from(), a.to(), b.to());
  }

 private:
  // Null: there is nothing to copy.
  Argument bytes_at(View view) const {
    view.element = Element::u8;
    return work_.pieces() == 0 ? Argument(nullptr) : argument_of(view);
  }
  Argument from() const { return bytes_at(from_); }
  Argument to() const { return bytes_at(lines_.view); }

  Lines lines_;
  View from_;
  std::optional<Workspace> memory_;
  PackedLines work_;
};

// Clusters of this size that run at the same time. Clusters do not extend over the parts of the chip, of
// which some have an odd number of pairs of units.
std::int64_t clusters_at_once(const DeviceInfo& info, std::int64_t size) {
  const std::int64_t units = std::max<std::int64_t>(info.compute_units, 1);
  return std::max<std::int64_t>(size <= 2 ? units / size : (units - 1) / size, 1);
}

}  // namespace

bool uses_wgmma(const DeviceInfo& info, const Problem& problem) {
  const bool has_type = problem.element == Element::f16 || problem.element == Element::bf16 ||
                        problem.element == Element::i8 || is_float8(problem.element) ||
                        problem.precision == Precision::tf32;
  constexpr std::uint32_t kHopper = 90;
  if (info.driver != "cuda" || info.compute_capability != kHopper || !has_type) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    if (problem.shape[i] < kLeastExtent || problem.shape[i] > INT32_MAX) return false;
  }
  return tiles_of(problem.shape[0], kBlockRows) * tiles_of(problem.shape[1], kChunkLines) < kMostTiles;
}

namespace {

// `columns`: of a block's tile; `down`: blocks of a cluster that share a tile of b; `across`: those that
// share a tile of a; `split`: blocks that compute a tile together, parts of the depth; `band`: rows of tiles
// that are computed at the same time; `lead`: steps between a block's groups.
class WgmmaVariants {
 public:
  WgmmaVariants(const DeviceInfo& info, const Problem& problem)
      : info_(info),
        units_(std::max<std::int64_t>(info.compute_units, 1)),
        m_(problem.shape[is_float(problem.element) ? 1 : 0]),  // see multiply_transposed()
        n_(problem.shape[is_float(problem.element) ? 0 : 1]),
        bytes_(static_cast<std::int64_t>(bytes_of(problem.element))),
        steps_(tiles_of(problem.shape[2] * bytes_, kLineBytes)),
        // Of the result, which may have 16 bits unless its type is known.
        least_columns_(problem.element == Element::i8 || problem.element == Element::f32 ? 32 : 64) {}

  std::vector<Variant> all() const {
    std::vector<Variant> out;
    for (const std::int64_t columns : {256, 192, 128, 64}) {
      for (const auto& [down, across, split] : kClusters) add(out, variant(columns, down, across, split));
    }
    const auto best = std::min_element(out.begin(), out.end(),
                                       [&](const Variant& a, const Variant& b) { return cost(a) < cost(b); });
    std::iter_swap(out.begin(), best);
    // What depends on the caches and the timing of groups: for large tiles only.
    for (const std::int64_t columns : {256, 128}) {
      for (const std::int64_t band : {8, 32}) add(out, variant(columns, 2, 1, 1, band));
      for (const std::int64_t lead : {1, 2}) add(out, variant(columns, 2, 1, 1, kBand, lead));
    }
    add(out, variant(256, 1, 1, 1, kBand, 2));
    return out;
  }

 private:
  static constexpr std::int64_t kBand = 16;
  // Blocks of a cluster: down, across, split. The first one is used if two have the same cost.
  static constexpr std::array<std::array<std::int64_t, 3>, 10> kClusters = {{{2, 1, 1},
                                                                             {1, 1, 1},
                                                                             {1, 2, 1},
                                                                             {2, 2, 1},
                                                                             {1, 4, 1},
                                                                             {1, 1, 2},
                                                                             {2, 1, 2},
                                                                             {1, 2, 2},
                                                                             {1, 4, 2},
                                                                             {1, 1, 4}}};

  static Variant variant(std::int64_t columns, std::int64_t down, std::int64_t across, std::int64_t split,
                         std::int64_t band = kBand, std::int64_t lead = 0) {
    return {{"columns", columns}, {"down", down}, {"across", across},
            {"split", split},     {"band", band}, {"lead", lead}};
  }
  // The same for all shapes of a class, so that a stored result applies to each of them.
  void add(std::vector<Variant>& out, const Variant& v) const {
    const auto rounded = [](std::int64_t extent) {
      return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
    };
    const std::int64_t m = rounded(m_), n = rounded(n_), steps = rounded(steps_);
    const std::int64_t columns = v.at("columns"), down = v.at("down"), across = v.at("across"),
                       split = v.at("split");
    const std::int64_t tiles = tiles_of(m, kBlockRows) * tiles_of(n, columns);
    const bool is_cluster_sensible = (down == 1 || m > kBlockRows) && (across - 1) * columns < n &&
                                     (across < 4 || m <= 2 * kBlockRows) &&
                                     (columns != 192 || across * split == 1);
    const bool is_split_sensible = split == 1 || (columns % (split * least_columns_) == 0 &&
                                                  steps >= 4 * split && tiles * split <= 2 * units_);
    if (stages_of(info_, columns) >= 2 && is_cluster_sensible && is_split_sensible) out.push_back(v);
  }
  // An estimate of the time in cycles.
  double cost(const Variant& v) const {
    const auto columns = static_cast<double>(v.at("columns")), down = static_cast<double>(v.at("down")),
               across = static_cast<double>(v.at("across")), split = static_cast<double>(v.at("split"));
    const std::int64_t size = v.at("down") * v.at("across") * v.at("split");
    const std::int64_t cluster_tiles =
        tiles_of(m_, kBlockRows * v.at("down")) * tiles_of(n_, v.at("columns") * v.at("across"));
    const std::int64_t waves = tiles_of(cluster_tiles, clusters_at_once(info_, size));
    // Of a step: a tensor core needs 4 cycles for a column; a block loads about 36 bytes from the L2 cache in
    // a cycle.
    const double multiplying = columns * 4,
                 loading = (kBlockRows / across + columns / down) * kLineBytes / 36;
    const double step = std::max(multiplying, loading) + 0.15 * std::min(multiplying, loading);
    const double steps = std::ceil(static_cast<double>(steps_) / split);
    const double exchange = split > 1 ? 1500 + (split - 1) / split * columns * kBlockRows * 4 / 30 : 0;
    // Clusters start later, and large ones leave units without work. Measured on an H200.
    const double of_cluster = size > 2 ? 2 : size == 2 ? 1.08 : 1;
    return of_cluster * static_cast<double>(waves) * (steps * step + 600 + columns * 6 + exchange);
  }

  const DeviceInfo& info_;
  std::int64_t units_, m_, n_, bytes_, steps_, least_columns_;
};

}  // namespace

std::vector<Variant> wgmma_variants(const DeviceInfo& info, const Problem& problem) {
  return WgmmaVariants(info, problem).all();
}

namespace {

Receipt multiply_as_given(const On& on, const Product& p, const Variant& variant) {
  const Device device = on.stream().device();
  const Matrix a_layout = matrix_of(p.a), b_layout = matrix_of(p.b), c_layout = matrix_of(p.c);
  const bool is_half = size_of(p.a) == 2;
  const Packed a(on, lines_of(p.a, p.m, a_layout.row, p.k, a_layout.column),
                 is_half || is_float(p.a.element));
  const Packed b(on, lines_of(p.b, p.n, b_layout.column, p.k, b_layout.row), is_half);
  Packed::finish(on, a, b);
  // The columns of the result take the place of depth.
  const Lines c = lines_of(p.c, p.m, c_layout.row, p.n, c_layout.column);
  const std::int64_t columns = variant.at("columns"), down = variant.at("down"),
                     across = variant.at("across"), stages = stages_of(device.info(), columns);
  const std::int64_t line = kLineBytes / size_of(p.a), steps = tiles_of(p.k, line);
  const std::int64_t split = steps < variant.at("split") ? 1 : variant.at("split"),
                     size = down * across * split;
  const bool a_is_by_column = !a.lines().depth_is_inner(), b_is_by_column = b.lines().depth_is_inner(),
             has_columns = size_of(p.c) == 4 && columns / split % kChunkLines == 0;
  // Store of text/matmul_wgmma.cuh.
  const int store = !c.has_tensor_map(device) ? 0 : c.depth_is_inner() ? 1 : has_columns ? 2 : 0;
  const TensorElement element = operand_element(p.a.element);
  const TensorMap a_map = a_is_by_column ? a.lines().map(element, line, line / across)
                                         : a.lines().map(element, line, kBlockRows / across);
  const TensorMap b_map = b_is_by_column ? b.lines().map(element, line, columns / down)
                                         : b.lines().map(element, line, line / down);
  const TensorMap c_map =
      store != 0 ? c.map(result_element(p.c.element), kLineBytes / size_of(p.c), kChunkLines) : a_map;

  const KernelKey key =
      p.key("matmul_wgmma", columns, stages, down, across, split, a_is_by_column, b_is_by_column, store);
  const Kernel kernel = Engine::of(device)->kernel(device, key, [&]() -> KernelSource {
    return {{"index", "matmul", "hopper", "matmul_wgmma"},
            {},
            instance("quern_ops::matmul_wgmma", name_of(p.a.element), name_of(p.c.element), p.epilogue(),
                     columns, stages, down, across, split, a_is_by_column, b_is_by_column, store)};
  });
  const std::int64_t tiles = p.batches * tiles_of(p.m, kBlockRows * down) * tiles_of(p.n, columns * across);
  const std::int64_t clusters = std::min(tiles, clusters_at_once(device.info(), size));
  const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  const std::int64_t shared = stages * ((kBlockRows + columns) * kLineBytes + kBarrierBytes) + kOtherBytes;
  LaunchConfig config = blocks_of_threads(static_cast<std::uint32_t>(clusters * size), kBlockThreads)
                            .shared(static_cast<std::uint64_t>(shared));
  if (size > 1) config = config.cluster({static_cast<std::uint32_t>(size), 1, 1});
  return on.stream().launch(kernel, config, number(p.batches), number(p.m), number(p.n), number(p.k),
                            number(std::max<std::int64_t>(variant.at("band") / down, 1)),
                            number(variant.at("lead")), number(a.lines().batches > 1 ? 1 : 0),
                            number(b.lines().batches > 1 ? 1 : 0), c_layout, p.bias_line(),
                            static_cast<float>(p.scalars.alpha), static_cast<float>(p.scalars.beta), a_map,
                            b_map, c_map, argument_of(p.c), p.bias_argument());
}

// c = a * b as transpose(c) = transpose(b) * transpose(a). In products of float, the tensor cores read only
// the left operand if depth is not contiguous: so b may have contiguous rows, as matrices usually do.
Receipt multiply_transposed(const On& on, const Product& p, const Variant& variant) {
  View a = p.b, b = p.a, c = p.c;
  for (View* const view : {&a, &b, &c}) view->layout = view->layout.transpose();
  return multiply_as_given(on, Product{a, b, c, nullptr, p.scalars, p.accumulator, p.batches, p.n, p.m, p.k},
                           variant);
}

}  // namespace

Receipt multiply_with_wgmma(const On& on, const Product& p, const Variant& variant) {
  const bool is_transposed = is_float(p.a.element) && p.bias == nullptr && matrix_of(p.a).column == 1;
  return is_transposed ? multiply_transposed(on, p, variant) : multiply_as_given(on, p, variant);
}

}  // namespace quern::ops
