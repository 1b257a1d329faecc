// Quantized matrices.
#include "quern/ops/quantize.hpp"

#include <algorithm>
#include <optional>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_nn.hpp"
#include "ops/product.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kWordsOfPiece = 4;
constexpr std::int64_t kPieceBytes = 16;
constexpr std::int64_t kExactColumns =
    65536;  // whose products with activations of 8 bits are summed in 32 bits

// MatrixLine and MatvecShape of text/quantize.cuh.
struct MatrixLine {
  std::int64_t first, row, column;
};
struct MatvecShape {
  std::int64_t m, n, words, group_words;
  MatrixLine a, weights, scales, c;
  Line activation_scales;
};

MatrixLine line_of_matrix(const View& view) {
  return {view.layout.first, view.layout.strides[0], view.layout.strides[1]};
}

std::int64_t columns_of_word(Quantization quantization) { return 16 / packed_bytes(quantization, 4); }

bool is_float(const View& view) {
  return view.element == Element::f32 || view.element == Element::f16 || view.element == Element::bf16;
}
bool has_bytes(const View& view) { return view.element == Element::u8 || view.element == Element::i8; }

void check_float(const char* operation, const char* name, const View& view) {
  if (!is_float(view))
    fail(ErrorKind::invalid_use, message::kWrongElement(operation, name, std::string(name_of(view.element)),
                                                        "float, half or bfloat16"));
}

// The matrix with words of 32 bits as elements.
View in_words(const char* operation, const char* name, const View& view) {
  View out = view;
  const auto& layout = view.layout;
  if (!has_bytes(view))
    fail(ErrorKind::invalid_use,
         message::kWrongElement(operation, name, std::string(name_of(view.element)), "uint8_t or int8_t"));
  const Shape& shape = layout.shape;
  const bool is_aligned = shape.rank() == 2 && shape[1] % 4 == 0 &&
                          (shape[1] == 0 || layout.strides[1] == 1) && layout.strides[0] % 4 == 0 &&
                          layout.first % 4 == 0 && view.bytes.offset % 4 == 0;
  if (!is_aligned) fail(ErrorKind::invalid_use, message::kUnalignedRows(operation, name, shape.to_string()));
  out.element = Element::u32;
  out.layout.shape = Shape{shape[0], shape[1] / 4};
  out.layout.strides[0] /= 4;
  out.layout.first /= 4;
  return out;
}

struct Quantized {
  View words;
  const View& scales;
  std::int64_t rows, columns, groups, group_words;
};

// `columns`: of the matrix that the packed one represents.
Quantized quantized_of(const char* operation, const View& packed, const View& scales, std::int64_t columns,
                       Quantization quantization) {
  const View words = in_words(operation, "packed", packed);
  check_element(operation, "scales", scales, Element::f32);
  const Shape& shape = packed.layout.shape;
  const std::int64_t each = columns_of_word(quantization);
  const bool has_columns = columns % each == 0 && shape[1] == packed_bytes(quantization, columns);
  const bool has_groups = scales.layout.shape.rank() == 2 && scales.layout.shape[0] == shape[0] &&
                          scales.layout.shape[1] > 0 && columns % (scales.layout.shape[1] * each) == 0;
  if (!has_columns || !has_groups)
    fail(ErrorKind::invalid_use,
         message::kBadQuantized(operation, std::to_string(columns), shape.to_string(),
                                scales.layout.shape.to_string(), std::to_string(each)));
  const std::int64_t groups = scales.layout.shape[1];
  return {words, scales, shape[0], columns, groups, columns / each / groups};
}

void check_matrix(const char* operation, const View& view) {
  if (view.layout.shape.rank() != 2)
    fail(ErrorKind::invalid_use, message::kWrongRank(operation, view.layout.shape.to_string()));
}

Kernel quantize_kernel(const Device& device, const std::string& name) {
  return Engine::of(device)->kernel(device, {"index", "pieces", "quantize"}, {}, "quern_ops::" + name);
}

std::string format_text(Quantization quantization) { return std::to_string(static_cast<int>(quantization)); }

}  // namespace

Receipt quantize(const On& on, const View& in, const View& packed, const View& scales,
                 Quantization quantization) {
  check_float("quantize", "in", in);
  check_matrix("quantize", in);
  check_writable("quantize", packed);
  check_writable("quantize", scales);
  const Quantized q = quantized_of("quantize", packed, scales, in.layout.shape[1], quantization);
  if (q.rows != in.layout.shape[0]) check_shape("quantize", "in", in, Shape{q.rows, q.columns});
  if (q.rows * q.columns == 0) return {};
  const Device device = on.stream().device();
  const Kernel kernel = quantize_kernel(
      device, "quantize<" + std::string(name_of(in.element)) + ", " + format_text(quantization) + ">");
  const MatrixLine from = line_of_matrix(in), to = line_of_matrix(q.words), factors = line_of_matrix(scales);
  return on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), q.rows * q.groups, 1)),
                            q.rows, q.groups, q.group_words, from, to, factors, argument_of(in),
                            argument_of(q.words), argument_of(scales));
}

