/// @file
/// The largest or smallest elements of each row.
#pragma once

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of top_k().
struct TopKOptions {
  bool largest = true;  ///< False: the smallest elements.
};

namespace detail {
QUERN_API Receipt top_k(const On& on, const View& in, const View& values, const View& indices,
                        const TopKOptions& options);
}  // namespace detail

/// The k largest or smallest elements along the last axis, sorted from the largest or smallest one on, and
/// their positions. k is the last extent of `values`; its other extents are those of `in`. `indices` has the
/// shape of `values` and 32-bit or 64-bit integers. Of equal elements, the one with the lower position is
/// first. -0 and +0 are equal; NaN is larger than infinity, and all NaN are equal. Results do not overlap
/// `in`.
template <Operand In, Operand Values, Operand Indices>
Receipt top_k(const On& on, In&& in, Values&& values, Indices&& indices, const TopKOptions& options = {}) {
  return detail::top_k(on, detail::view_of(in), detail::view_of(values), detail::view_of(indices), options);
}

}  // namespace quern::ops
