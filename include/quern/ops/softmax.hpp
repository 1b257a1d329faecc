/// @file
/// Softmax, and cross entropy of logits.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of softmax() and log_softmax().
struct SoftmaxOptions {
  int axis = -1;  ///< The axis along which the result sums to 1; negative: from the last axis on.
};

/// Options of cross_entropy() and cross_entropy_gradient().
struct CrossEntropyOptions {
  std::int64_t ignored = -100;  ///< Rows with this target have loss and gradient 0.
};

namespace detail {
QUERN_API Receipt softmax(const On& on, const View& in, const View& out, int axis, bool is_log);
QUERN_API Receipt cross_entropy(const On& on, const View& logits, const View& targets, const View& loss,
                                std::int64_t ignored);
QUERN_API Receipt cross_entropy_gradient(const On& on, const View& logits, const View& targets,
                                         const View& loss_gradient, const View& gradient,
                                         std::int64_t ignored);
}  // namespace detail

/// out = exp(in) / sum(exp(in)) along an axis, computed without overflow. Elements are double, float, half or
/// bfloat16; 16-bit types are computed in float. `out` has the type and shape of `in` and may be the same
/// tensor. As in the formula, the result is NaN if an element along the axis is NaN or infinity, or if all
/// are -infinity.
template <Operand In, Operand Out>
Receipt softmax(const On& on, In&& in, Out&& out, const SoftmaxOptions& options = {}) {
  return detail::softmax(on, detail::view_of(in), detail::view_of(out), options.axis, false);
}
/// The logarithm of softmax().
template <Operand In, Operand Out>
Receipt log_softmax(const On& on, In&& in, Out&& out, const SoftmaxOptions& options = {}) {
  return detail::softmax(on, detail::view_of(in), detail::view_of(out), options.axis, true);
}

/// loss[r] = -log_softmax(logits[r])[targets[r]] for each row of `logits`, which has the axes rows and
/// classes. `targets` has one 32-bit or 64-bit integer per row; `loss` has one float per row, or double if
/// the logits are double. The loss of a target that is not a class is NaN.
template <Operand Logits, Operand Targets, Operand Loss>
Receipt cross_entropy(const On& on, Logits&& logits, Targets&& targets, Loss&& loss,
                      const CrossEntropyOptions& options = {}) {
  return detail::cross_entropy(on, detail::view_of(logits), detail::view_of(targets), detail::view_of(loss),
                               options.ignored);
}
/// The gradient of cross_entropy() with respect to the logits: gradient[r][c] = loss_gradient[r] *
/// (softmax(logits[r])[c] - (c == targets[r])). `loss_gradient` is the gradient of the loss; broadcast one
/// element for the gradient of a sum or mean. `gradient` has the type and shape of `logits` and may be the
/// same tensor.
template <Operand Logits, Operand Targets, Operand LossGradient, Operand Gradient>
Receipt cross_entropy_gradient(const On& on, Logits&& logits, Targets&& targets, LossGradient&& loss_gradient,
                               Gradient&& gradient, const CrossEntropyOptions& options = {}) {
  return detail::cross_entropy_gradient(on, detail::view_of(logits), detail::view_of(targets),
                                        detail::view_of(loss_gradient), detail::view_of(gradient),
                                        options.ignored);
}

}  // namespace quern::ops
