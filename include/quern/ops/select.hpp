/// @file
/// Selection of elements of one axis: select, partition, unique. Elements keep their order. The result has
/// the shape of the input and must not overlap it.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/reduce.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
enum class Selection : std::uint8_t { select, partition, unique };
/// `predicate`: null for Selection::unique.
QUERN_API Receipt select(const On& on, Selection selection, const Function* predicate, const View& in,
                         const View& out, const View& count);
template <typename In, typename Out>
std::int64_t selected(const On& on, Selection selection, const Function* predicate, In& in, Out& out) {
  return value_from<std::int64_t>(
      on, [&](const View& count) { select(on, selection, predicate, view_of(in), view_of(out), count); });
}
}  // namespace detail

/// Copies the elements for which `predicate` is true to the beginning of `out`, and stores their number to
/// `count`, an operand with one int64_t.
template <Operand In, Operand Out, Operand Count>
Receipt select(const On& on, const Function& predicate, In&& in, Out&& out, Count&& count) {
  return detail::select(on, detail::Selection::select, &predicate, detail::view_of(in), detail::view_of(out),
                        detail::view_of(count));
}
/// The same; returns the number. Blocking.
template <Operand In, Operand Out>
std::int64_t select(const On& on, const Function& predicate, In&& in, Out&& out) {
  return detail::selected(on, detail::Selection::select, &predicate, in, out);
}

/// As select(), and copies the other elements after them.
template <Operand In, Operand Out, Operand Count>
Receipt partition(const On& on, const Function& predicate, In&& in, Out&& out, Count&& count) {
  return detail::select(on, detail::Selection::partition, &predicate, detail::view_of(in),
                        detail::view_of(out), detail::view_of(count));
}
/// The same; returns the number of elements for which `predicate` is true. Blocking.
template <Operand In, Operand Out>
std::int64_t partition(const On& on, const Function& predicate, In&& in, Out&& out) {
  return detail::selected(on, detail::Selection::partition, &predicate, in, out);
}

/// Copies the first element of each run of equal elements, and stores the number of runs to `count`.
template <Operand In, Operand Out, Operand Count>
Receipt unique(const On& on, In&& in, Out&& out, Count&& count) {
  return detail::select(on, detail::Selection::unique, nullptr, detail::view_of(in), detail::view_of(out),
                        detail::view_of(count));
}
/// The same; returns the number of runs. Blocking.
template <Operand In, Operand Out>
std::int64_t unique(const On& on, In&& in, Out&& out) {
  return detail::selected(on, detail::Selection::unique, nullptr, in, out);
}

}  // namespace quern::ops
