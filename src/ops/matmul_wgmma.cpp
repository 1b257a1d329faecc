// Matrix products with the tensor cores of NVIDIA devices of compute capability 9.0 (text/matmul_wgmma.cuh).
#include <algorithm>
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

std::int64_t size_of(const View& view) { return static_cast<std::int64_t>(bytes_of(view.element)); }

// Stages of tiles that fit into shared memory, next to the results and the beginning that aligns them.
std::int64_t stages_of(const DeviceInfo& info, std::int64_t columns) {
  const auto all = static_cast<std::int64_t>(info.limits.shared_bytes);
  const std::int64_t rest = all - 4 * kChunkBytes - 1024;
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

// An operand that has a tensor map: the user's, or a copy.
class Packed {
 public:
  Packed(const On& on, const Lines& lines) : lines_(lines) {
    const Device device = on.stream().device();
    const bool is_half = size_of(lines.view) == 2;  // for other types, depth must be contiguous
    if (lines_.has_tensor_map(device) && (is_half || lines_.depth_is_inner())) return;
    const bool keeps_order = is_half && lines.line_stride == 1;
    const std::int64_t line = kLineBytes / size_of(lines.view);
    const std::int64_t inner = keeps_order ? lines.count : lines.depth,
                       outer = keeps_order ? lines.depth : lines.count, pitch = tiles_of(inner, line) * line;
    memory_.emplace(device, static_cast<std::size_t>(lines.batches * outer * pitch * size_of(lines.view)));
    View from = lines.view, to = memory_->view(lines.view.element, lines.batches * outer * pitch);
    const std::int64_t first = from.layout.first;
    from.layout = to.layout = Layout::contiguous({lines.batches, outer, inner});
    from.layout.first = first;
    from.layout.strides = {lines.batch_stride, keeps_order ? lines.depth_stride : lines.line_stride,
                           keeps_order ? lines.line_stride : lines.depth_stride};
    to.layout.strides = {outer * pitch, pitch, 1};
    detail::copy(on, from, to);
    lines_.view = to;
    lines_.batch_stride = outer * pitch;
    (keeps_order ? lines_.line_stride : lines_.depth_stride) = 1;
    (keeps_order ? lines_.depth_stride : lines_.line_stride) = pitch;
  }

  const Lines& lines() const { return lines_; }

 private:
  Lines lines_;
  std::optional<Workspace> memory_;
};

}  // namespace

bool uses_wgmma(const DeviceInfo& info, const Problem& problem) {
  const bool has_type = problem.element == Element::f16 || problem.element == Element::bf16 ||
                        problem.element == Element::i8 || problem.precision == Precision::tf32;
  constexpr std::uint32_t kHopper = 90;
  if (info.driver != "cuda" || info.compute_capability != kHopper || !has_type) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    if (problem.shape[i] < kLeastExtent || problem.shape[i] > INT32_MAX) return false;
  }
  return tiles_of(problem.shape[0], kBlockRows) * tiles_of(problem.shape[1], kChunkLines) < kMostTiles;
}

// `columns`: of a block's tile; `cluster`: blocks that share a tile of b.
std::vector<Variant> wgmma_variants(const DeviceInfo& info, const Problem& problem) {
  const std::int64_t units = std::max<std::int64_t>(info.compute_units, 1);
  const std::int64_t m = problem.shape[0], n = problem.shape[1];
  // An estimate of the time, in which multiplying a column of a tile takes 4.
  const auto cost = [&](std::int64_t columns, std::int64_t cluster) {
    const std::int64_t tiles = tiles_of(m, kBlockRows * cluster) * tiles_of(n, columns);
    const std::int64_t loads = 64 + columns / cluster;  // of a tile: all rows of a, and a part of b
    return tiles_of(tiles, std::max<std::int64_t>(units / cluster, 1)) * (columns * 4 + loads);
  };
  Variant best;
  std::int64_t least = INT64_MAX;
  for (const std::int64_t columns : {256, 192, 128, 64}) {
    for (const std::int64_t cluster : {2, 1}) {
      if (stages_of(info, columns) < 2 || (cluster == 2 && m <= kBlockRows)) continue;
      if (const std::int64_t c = cost(columns, cluster); c < least) {
        least = c;
        best = {{"columns", columns}, {"cluster", cluster}};
      }
    }
  }
  const auto fits = [&](const Variant& v) { return stages_of(info, v.at("columns")) >= 2; };
  return with_default(best, variants({{"columns", {64, 128, 192, 256}}, {"cluster", {1, 2}}}, fits));
}

