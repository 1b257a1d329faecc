/// @file
/// Matrix products.
#pragma once

#include <cstdint>
#include <type_traits>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// A function that matmul() applies to each element of the result. `gelu` uses erf, not its approximation by
/// tanh.
enum class Activation : std::uint8_t { none, relu, gelu, silu, sigmoid, tanh };
inline constexpr Activation relu = Activation::relu;        ///< max(x, 0)
inline constexpr Activation gelu = Activation::gelu;        ///< x * (1 + erf(x / sqrt(2))) / 2
inline constexpr Activation silu = Activation::silu;        ///< x / (1 + exp(-x))
inline constexpr Activation sigmoid = Activation::sigmoid;  ///< 1 / (1 + exp(-x))

/// How matmul() multiplies elements of type float. Sums are always in float.
enum class Precision : std::uint8_t {
  full,  ///< As float.
  tf32,  ///< May round elements to TF32, with 10 bits of mantissa, where tensor cores do so.
};

/// Options of matmul().
template <ElementType T>
struct MatmulOptions {
  double alpha = 1;                          ///< Factor of the product.
  double beta = 0;                           ///< Factor of the previous value of `c`, which 0 does not read.
  Tensor<const T> bias = {};                 ///< Added to each row: one axis, one element per column.
  Activation activation = Activation::none;  ///< Applied last.
  Precision precision = Precision::full;     ///< Of products of type float.
};

namespace detail {

template <ElementType T>
inline constexpr bool is_float8_type = std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2>;
template <ElementType T>
using ProductOf = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t,
                                     std::conditional_t<is_float8_type<T>, float, T>>;

struct MatmulScalars {
  double alpha, beta;
  Activation activation;
  Precision precision;
};
/// `bias`: null if there is none.
QUERN_API Receipt matmul(const On& on, const View& a, const View& b, const View& c, const View* bias,
                         const MatmulScalars& scalars);
QUERN_API Shape product_shape(const View& a, const View& b);

}  // namespace detail

/// c = activation(alpha * a * b + beta * c + bias). Matrices have two axes, or three for a batch; a matrix
/// with two axes is used for the whole batch. They may have any strides: pass a.transpose() for the
/// transpose. All have the same type: double, float, half or bfloat16. 16-bit types are summed in float.
/// Matrices of int8_t have a product of int32_t; then alpha must be 1, beta 0 or 1, and there is no
/// activation. Matrices of float8_e4m3 or float8_e5m2 are summed in float and have a product of float, half
/// or bfloat16; pass the product of their scales as alpha. `c` must not overlap `a` or `b`.
template <Operand A, Operand B, Operand C>
Receipt matmul(const On& on, A&& a, B&& b, C&& c, const MatmulOptions<ValueOf<C>>& options = {}) {
  const detail::View bias = detail::view_of(options.bias);
  return detail::matmul(on, detail::view_of(a), detail::view_of(b), detail::view_of(c),
                        options.bias.memory().empty() ? nullptr : &bias,
                        {options.alpha, options.beta, options.activation, options.precision});
}
/// The same with a new tensor for the result: float for 8-bit floats. `beta` must be 0.
template <Operand A, Operand B>
Tensor<detail::ProductOf<ValueOf<A>>> matmul(
    const On& on, A&& a, B&& b, const MatmulOptions<detail::ProductOf<ValueOf<A>>>& options = {}) {
  const Tensor<detail::ProductOf<ValueOf<A>>> c(
      on.stream().device(), detail::product_shape(detail::view_of(a), detail::view_of(b)));
  matmul(on, a, b, c, options);
  return c;
}

}  // namespace quern::ops
