/// @file
/// Concatenation of tensors.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

namespace detail {
QUERN_API Receipt concatenate(const On& on, std::span<const View> in, std::size_t axis, const View& out);
}  // namespace detail

/// Copies tensors one after the other along an axis: concatenate(gpu, {a, b, c}, 0, out). All tensors have
/// the same number of axes, and the same extents except on `axis`, where the extent of `out` is the sum.
/// `out` does not overlap the inputs. Copies each tensor with one kernel.
template <Operand Out>
Receipt concatenate(const On& on, std::span<const Tensor<const ValueOf<Out>>> in, std::size_t axis,
                    Out&& out) {
  std::vector<detail::View> views;
  for (const auto& tensor : in) views.push_back(detail::view_of(tensor));
  return detail::concatenate(on, views, axis, detail::view_of(out));
}
/// The same with a list.
template <Operand Out>
Receipt concatenate(const On& on, std::initializer_list<Tensor<const ValueOf<Out>>> in, std::size_t axis,
                    Out&& out) {
  return concatenate(on, std::span<const Tensor<const ValueOf<Out>>>(in.begin(), in.size()), axis, out);
}

}  // namespace quern::ops
