/// @file
/// Activation functions.
#pragma once

#include "quern/export.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of activate() and activate_gated().
struct ActivateOptions {
  bool approximate = false;  ///< gelu by tanh: x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.
};

namespace detail {
/// `up`: null without a gate.
QUERN_API Receipt activate(const On& on, Activation activation, const View& in, const View* up,
                           const View& out, bool is_approximate);
}  // namespace detail

/// out = activation(in). Elements are double, float, half or bfloat16; 16-bit types are computed in float.
/// `out` has the type and shape of `in` and may be the same tensor.
template <Operand In, Operand Out>
Receipt activate(const On& on, Activation activation, In&& in, Out&& out,
                 const ActivateOptions& options = {}) {
  return detail::activate(on, activation, detail::view_of(in), nullptr, detail::view_of(out),
                          options.approximate);
}
/// out = activation(gate) * up: SwiGLU with silu, GEGLU with gelu, ReGLU with relu. `gate` and `up` may be
/// slices of one tensor.
template <Operand Gate, Operand Up, Operand Out>
Receipt activate_gated(const On& on, Activation activation, Gate&& gate, Up&& up, Out&& out,
                       const ActivateOptions& options = {}) {
  const detail::View view = detail::view_of(up);
  return detail::activate(on, activation, detail::view_of(gate), &view, detail::view_of(out),
                          options.approximate);
}

}  // namespace quern::ops
