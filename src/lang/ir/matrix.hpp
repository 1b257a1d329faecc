// The matrices of an instruction, packed into Attr::index: their element type, their shape, which of the
// three operands a fragment belongs to, and its layout in memory. The same numbers are used in
// builtin/library/wmma.cuh.
//
// A fragment is the array of elements that one thread of a warp holds. With g = lane / 4, t = lane % 4, and p
// the number of elements in 32 bits (double: 1), the matrices are cut into pieces of 8 rows (or columns) and
// 4p along k:
//   a        row 8r + g, k 4p * j + p * t + e        in the order of r / 2, j, r % 2, e
//   b        column 8c + g, k 4p * j + p * t + e     in the order of c, j, e
//   c and d  row 8r + g, column 8c + 2t + e          in the order of r / 2, c, r % 2, e
// 8x32x16 is 32x8x16 of the transposed matrices: a and b are swapped. This is the layout of NVIDIA's mma.
#pragma once

#include <cstdint>
#include <optional>

#include "lang/ir/type.hpp"

namespace quern::ir {

enum class MatrixType : uint8_t { kHalf, kBfloat, kTf32, kI8, kU8, kDouble };
enum class MatrixShape : uint8_t { k16x16x16, k32x8x16, k8x32x16, k16x16x8, k8x8x4 };
enum class MatrixUse : uint8_t { kA, kB, kAccumulator };

// How a target supports matrices: the result of matrix_form.
enum class MatrixForm : uint32_t {
  kLoops = 0,   // no support: multiplied with shuffles and plain arithmetic
  kValues = 1,  // fragments as above, multiplied by mma
  kOpaque = 2,  // opaque objects of the target; only fill, load, store and multiply know their layout
};

struct Matrix {
  MatrixType type = MatrixType::kHalf;
  MatrixShape shape = MatrixShape::k16x16x16;
  MatrixUse use = MatrixUse::kA;
  bool is_by_column = false;   // in memory
  bool is_half_sum = false;    // c and d are half
  bool is_saturating = false;  // integer sums saturate
  bool operator==(const Matrix&) const = default;
};

struct MatrixSize {
  uint32_t m, n, k;
};

uint32_t pack(const Matrix& matrix);
std::optional<Matrix> matrix_of(uint32_t packed);  // nothing: there is no such matrix
MatrixSize size_of(MatrixShape shape);
TypeKind element_of(const Matrix& matrix, MatrixUse use);
uint32_t elements_of(const Matrix& matrix, MatrixUse use);  // in the fragment of one thread

}  // namespace quern::ir
