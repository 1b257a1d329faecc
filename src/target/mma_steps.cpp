#include "target/mma_steps.hpp"

namespace quern::target {

namespace {

using ir::MatrixType;

// The types of d, a, b and c, as they end the instruction's name.
std::string types_of(const ir::Matrix& m) {
  switch (m.type) {
    case MatrixType::kHalf: return m.is_half_sum ? ".f16.f16.f16.f16" : ".f32.f16.f16.f32";
    case MatrixType::kBfloat: return ".f32.bf16.bf16.f32";
    case MatrixType::kTf32: return ".f32.tf32.tf32.f32";
    case MatrixType::kI8: return ".s32.s8.s8.s32";
    case MatrixType::kU8: return ".s32.u8.u8.s32";
    case MatrixType::kDouble: break;
  }
  return ".f64.f64.f64.f64";
}

std::string code_of(const ir::Matrix& m, const std::string& shape) {
  return "mma.sync.aligned." + shape + ".row.col" + (m.is_saturating ? ".satfinite" : "") + types_of(m);
}

std::vector<uint32_t> count_from(uint32_t first, uint32_t count) {
  std::vector<uint32_t> out(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = first + i;
  return out;
}

// A 16 x 8 tile of the sum: its registers, from `sum` on, and those of its operands.
void add_tile(const ir::Matrix& m, int architecture, uint32_t row, uint32_t column, uint32_t sum,
              std::vector<MmaStep>& out) {
  switch (m.type) {
    case MatrixType::kHalf: {
      const uint32_t count = m.is_half_sum ? 2 : 4;
      if (architecture >= 80) {
        out.push_back({code_of(m, "m16n8k16"), count_from(row * 4, 4), count_from(column * 2, 2),
                       count_from(sum * count, count)});
        return;
      }
      for (uint32_t k = 0; k < 2; ++k)
        out.push_back({code_of(m, "m16n8k8"),
                       count_from(row * 4 + k * 2, 2),
                       {column * 2 + k},
                       count_from(sum * count, count)});
      return;
    }
    case MatrixType::kBfloat:
    case MatrixType::kTf32:
      out.push_back({code_of(m, m.type == MatrixType::kTf32 ? "m16n8k8" : "m16n8k16"), count_from(row * 4, 4),
                     count_from(column * 2, 2), count_from(sum * 4, 4)});
      return;
    default:
      if (architecture >= 80) {
        out.push_back({code_of(m, "m16n8k16"), count_from(row * 2, 2), {column}, count_from(sum * 4, 4)});
        return;
      }
      for (uint32_t half = 0; half < 2; ++half)
        out.push_back({code_of(m, "m8n8k16"), {row * 2 + half}, {column}, count_from(sum * 4 + half * 2, 2)});
  }
}

}  // namespace

uint32_t elements_in_register(ir::TypeKind element) {
  switch (element) {
    case ir::TypeKind::kI8:
    case ir::TypeKind::kU8: return 4;
    case ir::TypeKind::kF16:
    case ir::TypeKind::kBF16: return 2;
    default: return 1;
  }
}

MmaPlan plan_mma(const ir::Matrix& matrix, int architecture) {
  MmaPlan out;
  out.is_swapped = matrix.shape == ir::MatrixShape::k8x32x16;
  if (matrix.type == MatrixType::kDouble) {
    out.steps.push_back({code_of(matrix, "m8n8k4"), {0}, {0}, {0, 1}});
    return out;
  }
  const ir::MatrixSize size = ir::size_of(matrix.shape);
  const uint32_t rows = (out.is_swapped ? size.n : size.m) / 16,
                 columns = (out.is_swapped ? size.m : size.n) / 8;
  for (uint32_t r = 0; r < rows; ++r) {
    for (uint32_t c = 0; c < columns; ++c) add_tile(matrix, architecture, r, c, r * columns + c, out.steps);
  }
  return out;
}

}  // namespace quern::target
