/// @file
/// Histograms.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/reduce.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
/// `lower` and `upper` have the type SumOf of the input's elements.
QUERN_API Receipt histogram(const On& on, const View& in, const View& counts, const void* lower,
                            const void* upper);
QUERN_API Receipt histogram(const On& on, const View& in, const View& edges, const View& counts);
}  // namespace detail

/// Counts the elements in bins of equal width from `lower` to `upper`; counts.size() is the number of bins.
/// Elements less than `lower`, at least `upper`, or NaN are not counted. `counts` has one axis of 32-bit
/// integers.
template <Operand In, Operand Counts>
Receipt histogram(const On& on, In&& in, Counts&& counts, detail::SumOf<ValueOf<In>> lower,
                  detail::SumOf<ValueOf<In>> upper) {
  return detail::histogram(on, detail::view_of(in), detail::view_of(counts), &lower, &upper);
}

/// Counts the elements between edges: counts[b] is the number of elements from edges[b] on, below
/// edges[b + 1]. `edges` has one element more than `counts`, in ascending order, and the element type of
/// `in`. Elements less than the first edge, at least the last edge, or NaN are not counted. `counts` has one
/// axis of 32-bit integers.
template <Operand In, Operand Edges, Operand Counts>
Receipt histogram(const On& on, In&& in, Edges&& edges, Counts&& counts) {
  return detail::histogram(on, detail::view_of(in), detail::view_of(edges), detail::view_of(counts));
}

}  // namespace quern::ops
