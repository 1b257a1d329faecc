/// @file
/// Factorizations and solutions of many small systems of linear equations. See docs/ops_linear.md.
///
/// Matrices have two axes, or three for a batch, and any strides. Elements are double or float.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of solve_triangular().
struct TriangularOptions {
  bool lower = true;       ///< The lower triangle of `a` is used, otherwise the upper one.
  bool transpose = false;  ///< Solves with the transpose of that triangle.
  bool unit = false;       ///< The diagonal is 1 and not read.
};

namespace detail {
QUERN_API Receipt cholesky(const On& on, const View& a);
QUERN_API Receipt lu(const On& on, const View& a, const View& pivots);
QUERN_API Receipt solve_triangular(const On& on, const View& a, const View& b,
                                   const TriangularOptions& options);
QUERN_API Receipt lu_solve(const On& on, const View& a, const View& pivots, const View& b);
}  // namespace detail

/// The Cholesky factorization a = l * transpose(l) of symmetric matrices, in place: reads and writes the
/// lower triangle. A matrix that is not positive definite gets NaN from the row with a negative pivot on. At
/// most 64 rows.
template <Operand A>
Receipt cholesky(const On& on, A&& a) {
  return detail::cholesky(on, detail::view_of(a));
}

/// The factorization p * a = l * u with partial pivoting, in place. The diagonal of l is 1 and not stored.
/// `pivots` has the type std::int32_t and an element for each row: in step k, rows k and pivots[k] were
/// exchanged. A singular matrix gets 0 on the diagonal of u. At most 64 rows.
template <Operand A, Operand Pivots>
Receipt lu(const On& on, A&& a, Pivots&& pivots) {
  return detail::lu(on, detail::view_of(a), detail::view_of(pivots));
}

/// Solves a * x = b for triangular matrices. `b` has the rows of `a` and any number of columns, and is
/// replaced by x. At most 1024 rows.
template <Operand A, Operand B>
Receipt solve_triangular(const On& on, A&& a, B&& b, const TriangularOptions& options = {}) {
  return detail::solve_triangular(on, detail::view_of(a), detail::view_of(b), options);
}

/// Solves a * x = b with the result of lu(). `b` is replaced by x.
template <Operand A, Operand Pivots, Operand B>
Receipt lu_solve(const On& on, A&& a, Pivots&& pivots, B&& b) {
  return detail::lu_solve(on, detail::view_of(a), detail::view_of(pivots), detail::view_of(b));
}

}  // namespace quern::ops