Receipt dequantize(const On& on, const View& packed, const View& scales, const View& out,
                   Quantization quantization) {
  check_float("dequantize", "out", out);
  check_matrix("dequantize", out);
  check_writable("dequantize", out);
  const Quantized q = quantized_of("dequantize", packed, scales, out.layout.shape[1], quantization);
  if (q.rows != out.layout.shape[0]) check_shape("dequantize", "out", out, Shape{q.rows, q.columns});
  if (q.rows * q.columns == 0) return {};
  const Device device = on.stream().device();
  const Kernel kernel = quantize_kernel(
      device, "dequantize<" + std::string(name_of(out.element)) + ", " + format_text(quantization) + ">");
  const MatrixLine to = line_of_matrix(out), from = line_of_matrix(q.words), factors = line_of_matrix(scales);
  const std::int64_t row_words = q.group_words * q.groups, work = q.rows * row_words;
  return on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), work, kThreads)), work,
                            row_words, q.group_words, to, from, factors, argument_of(q.words),
                            argument_of(scales), argument_of(out));
}

namespace {

// The operands of a product. `a` holds words of four activations if these have 8 bits.
struct QuantizedProduct {
  const View& a;
  const Quantized& weights;
  const View& c;
  Quantization quantization;
  const View* activation_scales;
  std::int64_t m, k;

  bool is_integer() const { return a.element == Element::u32; }
  bool is_grouped() const { return weights.groups > 1 || k > kExactColumns; }
  std::string types() const {
    return std::string(name_of(a.element)) + ", " + std::string(name_of(c.element)) + ", " +
           format_text(quantization);
  }
  MatvecShape shape() const {
    return {m,
            weights.rows,
            weights.group_words * weights.groups,
            weights.group_words,
            line_of_matrix(a),
            line_of_matrix(weights.words),
            line_of_matrix(weights.scales),
            line_of_matrix(c),
            activation_scales != nullptr ? line_of(activation_scales->layout) : Line{}};
  }
  template <typename S>
  Receipt launch(const On& on, const Kernel& kernel, const LaunchConfig& config, const S& shape) const {
    return on.stream().launch(
        kernel, config, shape, argument_of(weights.words), argument_of(weights.scales), argument_of(a),
        activation_scales != nullptr ? argument_of(*activation_scales) : Argument(nullptr), argument_of(c));
  }
};

// How text/quantize_mma.cuh computes a product.
class TensorCorePlan {
 public:
  // Nothing if the kernel does not support the device or the operands.
  static std::optional<TensorCorePlan> of(const Device& device, const QuantizedProduct& p) {
    const DeviceInfo& info = device.info();
    const bool has_cores =
        (info.driver == "cuda" && info.compute_capability >= kAmpere) || info.driver == "sim";
    const bool has_type = p.is_integer() || p.a.element == Element::f16 || p.a.element == Element::bf16;
    const bool has_groups = p.weights.groups == 1 || p.weights.group_words % kChunkWords == 0;
    if (!has_cores || !has_type || !has_groups || !has_pieces(device, p.weights.words) ||
        !has_pieces(device, p.a))
      return std::nullopt;
    TensorCorePlan plan;
    const std::int64_t words = p.weights.group_words * p.weights.groups,
                       chunks = tiles_of(words, kChunkWords);
    const std::int64_t element = p.is_integer() ? 1 : 2;
    const std::int64_t chunk = kChunkWords * columns_of_word(p.quantization) * element;
    const std::int64_t row =
        tiles_of(chunks * chunk, kRowBytes) * kRowBytes + (chunk == kChunkBytes ? kChunkBytes : 0);
    const std::int64_t units = std::max<std::int64_t>(info.compute_units, 1);
    plan.tiles_ = p.weights.rows >= units * kManyRows ? 2 : 1;
    const std::int64_t fixed = kFixedBytes * plan.tiles_,
                       shared = static_cast<std::int64_t>(info.limits.shared_bytes);
    const std::int64_t rows = std::min({p.m, kMostColumns, (shared - fixed) / row});
    if (rows < 1 || words > INT32_MAX) return std::nullopt;
    plan.shared_ = rows * row;
    plan.blocks_ = std::min(tiles_of(p.weights.rows, kMmaRows * plan.tiles_),
                            units * std::clamp<std::int64_t>(shared / (plan.shared_ + fixed), 1, kResident));
    plan.shape_ = {p.shape(),
                   static_cast<int>(chunks),
                   static_cast<int>(p.weights.groups > 1 ? p.weights.group_words / kChunkWords : chunks),
                   static_cast<int>(rows),
                   static_cast<int>(row / kPieceBytes),
                   static_cast<int>(p.k * element / kPieceBytes)};
    return plan;
  }
  Receipt launch(const On& on, const QuantizedProduct& p) const {
    const std::string name = "quern_ops::quantized_mma<" + p.types() +
                             (tiles_ == 2 ? ", 2, 2, 2" : ", 1, 4, 2") +
                             (p.is_grouped() ? ", true>" : ", false>");
    const Kernel kernel =
        Engine::of(on.stream().device())
            ->kernel(on.stream().device(), {"index", "pieces", "quantize", "quantize_mma"}, {}, name);
    return p.launch(
        on, kernel,
        blocks_of_threads(static_cast<std::uint32_t>(blocks_)).shared(static_cast<std::uint64_t>(shared_)),
        shape_);
  }

