/// @file
/// Convolution and pooling of images.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/matmul.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// A number for each axis of an image.
struct Extent2 {
  std::int64_t y = 0;  ///< Along the rows of pixels (height).
  std::int64_t x = 0;  ///< Along a row of pixels (width).
};

/// Options of conv2d().
template <ElementType T>
struct Conv2dOptions {
  Tensor<const T> bias = {};  ///< Added to each channel of the result: one axis.
  Extent2 stride = {1, 1};    ///< Distance of neighboring windows, at least 1.
  Extent2 padding = {0, 0};   ///< Zeros on both sides of the image.
  Extent2 dilation = {1, 1};  ///< Distance of the elements of a window, at least 1.
  std::int64_t groups = 1;    ///< Of channels; each channel of the result reads those of its group.
  Activation activation = Activation::none;  ///< Applied last.
};

/// Options of max_pool2d() and average_pool2d().
struct Pool2dOptions {
  Extent2 window = {2, 2};     ///< Extent of a window, at least 1.
  Extent2 stride = {0, 0};     ///< Distance of neighboring windows; 0: the extent of the window.
  Extent2 padding = {0, 0};    ///< On both sides of the image; less than the extent of the window.
  bool counts_padding = true;  ///< average_pool2d(): padding counts as zeros; otherwise it is not counted.
};

namespace detail {

struct Conv2d {
  Extent2 stride, padding, dilation;
  std::int64_t groups;
  Activation activation;
};
/// `bias`: null if there is none.
QUERN_API Receipt conv2d(const On& on, const View& in, const View& weight, const View& out, const View* bias,
                         const Conv2d& options);
QUERN_API Shape conv2d_shape(const View& in, const View& weight, const Conv2d& options);
QUERN_API Receipt pool2d(const On& on, const View& in, const View& out, const Pool2dOptions& options,
                         bool is_max);

template <ElementType T>
Conv2d conv2d_of(const Conv2dOptions<T>& options) {
  return {options.stride, options.padding, options.dilation, options.groups, options.activation};
}

}  // namespace detail

/// Cross-correlation of images with filters, as in neural networks: out[n][k] = activation(bias[k] + the sum
/// over the channels of in[n] with weight[k]). `in` has the axes images, channels, height and width; `weight`
/// has filters, channels of a group, height and width; `out` has images, filters, height and width. All have
/// the same type: double, float, half or bfloat16; 16-bit types are summed in float. Operands may have any
/// strides. `out` must not overlap other operands.
template <Operand In, Operand Weight, Operand Out>
Receipt conv2d(const On& on, In&& in, Weight&& weight, Out&& out,
               const Conv2dOptions<ValueOf<Out>>& options = {}) {
  const detail::View bias = detail::view_of(options.bias);
  return detail::conv2d(on, detail::view_of(in), detail::view_of(weight), detail::view_of(out),
                        options.bias.memory().empty() ? nullptr : &bias, detail::conv2d_of(options));
}
/// The same with a new tensor for the result.
template <Operand In, Operand Weight>
Tensor<ValueOf<In>> conv2d(const On& on, In&& in, Weight&& weight,
                           const Conv2dOptions<ValueOf<In>>& options = {}) {
  const Tensor<ValueOf<In>> out(
      on.stream().device(),
      detail::conv2d_shape(detail::view_of(in), detail::view_of(weight), detail::conv2d_of(options)));
  conv2d(on, in, weight, out, options);
  return out;
}

/// The largest element of each window. NaN is the result if the window contains NaN. `in` and `out` have the
/// axes images, channels, height and width, and the same type: double, float, half or bfloat16. An extent of
/// `out` is (extent of in + 2
/// * padding - window) / stride + 1.
template <Operand In, Operand Out>
Receipt max_pool2d(const On& on, In&& in, Out&& out, const Pool2dOptions& options = {}) {
  return detail::pool2d(on, detail::view_of(in), detail::view_of(out), options, true);
}
/// The mean of each window, as max_pool2d(). Sums of 16-bit types are in float.
template <Operand In, Operand Out>
Receipt average_pool2d(const On& on, In&& in, Out&& out, const Pool2dOptions& options = {}) {
  return detail::pool2d(on, detail::view_of(in), detail::view_of(out), options, false);
}

}  // namespace quern::ops