Receipt multiply_with_wgmma(const On& on, const Product& p, const Variant& variant) {
  const Device device = on.stream().device();
  const Matrix a_layout = matrix_of(p.a), b_layout = matrix_of(p.b), c_layout = matrix_of(p.c);
  const Packed a(on, lines_of(p.a, p.m, a_layout.row, p.k, a_layout.column));
  const Packed b(on, lines_of(p.b, p.n, b_layout.column, p.k, b_layout.row));
  // The columns of the result take the place of depth.
  const Lines c = lines_of(p.c, p.m, c_layout.row, p.n, c_layout.column);
  const std::int64_t columns = variant.at("columns"), cluster = variant.at("cluster"),
                     stages = stages_of(device.info(), columns);
  const std::int64_t line = kLineBytes / size_of(p.a);
  const bool a_is_by_column = !a.lines().depth_is_inner(), b_is_by_column = b.lines().depth_is_inner(),
             stores_tiles = c.depth_is_inner() && c.has_tensor_map(device);
  const TensorElement element = operand_element(p.a.element);
  const TensorMap a_map = a_is_by_column ? a.lines().map(element, kChunkLines, kChunkLines)
                                         : a.lines().map(element, line, kBlockRows);
  const TensorMap b_map = b_is_by_column ? b.lines().map(element, line, columns / cluster)
                                         : b.lines().map(element, kChunkLines, kChunkLines / cluster);
  const TensorMap c_map =
      stores_tiles ? c.map(result_element(p.c.element), kLineBytes / size_of(p.c), kChunkLines) : a_map;

  const KernelKey key =
      p.key("matmul_wgmma", columns, stages, cluster, a_is_by_column, b_is_by_column, stores_tiles);
  const Kernel kernel = Engine::of(device)->kernel(device, key, [&]() -> KernelSource {
    return {{"index", "matmul", "matmul_wgmma"},
            {},
            instance("quern_ops::matmul_wgmma", name_of(p.a.element), name_of(p.c.element), p.epilogue(),
                     columns, stages, cluster, a_is_by_column, b_is_by_column, stores_tiles)};
  });
  const std::int64_t tiles = p.batches * tiles_of(p.m, kBlockRows * cluster) * tiles_of(p.n, columns);
  const std::int64_t clusters =
      std::min(tiles, std::max<std::int64_t>(device.info().compute_units / cluster, 1));
  const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  const std::int64_t shared =
      stages * ((kBlockRows + columns) * kLineBytes + kBarrierBytes) + 4 * kChunkBytes + 1024;
  LaunchConfig config = blocks_of_threads(static_cast<std::uint32_t>(clusters * cluster), kBlockThreads)
                            .shared(static_cast<std::uint64_t>(shared));
  if (cluster > 1) config = config.cluster({static_cast<std::uint32_t>(cluster), 1, 1});
  return on.stream().launch(kernel, config, number(p.batches), number(p.m), number(p.n), number(p.k),
                            number(a.lines().batches > 1 ? 1 : 0), number(b.lines().batches > 1 ? 1 : 0),
                            c_layout, p.bias_line(), static_cast<float>(p.scalars.alpha),
                            static_cast<float>(p.scalars.beta), a_map, b_map, c_map, argument_of(p.c),
                            p.bias_argument());
}

}  // namespace quern::ops