 private:
  // MmaShape of text/quantize_mma.cuh, and its constants.
  struct MmaShape {
    MatvecShape of;
    int chunks, group_chunks, rows, pieces, existing;
  };
  static constexpr std::uint32_t kAmpere = 80;
  static constexpr std::int64_t kMmaRows = 16, kMostColumns = 8, kChunkWords = 16,
                                kChunkBytes = 4 * kChunkWords;
  static constexpr std::int64_t kRowBytes = 128, kManyRows = 32;
  static constexpr std::int64_t kResident = 2;           // blocks on a multiprocessor
  static constexpr std::int64_t kFixedBytes = 10 << 10;  // of a tile, in static shared memory

  std::int64_t tiles_ = 1, shared_ = 0, blocks_ = 0;
  MmaShape shape_{};
};

// Whether text/quantize_lanes.cuh computes a product: on processors, with groups of half a vector.
bool uses_lanes(const Device& device, const QuantizedProduct& p) {
  constexpr std::int64_t kHalfVector = 16;
  const bool has_groups = p.weights.groups == 1 || p.weights.group_words % kHalfVector == 0;
  return device.info().driver == "cpu" && p.is_integer() && has_groups;
}

Receipt launch_lanes(const On& on, const QuantizedProduct& p) {
  struct LanesShape {
    MatvecShape of;
    std::int64_t block_rows;
    int rows;
  };
  constexpr std::int64_t kLanes = 32, kRows = 4, kBlocksOfThread = 4, kStagedBytes = 1 << 18;
  const Device device = on.stream().device();
  const std::int64_t row = p.k + static_cast<std::int64_t>(sizeof(std::int32_t));
  const std::int64_t rows = std::clamp<std::int64_t>(kStagedBytes / row, 1, p.m);
  const std::int64_t blocks = device.info().compute_units * kBlocksOfThread;
  const std::int64_t block_rows = tiles_of(tiles_of(p.weights.rows, blocks), kRows) * kRows;
  const std::string name = "quern_ops::quantized_lanes<" + std::string(name_of(p.c.element)) + ", " +
                           format_text(p.quantization) + ", " + std::to_string(kRows) +
                           (p.is_grouped() ? ", true>" : ", false>");
  const Kernel kernel =
      Engine::of(device)->kernel(device, {"index", "pieces", "quantize", "quantize_lanes"}, {}, name);
  const LaunchConfig config =
      blocks_of_threads(static_cast<std::uint32_t>(tiles_of(p.weights.rows, block_rows)), kLanes)
          .shared(static_cast<std::uint64_t>(rows * row));
  return p.launch(on, kernel, config, LanesShape{p.shape(), block_rows, static_cast<int>(rows)});
}

Receipt launch_matvec(const On& on, const QuantizedProduct& p) {
  const Device device = on.stream().device();
  const bool is_cpu = device.info().kind == DeviceKind::cpu;
  const bool has_vectors = !is_cpu && p.weights.group_words % kWordsOfPiece == 0 &&
                           has_pieces(device, p.weights.words) && has_pieces(device, p.a);
  const bool has_many_rows = is_cpu && p.m == 1;
  const std::string name = "quantized_matvec<" + p.types() + (has_vectors ? ", 4, " : ", 1, ") +
                           (p.m == 1 ? "1, " : "4, ") + (has_many_rows ? "8, " : "2, ") +
                           (p.is_grouped() ? "true>" : "false>");
  const std::int64_t of_block = kThreads / 32 * (has_many_rows ? 8 : 2);
  return p.launch(on, quantize_kernel(device, name),
                  blocks_of_threads(blocks_for(device.info(), p.weights.rows, of_block)), p.shape());
}

}  // namespace

Receipt quantized_matmul(const On& on, const View& a, const View& packed, const View& scales, const View& c,
                         Quantization quantization, const View* activation_scales) {
  const char* const operation = "quantized_matmul";
  check_matrix(operation, a);
  check_writable(operation, c);
  check_float(operation, "c", c);
  const bool is_integer = a.element == Element::i8 && quantization != Quantization::fp8;
  if (!is_integer) check_float(operation, "a", a);
  const std::int64_t m = a.layout.shape[0], k = a.layout.shape[1];
  const Quantized q = quantized_of(operation, packed, scales, k, quantization);
  check_shape(operation, "c", c, Shape{m, q.rows});
  if (activation_scales != nullptr) check_shape(operation, "activation_scales", *activation_scales, Shape{m});
  if (m * q.rows == 0) return {};
  const View from = is_integer ? in_words(operation, "a", a) : a;
  const QuantizedProduct product{from, q, c, quantization, activation_scales, m, k};
  if (const auto plan = TensorCorePlan::of(on.stream().device(), product)) return plan->launch(on, product);
  return uses_lanes(on.stream().device(), product) ? launch_lanes(on, product) : launch_matvec(on, product);
}

}  // namespace quern::ops::detail
