// Convolution and pooling of images.
#include "quern/ops/convolution.hpp"

#include <limits>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_nn.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kFewFilters = 16;  // of a group: one thread for each element of the result
constexpr std::int64_t kFilterTile = 64;

// ConvShape and ImageLine of text/convolution.cuh.
struct ConvShape {
  std::int64_t images, groups;
  std::int32_t channels, filters, height, width, filter_height, filter_width, out_height, out_width;
  std::int32_t stride_y, stride_x, padding_y, padding_x, dilation_y, dilation_x;
};
struct ImageLine {
  std::int64_t first, image, channel, y, x;
};

ImageLine line_of_images(const View& view) {
  const auto& strides = view.layout.strides;
  return {view.layout.first, strides[0], strides[1], strides[2], strides[3]};
}

// Number of windows along an axis; 0 if there is none.
std::int64_t windows_of(std::int64_t extent, std::int64_t window, std::int64_t stride, std::int64_t padding,
                        std::int64_t dilation) {
  const std::int64_t rest = extent + 2 * padding - dilation * (window - 1) - 1;
  return rest < 0 ? 0 : rest / stride + 1;
}

bool are_images(const Shape& shape) {
  if (shape.rank() != 4) return false;
  for (std::size_t axis = 1; axis < 4; ++axis) {
    if (shape[axis] > std::numeric_limits<std::int32_t>::max() / 4) return false;
  }
  return true;
}

bool is_positive(const Extent2& extent) {
  return extent.y > 0 && extent.x > 0 && extent.y < 1 << 20 && extent.x < 1 << 20;
}
bool is_padding(const Extent2& extent) {
  return extent.y >= 0 && extent.x >= 0 && extent.y < 1 << 20 && extent.x < 1 << 20;
}

ConvShape extents_of(const Shape& in, const Shape& out, const Extent2& stride, const Extent2& padding,
                     const Extent2& dilation) {
  const auto narrow = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  ConvShape s{};
  s.images = in[0];
  s.height = narrow(in[2]);
  s.width = narrow(in[3]);
  s.out_height = narrow(out[2]);
  s.out_width = narrow(out[3]);
  s.stride_y = narrow(stride.y);
  s.stride_x = narrow(stride.x);
  s.padding_y = narrow(padding.y);
  s.padding_x = narrow(padding.x);
  s.dilation_y = narrow(dilation.y);
  s.dilation_x = narrow(dilation.x);
  return s;
}

Kernel convolution_kernel(const Device& device, const std::string& name) {
  return Engine::of(device)->kernel(device, {"index", "pieces", "activate", "convolution"}, {},
                                    "quern_ops::" + name);
}

std::string types_of(const View& view) {
  return std::string(name_of(view.element)) + ", " + std::string(name_of(real_accumulator(view.element)));
}

}  // namespace

Shape conv2d_shape(const View& in, const View& weight, const Conv2d& options) {
  const Shape &a = in.layout.shape, &b = weight.layout.shape;
  const bool fits = are_images(a) && are_images(b) && b[0] <= std::numeric_limits<std::int32_t>::max() / 4 &&
                    options.groups > 0 && is_positive(options.stride) && is_positive(options.dilation) &&
                    is_padding(options.padding) && b[2] > 0 && b[3] > 0 && a[1] == b[1] * options.groups &&
                    b[0] % options.groups == 0;
  const std::int64_t height = !fits ? 0
                                    : windows_of(a[2], b[2], options.stride.y, options.padding.y,
                                                 options.dilation.y),
                     width = !fits ? 0
                                   : windows_of(a[3], b[3], options.stride.x, options.padding.x,
                                                options.dilation.x);
  if (height == 0 || width == 0)
    fail(ErrorKind::invalid_use,
         message::kBadConvolution(a.to_string(), b.to_string(), std::to_string(options.groups)));
  return {a[0], b[0], height, width};
}

