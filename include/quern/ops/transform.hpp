/// @file
/// Elementwise operations: transform, copy, fill.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
QUERN_API Receipt transform(const On& on, const Function& function, std::span<const View> in,
                            const View& out);
QUERN_API Receipt copy(const On& on, const View& in, const View& out);
QUERN_API Receipt fill(const On& on, const View& out, const void* value);
}  // namespace detail

/// Calls `function` for each element: out[i] = function(in[i]...). The operands are the inputs and, last, the
/// result; without inputs the function takes no arguments. Inputs broadcast to the shape of the result, and
/// the result may be one of the inputs.
template <Operand... X>
requires(sizeof...(X) >= 1) Receipt transform(const On& on, const Function& function, X&&... operands) {
  const std::array<detail::View, sizeof...(X)> views{detail::view_of(operands)...};
  return detail::transform(on, function, std::span(views).first(sizeof...(X) - 1), views.back());
}

/// Copies elements between operands of any strides and types. `in` broadcasts to the shape of `out`.
template <Operand In, Operand Out>
Receipt copy(const On& on, In&& in, Out&& out) {
  return detail::copy(on, detail::view_of(in), detail::view_of(out));
}

/// Sets all elements to `value`.
template <Operand Out>
Receipt fill(const On& on, Out&& out, const ValueOf<Out>& value) {
  return detail::fill(on, detail::view_of(out), &value);
}

}  // namespace quern::ops
