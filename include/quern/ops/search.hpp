/// @file
/// Binary search in sorted elements.
#pragma once

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
QUERN_API Receipt search(const On& on, const View& sorted, const View& queries, const View& out,
                         bool is_upper);
}  // namespace detail

/// out[i] is the number of elements of `sorted` that are less than queries[i]: the first position where the
/// query can be inserted. `sorted` has one axis in the order of sort(); NaN is larger than infinity.
/// `queries` has the same element type. `out` has the shape of `queries` and 32-bit or 64-bit integers.
template <Operand Sorted, Operand Queries, Operand Out>
Receipt lower_bound(const On& on, Sorted&& sorted, Queries&& queries, Out&& out) {
  return detail::search(on, detail::view_of(sorted), detail::view_of(queries), detail::view_of(out), false);
}
/// As lower_bound(), with the elements that are equal to the query: the last position.
template <Operand Sorted, Operand Queries, Operand Out>
Receipt upper_bound(const On& on, Sorted&& sorted, Queries&& queries, Out&& out) {
  return detail::search(on, detail::view_of(sorted), detail::view_of(queries), detail::view_of(out), true);
}

}  // namespace quern::ops
