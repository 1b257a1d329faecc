/// @file
/// Sorting of one axis: radix sort, and merge sort with a comparison function.
#pragma once

#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of sort().
struct SortOptions {
  bool descending = false;  ///< The largest key first.
};

namespace detail {
/// `values`: null if there are only keys.
QUERN_API Receipt sort(const On& on, const View& keys, const View* values, const SortOptions& options);
QUERN_API Receipt sort(const On& on, const View& keys, const View* values, const Function& less);
}  // namespace detail

/// Sorts keys in place. The keys have one axis and any element type. Stable: equal keys keep their order,
/// also if `descending`. -0 and +0 are equal; NaN is larger than infinity. At most 2^32 - 1 keys.
template <Operand Keys>
Receipt sort(const On& on, Keys&& keys, const SortOptions& options = {}) {
  return detail::sort(on, detail::view_of(keys), nullptr, options);
}
/// Sorts keys in place and moves the values with them. Values have the shape of the keys and any element
/// type.
template <Operand Keys, Operand Values>
Receipt sort(const On& on, Keys&& keys, Values&& values, const SortOptions& options = {}) {
  const detail::View view = detail::view_of(values);
  return detail::sort(on, detail::view_of(keys), &view, options);
}

/// Sorts keys in place in the order of `less`, a function of two keys that returns whether the first one
/// precedes the second: "[](float a, float b) { return a > b; }". It is a strict weak order, as for
/// std::sort; otherwise the order is unspecified. Stable: keys of which none precedes the other keep their
/// order. A merge sort: with the predefined order, the radix sort of the other overloads is faster.
template <Operand Keys>
Receipt sort(const On& on, Keys&& keys, const Function& less) {
  return detail::sort(on, detail::view_of(keys), nullptr, less);
}
/// Sorts keys in place in the order of `less` and moves the values with them. Values have the shape of the
/// keys and any element type.
template <Operand Keys, Operand Values>
Receipt sort(const On& on, Keys&& keys, Values&& values, const Function& less) {
  const detail::View view = detail::view_of(values);
  return detail::sort(on, detail::view_of(keys), &view, less);
}

}  // namespace quern::ops
