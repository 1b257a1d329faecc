#include "lang/ir/matrix.hpp"

namespace quern::ir {

namespace {

constexpr uint32_t kTypes = 6, kShapes = 5, kUses = 3;

bool exists(MatrixType type, MatrixShape shape) {
  switch (type) {
    case MatrixType::kTf32: return shape == MatrixShape::k16x16x8;
    case MatrixType::kDouble: return shape == MatrixShape::k8x8x4;
    default: return shape <= MatrixShape::k8x32x16;
  }
}

}  // namespace

uint32_t pack(const Matrix& m) {
  return static_cast<uint32_t>(m.type) | static_cast<uint32_t>(m.shape) << 4 |
         static_cast<uint32_t>(m.use) << 8 | uint32_t{m.is_by_column} << 10 | uint32_t{m.is_half_sum} << 11 |
         uint32_t{m.is_saturating} << 12;
}

std::optional<Matrix> matrix_of(uint32_t packed) {
  const uint32_t type = packed & 15, shape = packed >> 4 & 15, use = packed >> 8 & 3;
  if (type >= kTypes || shape >= kShapes || use >= kUses || packed >> 13 != 0) return {};
  Matrix m{static_cast<MatrixType>(type), static_cast<MatrixShape>(shape), static_cast<MatrixUse>(use),
           (packed >> 10 & 1) != 0,       (packed >> 11 & 1) != 0,         (packed >> 12 & 1) != 0};
  if (!exists(m.type, m.shape) || (m.is_half_sum && m.type != MatrixType::kHalf)) return {};
  return m;
}

MatrixSize size_of(MatrixShape shape) {
  switch (shape) {
    case MatrixShape::k16x16x16: return {16, 16, 16};
    case MatrixShape::k32x8x16: return {32, 8, 16};
    case MatrixShape::k8x32x16: return {8, 32, 16};
    case MatrixShape::k16x16x8: return {16, 16, 8};
    case MatrixShape::k8x8x4: break;
  }
  return {8, 8, 4};
}

TypeKind element_of(const Matrix& matrix, MatrixUse use) {
  const bool is_sum = use == MatrixUse::kAccumulator;
  switch (matrix.type) {
    case MatrixType::kHalf: return is_sum && !matrix.is_half_sum ? TypeKind::kF32 : TypeKind::kF16;
    case MatrixType::kBfloat: return is_sum ? TypeKind::kF32 : TypeKind::kBF16;
    case MatrixType::kTf32: return TypeKind::kF32;
    case MatrixType::kI8: return is_sum ? TypeKind::kI32 : TypeKind::kI8;
    case MatrixType::kU8: return is_sum ? TypeKind::kI32 : TypeKind::kU8;
    case MatrixType::kDouble: break;
  }
  return TypeKind::kF64;
}

uint32_t elements_of(const Matrix& matrix, MatrixUse use) {
  const MatrixSize s = size_of(matrix.shape);
  switch (use) {
    case MatrixUse::kA: return s.m * s.k / 32;
    case MatrixUse::kB: return s.n * s.k / 32;
    case MatrixUse::kAccumulator: break;
  }
  return s.m * s.n / 32;
}

}  // namespace quern::ir
