// Copies between the host and tensors of any strides. The range of memory from the first to the last element
// is copied as a whole, and rearranged on the host.
#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "quern/ops/tensor.hpp"

namespace quern::ops::detail {

namespace {

// The elements that a layout refers to: [first, last].
struct Range {
  std::int64_t first, last;
};

Range range_of(const Layout& layout) {
  Range range{layout.first, layout.first};
  for (std::size_t i = 0; i < layout.shape.rank(); ++i) {
    const std::int64_t end = (layout.shape[i] - 1) * layout.strides[i];
    (end < 0 ? range.first : range.last) += end;
  }
  return range;
}

// Calls visit(number in row-major order, element of the memory).
template <typename Visit>
void for_each_element(const Layout& layout, const Visit& visit) {
  const std::size_t rank = layout.shape.rank();
  std::array<std::int64_t, Shape::max_rank> at{};
  std::int64_t offset = layout.first;
  for (std::int64_t n = 0; n < layout.shape.size(); ++n) {
    visit(n, offset);
    for (std::size_t axis = rank; axis-- > 0;) {
      offset += layout.strides[axis];
      if (++at[axis] < layout.shape[axis]) break;
      offset -= at[axis] * layout.strides[axis];
      at[axis] = 0;
    }
  }
}

void check_count(const View& view, std::size_t count) {
  if (static_cast<std::uint64_t>(view.layout.shape.size()) != count)
    fail(ErrorKind::invalid_use,
         message::kWrongCount(std::to_string(view.layout.shape.size()), std::to_string(count)));
}

quern::detail::Bytes memory_of(const View& view, const Range& range, std::size_t element) {
  return quern::detail::slice(view.bytes, static_cast<std::uint64_t>(range.first),
                              static_cast<std::uint64_t>(range.last - range.first + 1), element);
}

}  // namespace

void download(const View& from, void* to, std::size_t count) {
  check_count(from, count);
  if (count == 0) return;
  const std::size_t element = bytes_of(from.element);
  const Range range = range_of(from.layout);
  const quern::detail::Bytes memory = memory_of(from, range, element);
  if (from.layout.is_contiguous()) return quern::detail::download(to, memory, memory.size, element);
  std::vector<std::byte> all(memory.size);
  quern::detail::download(all.data(), memory, memory.size, element);
  auto* const out = static_cast<std::byte*>(to);
  for_each_element(from.layout, [&](std::int64_t n, std::int64_t offset) {
    std::memcpy(out + static_cast<std::size_t>(n) * element,
                all.data() + static_cast<std::size_t>(offset - range.first) * element, element);
  });
}

void upload(const View& to, const void* from, std::size_t count) {
  check_count(to, count);
  if (count == 0) return;
  const std::size_t element = bytes_of(to.element);
  const Range range = range_of(to.layout);
  const quern::detail::Bytes memory = memory_of(to, range, element);
  if (to.layout.is_contiguous()) return quern::detail::upload(memory, from, memory.size, element);
  std::vector<std::byte> all(memory.size);  // elements between those of the view keep their values
  quern::detail::download(all.data(), memory, memory.size, element);
  const auto* const in = static_cast<const std::byte*>(from);
  for_each_element(to.layout, [&](std::int64_t n, std::int64_t offset) {
    std::memcpy(all.data() + static_cast<std::size_t>(offset - range.first) * element,
                in + static_cast<std::size_t>(n) * element, element);
  });
  quern::detail::upload(memory, all.data(), memory.size, element);
}

}  // namespace quern::ops::detail
