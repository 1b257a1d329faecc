/// @file
/// Reductions: of all elements, or along some axes.
///
/// The shape of the result selects the axes: an axis of extent 1 in the result is reduced, and other axes are
/// kept. With an input of shape 4×3, a result of shape 4×1 has one value for each row, 1×3 has one for each
/// column, and 1×1 or a shape without axes has one for all elements. Results are deterministic: the order of
/// the operations depends on the shapes and the device only.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "quern/export.hpp"
#include "quern/ops/function.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {

QUERN_API Receipt reduce(const On& on, Combine combine, const View& in, const View& out);
QUERN_API Receipt reduce(const On& on, const Function& combine, const View& in, const View& out,
                         const void* identity);
QUERN_API Receipt arg_reduce(const On& on, Combine combine, const View& in, const View& out);

/// The type of a sum: 64 bits for integers, float for 16-bit floating-point types.
template <typename T>
using SumOf =
    std::conditional_t<std::signed_integral<T>, std::int64_t,
                       std::conditional_t<std::unsigned_integral<T>, std::uint64_t,
                                          std::conditional_t<std::same_as<T, double>, double, float>>>;

/// Calls work(view of one element) and returns that element.
template <ElementType T, typename Work>
T value_from(const On& on, const Work& work) {
  const Tensor<T> out(on.stream().device(), Shape{});
  work(view_of(out));
  T value;
  on.stream().download(std::span(&value, 1), out.memory());
  on.stream().synchronize();
  return value;
}

template <ElementType R>
R reduced(const On& on, Combine combine, const View& in) {
  return value_from<R>(on, [&](const View& out) { reduce(on, combine, in, out); });
}

}  // namespace detail

/// Combines elements. Sums and products are computed in the wider type of input and result, with at least 32
/// bits.
template <Operand In, Operand Out>
Receipt reduce(const On& on, Combine combine, In&& in, Out&& out) {
  return detail::reduce(on, combine, detail::view_of(in), detail::view_of(out));
}
/// Combines elements with an associative and commutative function in the type of the result. `identity` is
/// its neutral element, the result of no elements.
template <Operand In, Operand Out>
Receipt reduce(const On& on, const Function& combine, In&& in, Out&& out, const ValueOf<Out>& identity) {
  return detail::reduce(on, combine, detail::view_of(in), detail::view_of(out), &identity);
}

/// The sum of all elements, in 64 bits for integers. Blocking.
template <Operand In>
detail::SumOf<ValueOf<In>> sum(const On& on, In&& in) {
  return detail::reduced<detail::SumOf<ValueOf<In>>>(on, Combine::sum, detail::view_of(in));
}
/// The smallest element that is not NaN; infinity or the largest value of the type if there is none.
/// Blocking.
template <Operand In>
ValueOf<In> min(const On& on, In&& in) {
  return detail::reduced<ValueOf<In>>(on, Combine::min, detail::view_of(in));
}
/// The largest element that is not NaN; -infinity or the lowest value of the type if there is none. Blocking.
template <Operand In>
ValueOf<In> max(const On& on, In&& in) {
  return detail::reduced<ValueOf<In>>(on, Combine::max, detail::view_of(in));
}

/// The position of the smallest element along the reduced axes, in row-major order; of the first one if
/// several are equal. NaN is ignored. `out` has 32-bit or 64-bit integers. Throws Error with kind
/// `invalid_use` if a reduced axis is empty and `out` is not.
template <Operand In, Operand Out>
Receipt argmin(const On& on, In&& in, Out&& out) {
  return detail::arg_reduce(on, Combine::min, detail::view_of(in), detail::view_of(out));
}
/// The position of the largest element along the reduced axes, as argmin().
template <Operand In, Operand Out>
Receipt argmax(const On& on, In&& in, Out&& out) {
  return detail::arg_reduce(on, Combine::max, detail::view_of(in), detail::view_of(out));
}
/// The position of the smallest of all elements. Blocking.
template <Operand In>
std::int64_t argmin(const On& on, In&& in) {
  return detail::value_from<std::int64_t>(
      on, [&](const detail::View& out) { detail::arg_reduce(on, Combine::min, detail::view_of(in), out); });
}
/// The position of the largest of all elements. Blocking.
template <Operand In>
std::int64_t argmax(const On& on, In&& in) {
  return detail::value_from<std::int64_t>(
      on, [&](const detail::View& out) { detail::arg_reduce(on, Combine::max, detail::view_of(in), out); });
}

}  // namespace quern::ops
