/// @file
/// Vectors and matrix-vector products: BLAS level 1 and gemv. See docs/ops_linear.md.
///
/// Vectors have one axis and any stride. Elements are double, float, half or bfloat16; 16-bit types are
/// computed in float.
#pragma once

#include <cstdint>
#include <type_traits>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/reduce.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {

enum class VectorOperation : std::uint8_t { axpy, scal, swap, rot };
enum class VectorReduction : std::uint8_t { dot, nrm2, asum, iamax };
/// `y`: null for scal.
QUERN_API Receipt vector(const On& on, VectorOperation operation, double a, double b, const View& x,
                         const View* y);
/// `y`: null unless dot.
QUERN_API Receipt vector(const On& on, VectorReduction reduction, const View& x, const View* y,
                         const View& out);
QUERN_API Receipt gemv(const On& on, const View& a, const View& x, const View& y, double alpha, double beta);

}  // namespace detail

/// y = alpha * x + y.
template <Operand X, Operand Y>
Receipt axpy(const On& on, double alpha, X&& x, Y&& y) {
  const detail::View to = detail::view_of(y);
  return detail::vector(on, detail::VectorOperation::axpy, alpha, 0, detail::view_of(x), &to);
}
/// x = alpha * x.
template <Operand X>
Receipt scal(const On& on, double alpha, X&& x) {
  return detail::vector(on, detail::VectorOperation::scal, alpha, 0, detail::view_of(x), nullptr);
}
/// Exchanges x and y.
template <Operand X, Operand Y>
Receipt swap(const On& on, X&& x, Y&& y) {
  const detail::View other = detail::view_of(y);
  return detail::vector(on, detail::VectorOperation::swap, 0, 0, detail::view_of(x), &other);
}
/// A plane rotation: x = c * x + s * y, and y = c * y - s * x.
template <Operand X, Operand Y>
Receipt rot(const On& on, X&& x, Y&& y, double c, double s) {
  const detail::View other = detail::view_of(y);
  return detail::vector(on, detail::VectorOperation::rot, c, s, detail::view_of(x), &other);
}

/// The sum of x[i] * y[i]. `out` has one element of the type of x.
template <Operand X, Operand Y, Operand Out>
Receipt dot(const On& on, X&& x, Y&& y, Out&& out) {
  const detail::View other = detail::view_of(y);
  return detail::vector(on, detail::VectorReduction::dot, detail::view_of(x), &other, detail::view_of(out));
}
/// The same; returns the value. Blocking.
template <Operand X, Operand Y>
ValueOf<X> dot(const On& on, X&& x, Y&& y) {
  const detail::View from = detail::view_of(x), other = detail::view_of(y);
  return detail::value_from<ValueOf<X>>(on, [&](const detail::View& out) {
    detail::vector(on, detail::VectorReduction::dot, from, &other, out);
  });
}
/// The Euclidean norm, without overflow of the squares. `out` has one element of the type of x.
template <Operand X, Operand Out>
Receipt nrm2(const On& on, X&& x, Out&& out) {
  return detail::vector(on, detail::VectorReduction::nrm2, detail::view_of(x), nullptr, detail::view_of(out));
}
/// The same; returns the value. Blocking.
template <Operand X>
ValueOf<X> nrm2(const On& on, X&& x) {
  const detail::View from = detail::view_of(x);
  return detail::value_from<ValueOf<X>>(on, [&](const detail::View& out) {
    detail::vector(on, detail::VectorReduction::nrm2, from, nullptr, out);
  });
}
/// The sum of absolute values. `out` has one element of the type of x.
template <Operand X, Operand Out>
Receipt asum(const On& on, X&& x, Out&& out) {
  return detail::vector(on, detail::VectorReduction::asum, detail::view_of(x), nullptr, detail::view_of(out));
}
/// The same; returns the value. Blocking.
template <Operand X>
ValueOf<X> asum(const On& on, X&& x) {
  const detail::View from = detail::view_of(x);
  return detail::value_from<ValueOf<X>>(on, [&](const detail::View& out) {
    detail::vector(on, detail::VectorReduction::asum, from, nullptr, out);
  });
}
/// The position, from 0, of the largest absolute value; of the first one if several are equal. NaN is
/// ignored. -1 if there is no number. `out` has one std::int64_t.
template <Operand X, Operand Out>
Receipt iamax(const On& on, X&& x, Out&& out) {
  return detail::vector(on, detail::VectorReduction::iamax, detail::view_of(x), nullptr,
                        detail::view_of(out));
}
/// The same; returns the position. Blocking.
template <Operand X>
std::int64_t iamax(const On& on, X&& x) {
  const detail::View from = detail::view_of(x);
  return detail::value_from<std::int64_t>(on, [&](const detail::View& out) {
    detail::vector(on, detail::VectorReduction::iamax, from, nullptr, out);
  });
}

/// Options of gemv().
struct ProductOptions {
  double alpha = 1;  ///< Factor of the product.
  double beta = 0;   ///< Factor of the previous result, which 0 does not read.
};

/// y = alpha * a * x + beta * y for a matrix with m rows and n columns. Pass a.transpose() for the transpose.
/// All have the same type; `y` must not overlap the others.
template <Operand A, Operand X, Operand Y>
Receipt gemv(const On& on, A&& a, X&& x, Y&& y, const ProductOptions& options = {}) {
  return detail::gemv(on, detail::view_of(a), detail::view_of(x), detail::view_of(y), options.alpha,
                      options.beta);
}

}  // namespace quern::ops
