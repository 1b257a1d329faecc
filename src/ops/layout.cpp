// Shapes and strides.
#include <algorithm>
#include <array>
#include <limits>

#include "ops/failure.hpp"
#include "quern/ops/tensor.hpp"

namespace quern::ops {

namespace {

std::string text(std::int64_t number) { return std::to_string(number); }

void check_axis(const Shape& shape, std::size_t axis) {
  if (axis >= shape.rank())
    fail(ErrorKind::invalid_use, message::kNoAxis(std::to_string(axis), shape.to_string()));
}

std::array<std::int64_t, Shape::max_rank> extents_of(const Shape& shape) {
  std::array<std::int64_t, Shape::max_rank> out{};
  std::ranges::copy(shape.extents(), out.begin());
  return out;
}

Shape shape_of(const std::array<std::int64_t, Shape::max_rank>& extents, std::size_t rank) {
  return Shape(std::span(extents.data(), rank));
}

}  // namespace

void fail(ErrorKind kind, const base::MessageText& message) {
  Error::Parts parts;
  parts.kind = kind;
  parts.message = message.text;
  parts.hint = message.hint;
  parts.text = std::string(to_string(kind)) + ": " + message.text +
               (message.hint.empty() ? std::string() : "\n  hint: " + std::string(message.hint));
  throw Error(std::move(parts));
}

Shape::Shape(std::initializer_list<std::int64_t> extents)
    : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) : rank_(extents.size()) {
  if (extents.size() > max_rank)
    fail(ErrorKind::invalid_use, message::kTooManyAxes(std::to_string(extents.size())));
  std::int64_t size = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t n = extents[i];
    if (n < 0) fail(ErrorKind::invalid_use, message::kNegativeExtent(std::to_string(i), text(n)));
    if (n > 1 && size > std::numeric_limits<std::int64_t>::max() / n)
      fail(ErrorKind::invalid_use, message::kTooManyElements());
    size *= std::max<std::int64_t>(n, 1);
    extents_[i] = n;
  }
}

std::int64_t Shape::size() const {
  std::int64_t size = 1;
  for (const std::int64_t n : extents()) size *= n;
  return size;
}

std::string Shape::to_string() const {
  if (rank_ == 0) return "scalar";
  std::string out;
  for (const std::int64_t n : extents()) out += (out.empty() ? "" : "×") + text(n);
  return out;
}

namespace detail {

Layout Layout::contiguous(const Shape& shape) {
  Layout layout;
  layout.shape = shape;
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    layout.strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return layout;
}

bool Layout::is_contiguous() const {
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != stride) return shape.size() == 0;
    stride *= shape[i];
  }
  return true;
}

Layout Layout::slice(std::size_t axis, std::int64_t from, std::int64_t count, std::int64_t step) const {
  check_axis(shape, axis);
  const std::int64_t last = from + (count - 1) * step;
  const bool fits = count == 0
                        ? from >= 0 && from <= shape[axis]
                        : count > 0 && from >= 0 && from < shape[axis] && last >= 0 && last < shape[axis];
  if (!fits)
    fail(ErrorKind::invalid_use,
         message::kBadSlice(text(from), text(last), std::to_string(axis), shape.to_string()));
  Layout out = *this;
  std::array<std::int64_t, Shape::max_rank> extents = extents_of(shape);
  extents[axis] = count;
  out.shape = shape_of(extents, shape.rank());
  out.first += count == 0 ? 0 : from * strides[axis];
  out.strides[axis] *= step;
  return out;
}

Layout Layout::select(std::size_t axis, std::int64_t position) const {
  const Layout one = slice(axis, position, 1, 1);
  Layout out;
  out.first = one.first;
  std::array<std::int64_t, Shape::max_rank> extents{};
  std::size_t kept = 0;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i == axis) continue;
    out.strides[kept] = strides[i];
    extents[kept++] = shape[i];
  }
  out.shape = shape_of(extents, kept);
  return out;
}

Layout Layout::transpose(std::size_t a, std::size_t b) const {
  check_axis(shape, a);
  check_axis(shape, b);
  Layout out = *this;
  std::array<std::int64_t, Shape::max_rank> extents = extents_of(shape);
  std::swap(extents[a], extents[b]);
  out.shape = shape_of(extents, shape.rank());
  std::swap(out.strides[a], out.strides[b]);
  return out;
}

Layout Layout::transpose() const {
  if (shape.rank() < 2) fail(ErrorKind::invalid_use, message::kNoTranspose(shape.to_string()));
  return transpose(shape.rank() - 2, shape.rank() - 1);
}

Layout Layout::reshape(const Shape& to) const {
  if (to.size() != shape.size())
    fail(ErrorKind::invalid_use, message::kBadReshape(shape.to_string(), to.to_string()));
  if (!is_contiguous())
    fail(ErrorKind::invalid_use, message::kStridedReshape(shape.to_string(), to.to_string()));
  Layout out = contiguous(to);
  out.first = first;
  return out;
}

Layout Layout::broadcast(const Shape& to) const {
  const auto misfit = [&] { return message::kBadBroadcast(shape.to_string(), to.to_string()); };
  if (to.rank() < shape.rank()) fail(ErrorKind::invalid_use, misfit());
  Layout out;
  out.shape = to;
  out.first = first;
  const std::size_t added = to.rank() - shape.rank();
  for (std::size_t i = added; i < to.rank(); ++i) {
    const std::int64_t extent = shape[i - added];
    if (extent != to[i] && extent != 1) fail(ErrorKind::invalid_use, misfit());
    out.strides[i] = extent == 1 && to[i] != 1 ? 0 : strides[i - added];
  }
  return out;
}

void check_fits(const Layout& layout, std::size_t elements) {
  if (static_cast<std::uint64_t>(layout.shape.size()) > elements)
    fail(ErrorKind::invalid_use, message::kShortMemory(layout.shape.to_string(), std::to_string(elements)));
}

}  // namespace detail
}  // namespace quern::ops