Receipt conv2d(const On& on, const View& in, const View& weight, const View& out, const View* bias,
               const Conv2d& options) {
  check_real("conv2d", in);
  check_same_type("conv2d", weight, in);
  check_same_type("conv2d", in, out);
  check_writable("conv2d", out);
  const Shape shape = conv2d_shape(in, weight, options);
  check_shape("conv2d", "out", out, shape);
  if (bias != nullptr) check_shape("conv2d", "bias", *bias, Shape{shape[1]});
  if (shape.size() == 0) return {};
  const Device device = on.stream().device();
  const Shape& of_weight = weight.layout.shape;
  ConvShape s = extents_of(in.layout.shape, shape, options.stride, options.padding, options.dilation);
  s.groups = options.groups;
  s.channels = static_cast<std::int32_t>(of_weight[1]);
  s.filters = static_cast<std::int32_t>(shape[1] / options.groups);
  s.filter_height = static_cast<std::int32_t>(of_weight[2]);
  s.filter_width = static_cast<std::int32_t>(of_weight[3]);
  const bool is_direct = s.filters < kFewFilters;
  const std::string kind = std::to_string(static_cast<int>(options.activation));
  const Kernel kernel = convolution_kernel(
      device, is_direct
                  ? "conv2d_direct<" + types_of(in) + ", " + kind + ">"
                  : "conv2d<" + types_of(in) + ", " + kind + (in.element == Element::f64 ? ", 8>" : ", 16>"));
  const std::int64_t pixels = shape[0] * shape[2] * shape[3];
  const auto tiles = [](std::int64_t extent) { return (extent - 1) / kFilterTile + 1; };
  const std::uint32_t blocks =
      is_direct ? blocks_for(device.info(), shape.size(), kThreads)
                : blocks_for(device.info(), s.groups * tiles(s.filters) * tiles(pixels), 1);
  const ImageLine from = line_of_images(in), filters = line_of_images(weight), to = line_of_images(out);
  const Line bias_line = bias != nullptr ? line_of(bias->layout) : Line{};
  return on.stream().launch(kernel, blocks_of_threads(blocks), s, from, filters, to, bias_line,
                            argument_of(in), argument_of(weight), argument_of(out),
                            bias != nullptr ? argument_of(*bias) : Argument(nullptr));
}

Receipt pool2d(const On& on, const View& in, const View& out, const Pool2dOptions& options, bool is_max) {
  const char* const operation = is_max ? "max_pool2d" : "average_pool2d";
  check_real(operation, in);
  check_same_type(operation, in, out);
  check_writable(operation, out);
  const Extent2 &window = options.window, &padding = options.padding;
  const Extent2 stride{options.stride.y == 0 ? window.y : options.stride.y,
                       options.stride.x == 0 ? window.x : options.stride.x};
  const Shape& shape = in.layout.shape;
  const bool fits = are_images(shape) && is_positive(window) && is_positive(stride) && is_padding(padding) &&
                    padding.y < window.y && padding.x < window.x;
  const std::int64_t height = !fits ? 0 : windows_of(shape[2], window.y, stride.y, padding.y, 1),
                     width = !fits ? 0 : windows_of(shape[3], window.x, stride.x, padding.x, 1);
  if (height == 0 || width == 0)
    fail(ErrorKind::invalid_use,
         message::kBadPool(operation, std::to_string(window.y), std::to_string(window.x), shape.to_string()));
  check_shape(operation, "out", out, Shape{shape[0], shape[1], height, width});
  if (out.layout.shape.size() == 0) return {};
  const Device device = on.stream().device();
  ConvShape s = extents_of(shape, out.layout.shape, stride, padding, {1, 1});
  s.groups = shape[1];
  s.filter_height = static_cast<std::int32_t>(window.y);
  s.filter_width = static_cast<std::int32_t>(window.x);
  const Kernel kernel =
      convolution_kernel(device, "pool2d<" + types_of(in) + (is_max ? ", true>" : ", false>"));
  const ImageLine from = line_of_images(in), to = line_of_images(out);
  return on.stream().launch(kernel,
                            blocks_of_threads(blocks_for(device.info(), out.layout.shape.size(), kThreads)),
                            s, from, to, options.counts_padding ? 1 : 0, argument_of(in), argument_of(out));
}

}  // namespace quern::ops::detail
