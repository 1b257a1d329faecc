/// @file
/// Scans (prefix sums and the like) along the last axis. For another axis, pass transposed views. Input and
/// result have the same shape and may be the same tensor.
#pragma once

#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
QUERN_API Receipt scan(const On& on, Combine combine, const View& in, const View& out, bool is_exclusive);
QUERN_API Receipt scan(const On& on, const Function& combine, const View& in, const View& out,
                       bool is_exclusive, const void* identity);
}  // namespace detail

/// out[i] = in[0] + ... + in[i], with `combine` instead of +. Sums and products are computed in the wider
/// type of input and result, with at least 32 bits.
template <Operand In, Operand Out>
Receipt inclusive_scan(const On& on, Combine combine, In&& in, Out&& out) {
  return detail::scan(on, combine, detail::view_of(in), detail::view_of(out), false);
}
/// The same with an associative function in the type of the result, and its neutral element.
template <Operand In, Operand Out>
Receipt inclusive_scan(const On& on, const Function& combine, In&& in, Out&& out,
                       const ValueOf<Out>& identity) {
  return detail::scan(on, combine, detail::view_of(in), detail::view_of(out), false, &identity);
}
/// out[0] is the neutral element; out[i] = in[0] + ... + in[i - 1], with `combine` instead of +.
template <Operand In, Operand Out>
Receipt exclusive_scan(const On& on, Combine combine, In&& in, Out&& out) {
  return detail::scan(on, combine, detail::view_of(in), detail::view_of(out), true);
}
/// The same with an associative function in the type of the result, and its neutral element.
template <Operand In, Operand Out>
Receipt exclusive_scan(const On& on, const Function& combine, In&& in, Out&& out,
                       const ValueOf<Out>& identity) {
  return detail::scan(on, combine, detail::view_of(in), detail::view_of(out), true, &identity);
}

}  // namespace quern::ops
