// Quantized matrices.
#include "quern/ops/quantize.hpp"

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_nn.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kWordsOfPiece = 4;
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
  const Device device = on.stream().device();
  const bool is_cpu = device.info().kind == DeviceKind::cpu;
  const bool has_vectors = !is_cpu && q.group_words % kWordsOfPiece == 0 && has_pieces(device, q.words) &&
                           has_pieces(device, from);
  const bool is_grouped = q.groups > 1 || k > kExactColumns;
  const std::string name = "quantized_matvec<" + std::string(name_of(from.element)) + ", " +
                           std::string(name_of(c.element)) + ", " + format_text(quantization) +
                           (has_vectors ? ", 4, " : ", 1, ") + (m == 1 ? "1, " : "4, ") +
                           (is_cpu && m == 1 ? "8, " : "2, ") + (is_grouped ? "true>" : "false>");
  const Kernel kernel = quantize_kernel(device, name);
  const std::int64_t of_block = kThreads / 32 * (is_cpu && m == 1 ? 8 : 2);
  const MatvecShape shape{m,
                          q.rows,
                          q.group_words * q.groups,
                          q.group_words,
                          line_of_matrix(from),
                          line_of_matrix(q.words),
                          line_of_matrix(scales),
                          line_of_matrix(c),
                          activation_scales != nullptr ? line_of(activation_scales->layout) : Line{}};
  return on.stream().launch(
      kernel, blocks_of_threads(blocks_for(device.info(), q.rows, of_block)), shape, argument_of(q.words),
      argument_of(scales), argument_of(from),
      activation_scales != nullptr ? argument_of(*activation_scales) : Argument(nullptr), argument_of(c));
}

}  // namespace quern::ops::detail
