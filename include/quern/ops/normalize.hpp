/// @file
/// Normalization of rows: layer_norm and rms_norm.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of layer_norm() and rms_norm(). Tensors without memory are not used.
template <ElementType T>
struct NormOptions {
  Tensor<const T> weight = {};    ///< Factors: one axis, one element per column.
  Tensor<const T> bias = {};      ///< Added last: one axis, one element per column.
  double epsilon = 1e-5;          ///< Added to the variance, or to the mean of the squares.
  Tensor<const T> residual = {};  ///< Added to the input, of the same shape.
  Tensor<T> sum = {};             ///< Receives input + residual. It may be the residual's tensor.
};

namespace detail {

struct Norm {
  bool is_rms;
  double epsilon;
  const View *weight, *bias, *residual, *sum;  // null if there is none
};
QUERN_API Receipt normalize(const On& on, const View& in, const View& out, const Norm& norm);

template <ElementType T>
Receipt normalize(const On& on, const View& in, const View& out, bool is_rms, const NormOptions<T>& options) {
  const View weight = view_of(options.weight), bias = view_of(options.bias),
             residual = view_of(options.residual), sum = view_of(options.sum);
  const auto given = [](const auto& tensor, const View& view) {
    return tensor.memory().empty() && tensor.rank() == 0 ? nullptr : &view;
  };
  return normalize(on, in, out,
                   {is_rms, options.epsilon, given(options.weight, weight), given(options.bias, bias),
                    given(options.residual, residual), given(options.sum, sum)});
}

}  // namespace detail

/// Normalizes along the last axis: out = (x - mean) / sqrt(variance + epsilon) * weight + bias, where x is
/// `in`, or in + residual rounded to the element type. Elements are double, float, half or bfloat16, the same
/// type for all operands; 16-bit types are computed in float. `out` may be the same tensor as `in`.
template <Operand In, Operand Out>
Receipt layer_norm(const On& on, In&& in, Out&& out, const NormOptions<ValueOf<Out>>& options = {}) {
  return detail::normalize(on, detail::view_of(in), detail::view_of(out), false, options);
}
/// The same with out = x / sqrt(mean of x * x + epsilon) * weight + bias.
template <Operand In, Operand Out>
Receipt rms_norm(const On& on, In&& in, Out&& out, const NormOptions<ValueOf<Out>>& options = {}) {
  return detail::normalize(on, detail::view_of(in), detail::view_of(out), true, options);
}

}  // namespace quern::ops
