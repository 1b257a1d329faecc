/// @file
/// Gather and scatter along the first axis.
#pragma once

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
QUERN_API Receipt gather(const On& on, const View& in, const View& indices, const View& out, bool is_scatter);
}  // namespace detail

/// out[i] = in[indices[i]], where in[i] is a row if there are more axes. `indices` has one axis of 32-bit or
/// 64-bit integers. `in` and `out` have the same element type and do not overlap. Rows of `out` whose index
/// is out of range are not written.
template <Operand In, Operand Indices, Operand Out>
Receipt gather(const On& on, In&& in, Indices&& indices, Out&& out) {
  return detail::gather(on, detail::view_of(in), detail::view_of(indices), detail::view_of(out), false);
}
/// out[indices[i]] = in[i], as gather(). Indices out of range are ignored; if an index occurs more than once,
/// one of the rows is stored.
template <Operand In, Operand Indices, Operand Out>
Receipt scatter(const On& on, In&& in, Indices&& indices, Out&& out) {
  return detail::gather(on, detail::view_of(in), detail::view_of(indices), detail::view_of(out), true);
}

}  // namespace quern::ops
