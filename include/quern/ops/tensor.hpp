/// @file
/// Tensors: a view of device memory with a shape and strides. Slices, transposes and broadcasts do not copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/device.hpp"
#include "quern/export.hpp"
#include "quern/ops/element.hpp"
#include "quern/ops/shape.hpp"

namespace quern::ops {

template <ElementType T>
class Tensor;

namespace detail {

/// Shape, strides in elements, and the element that index 0 refers to.
struct QUERN_API Layout {
  Shape shape;
  std::array<std::int64_t, Shape::max_rank> strides{};
  std::int64_t first = 0;

  static Layout contiguous(const Shape& shape);
  bool is_contiguous() const;  // in row-major order, without gaps
  Layout slice(std::size_t axis, std::int64_t from, std::int64_t count, std::int64_t step) const;
  Layout select(std::size_t axis, std::int64_t position) const;  // without the axis
  Layout transpose(std::size_t a, std::size_t b) const;
  Layout transpose() const;  // the last two axes
  Layout reshape(const Shape& to) const;
  Layout broadcast(const Shape& to) const;
};

/// An operand without its C++ type.
struct View {
  quern::detail::Bytes bytes;
  Element element{};
  Layout layout;
  bool is_read_only = false;
};

QUERN_API void check_fits(const Layout& layout, std::size_t elements);
QUERN_API void download(const View& from, void* to, std::size_t count);
QUERN_API void upload(const View& to, const void* from, std::size_t count);

template <ElementType T>
View view_of(const Tensor<T>& tensor) {
  return {tensor.memory().bytes(), element_of<T>, tensor.layout(), std::is_const_v<T>};
}
template <ElementType T>
View view_of(const Slice<T>& slice) {
  return view_of(Tensor<T>(slice));
}
template <ElementType T>
View view_of(const Buffer<T>& buffer) {
  return view_of(Tensor<const T>(buffer));
}
template <ElementType T>
View view_of(Buffer<T>& buffer) {
  return view_of(Tensor<T>(buffer));
}

}  // namespace detail

/// A view of device memory with a shape and strides. Copies refer to the same memory. `Tensor<const T>` is
/// read-only. A tensor that was made with a device owns its memory together with its copies and views; one
/// that was made from a buffer or slice is valid as long as that buffer. Thread-safe, as Buffer.
template <ElementType T>
class Tensor {
 public:
  /// The type of the elements, without const.
  using value_type = std::remove_const_t<T>;

  /// No memory.
  Tensor() = default;
  /// Allocates uninitialized elements.
  Tensor(const Device& device, const Shape& shape) requires(!std::is_const_v<T>)
      : layout_(detail::Layout::contiguous(shape)) {
    auto buffer = std::make_shared<Buffer<value_type>>(
        device.allocate<value_type>(static_cast<std::size_t>(shape.size())));
    memory_ = Slice<T>(*buffer);
    owner_ = std::move(buffer);
  }
  /// One axis over a slice.
  Tensor(const Slice<T>& memory) : Tensor(memory, Shape{static_cast<std::int64_t>(memory.size())}) {}
  /// Row-major elements of a slice. Throws Error with kind `invalid_use` if the slice is too short.
  Tensor(const Slice<T>& memory, const Shape& shape)
      : memory_(memory), layout_(detail::Layout::contiguous(shape)) {
    detail::check_fits(layout_, memory_.size());
  }
  /// One axis over a buffer.
  Tensor(Buffer<value_type>& memory) : Tensor(Slice<T>(memory)) {}
  /// Row-major elements of a buffer.
  Tensor(Buffer<value_type>& memory, const Shape& shape) : Tensor(Slice<T>(memory), shape) {}
  /// One axis over a buffer that is read.
  Tensor(const Buffer<value_type>& memory) requires std::is_const_v<T> : Tensor(Slice<T>(memory)) {}
  /// Row-major elements of a buffer that is read.
  Tensor(const Buffer<value_type>& memory, const Shape& shape) requires std::is_const_v<T>
      : Tensor(Slice<T>(memory), shape) {}
  /// Converts to a read-only tensor.
  template <ElementType U>
  requires(std::is_const_v<T>&& std::is_same_v<U, value_type>) Tensor(const Tensor<U>& other)
      : memory_(other.memory()), layout_(other.layout()), owner_(other.owner()) {}

  const Shape& shape() const { return layout_.shape; }                         ///< The extents.
  std::size_t rank() const { return layout_.shape.rank(); }                    ///< Number of axes.
  std::int64_t extent(std::size_t axis) const { return layout_.shape[axis]; }  ///< Extent of an axis.
  std::int64_t size() const { return layout_.shape.size(); }                   ///< Number of elements.
  /// Distance of neighbors along an axis, in elements. 0: broadcast.
  std::int64_t stride(std::size_t axis) const { return layout_.strides[axis]; }
  /// Whether the elements are adjacent in row-major order.
  bool is_contiguous() const { return layout_.is_contiguous(); }

  /// `count` positions of an axis from `from` on, every `step`-th; a negative step goes backwards. Views
  /// throw Error with kind `invalid_use` if a position or axis does not exist.
  Tensor slice(std::size_t axis, std::int64_t from, std::int64_t count, std::int64_t step = 1) const {
    return with(layout_.slice(axis, from, count, step));
  }
  /// One position of an axis, without that axis: select(0, 2) is the third row of a matrix.
  Tensor select(std::size_t axis, std::int64_t position) const {
    return with(layout_.select(axis, position));
  }
  /// Exchanges two axes.
  Tensor transpose(std::size_t a, std::size_t b) const { return with(layout_.transpose(a, b)); }
  /// Exchanges the last two axes.
  Tensor transpose() const { return with(layout_.transpose()); }
  /// Another shape for the same elements in row-major order. Throws if the strides do not allow it.
  Tensor reshape(const Shape& to) const { return with(layout_.reshape(to)); }
  /// Repeats along axes of extent 1 and along new leading axes.
  Tensor<const value_type> broadcast(const Shape& to) const {
    return Tensor<const value_type>(*this).with(layout_.broadcast(to));
  }

  /// The elements in row-major order. Blocking.
  std::vector<value_type> download() const {
    std::vector<value_type> out(static_cast<std::size_t>(size()));
    detail::download(detail::view_of(*this), out.data(), out.size());
    return out;
  }
  /// Sets the elements, in row-major order. Blocking.
  void upload(std::span<const value_type> from) const requires(!std::is_const_v<T>) {
    detail::upload(detail::view_of(*this), from.data(), from.size());
  }

  const Slice<T>& memory() const { return memory_; }             ///< All memory that the view may refer to.
  const detail::Layout& layout() const { return layout_; }       ///< Used by the library.
  const std::shared_ptr<void>& owner() const { return owner_; }  ///< Used by the library.
  /// Used by the library.
  Tensor with(const detail::Layout& layout) const {
    Tensor other = *this;
    other.layout_ = layout;
    return other;
  }

 private:
  Slice<T> memory_;
  detail::Layout layout_;
  std::shared_ptr<void> owner_;
};

/// An operand of an operation: a tensor, buffer or slice, or a reference to one. Buffers and slices have one
/// axis; `const` buffers are read-only.
template <typename X>
concept Operand = requires(std::remove_reference_t<X>& x) {
  detail::view_of(x);
};

/// The type of an operand's elements, without const.
template <Operand X>
using ValueOf = typename std::remove_cvref_t<X>::value_type;

}  // namespace quern::ops
