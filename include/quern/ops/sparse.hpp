/// @file
/// Products of sparse matrices with vectors and matrices. See docs/ops_sparse.md.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/blas.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// A sparse matrix in compressed sparse rows, as a view: row r has the elements from row_offsets[r] to
/// row_offsets[r + 1]. I: std::int32_t or std::int64_t, or the unsigned types.
template <ElementType T, ElementType I = std::int32_t>
struct CsrMatrix {
  using value_type = T;            ///< The type of the elements.
  std::int64_t rows = 0;           ///< Number of rows.
  std::int64_t columns = 0;        ///< Number of columns.
  Tensor<const I> row_offsets;     ///< One axis, rows + 1 elements, ascending from 0 on.
  Tensor<const I> column_indices;  ///< One axis, an index for each element. Those out of range are skipped.
  Tensor<const T> values;          ///< One axis, a value for each element.
};

/// A sparse matrix with the same number of elements for each row (ELLPACK), as a view.
template <ElementType T, ElementType I = std::int32_t>
struct EllMatrix {
  using value_type = T;      ///< The type of the elements.
  std::int64_t columns = 0;  ///< Number of columns.
  /// Two axes, rows × elements of a row. Indices out of range, such as -1, are skipped: shorter rows end with
  /// them. Devices read it fastest if neighboring rows are adjacent in memory (a transposed tensor).
  Tensor<const I> column_indices;
  Tensor<const T> values;  ///< The same shape.
};

namespace detail {

/// A sparse matrix without its C++ type. `offsets`: null for EllMatrix.
struct Sparse {
  std::int64_t rows, columns;
  const View* offsets;
  View indices, values;
};
/// `x` and `y` have one axis (spmv) or two.
QUERN_API Receipt sparse(const On& on, const char* operation, const Sparse& a, const View& x, const View& y,
                         const ProductOptions& options);

template <ElementType T, ElementType I>
Receipt sparse(const On& on, const char* operation, const CsrMatrix<T, I>& a, const View& x, const View& y,
               const ProductOptions& options) {
  const View offsets = view_of(a.row_offsets);
  return sparse(on, operation,
                Sparse{a.rows, a.columns, &offsets, view_of(a.column_indices), view_of(a.values)}, x, y,
                options);
}
template <ElementType T, ElementType I>
Receipt sparse(const On& on, const char* operation, const EllMatrix<T, I>& a, const View& x, const View& y,
               const ProductOptions& options) {
  const std::int64_t rows = a.values.rank() == 2 ? a.values.extent(0) : 0;
  return sparse(on, operation, Sparse{rows, a.columns, nullptr, view_of(a.column_indices), view_of(a.values)},
                x, y, options);
}

}  // namespace detail

/// CsrMatrix or EllMatrix.
template <typename M>
concept SparseMatrix = requires(const On& on, const M& a, const detail::View& v, const ProductOptions& o) {
  detail::sparse(on, "", a, v, v, o);
};

/// y = alpha * a * x + beta * y. All have the same type: double, float, half or bfloat16; 16-bit types are
/// summed in float. `y` must not overlap the others. Rows without elements give beta * y.
template <SparseMatrix M, Operand X, Operand Y>
Receipt spmv(const On& on, const M& a, X&& x, Y&& y, const ProductOptions& options = {}) {
  return detail::sparse(on, "spmv", a, detail::view_of(x), detail::view_of(y), options);
}

/// c = alpha * a * b + beta * c for matrices `b` and `c` with any strides; fastest if their rows are
/// contiguous. Types as for spmv(). `c` must not overlap the others.
template <SparseMatrix M, Operand B, Operand C>
Receipt spmm(const On& on, const M& a, B&& b, C&& c, const ProductOptions& options = {}) {
  return detail::sparse(on, "spmm", a, detail::view_of(b), detail::view_of(c), options);
}

}  // namespace quern::ops
