// Top-k of rows. Long rows are cut into parts, whose results are candidates. With many elements, rows are
// sorted.
#include "quern/ops/top_k.hpp"

#include <algorithm>
#include <array>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_primitives.hpp"
#include "ops/order.hpp"
#include "quern/ops/sort.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kMost = 1024;              // elements that a block sorts
constexpr std::int64_t kPartLength = 16 * kMost;  // at least, so that the candidates are few
constexpr std::uint32_t kWideShared = 24 * 1024;  // bytes
constexpr std::int64_t kLongestPart = std::int64_t{1} << 30;
constexpr std::int64_t kBlocksOfUnit = 4;  // that fill a compute unit

void check_top_k(const View& in, const View& values, const View& indices) {
  check_not_complex("top_k", in);
  check_writable("top_k", values);
  check_writable("top_k", indices);
  check_same_type("top_k", in, values);
  check_indices("top_k", "indices", indices);
  const Shape &from = in.layout.shape, &to = values.layout.shape;
  bool fits = from.rank() >= 1 && to.rank() == from.rank() && indices.layout.shape == to;
  for (std::size_t axis = 0; fits && axis + 1 < from.rank(); ++axis) fits = from[axis] == to[axis];
  if (!fits || to[to.rank() - 1] > from[from.rank() - 1])
    fail(ErrorKind::invalid_use,
         message::kBadTopK(from.to_string(), to.to_string(), indices.layout.shape.to_string()));
}

// The elements that a block sorts: fewer if they do not fit into shared memory.
std::int64_t most_of(const DeviceInfo& info, Element element) {
  return bytes_of(element) == 8 && info.limits.shared_bytes < kWideShared ? kMost / 2 : kMost;
}

struct TopK {
  const On& on;
  bool largest;
  std::int64_t most;
  Device device = on.stream().device();

  Kernel kernel(const std::string& name) const {
    return Engine::of(device)->kernel(device, {"index", "order", "top_k"}, {}, "quern_ops::" + name);
  }
};

// Rows of operands with the same outer axes; each row of the results has `parts` times k elements.
Receipt launch_rows(const TopK& t, const View& in, const View* positions, const View& values,
                    const View& indices, std::int64_t parts, std::int64_t k) {
  const std::size_t last = in.layout.shape.rank() - 1;
  const std::array<Layout, 3> layouts{in.layout.select(last, 0), values.layout.select(last, 0),
                                      indices.layout.select(last, 0)};
  const Iteration rows = collapse(layouts);
  const std::array<std::int64_t, 3> first{layouts[0].first, layouts[1].first, layouts[2].first};
  const IndexBytes index(rows, first);
  View from = in, to = values;
  from.element = to.element = unsigned_of(in.element);
  const OrderBytes order(in.element, t.largest);
  const std::string name =
      "top_k<" + std::string(name_of(from.element)) + ", " + std::string(name_of(indices.element)) + ", " +
      std::to_string(rows.extents.size()) + (positions != nullptr ? ", true, " : ", false, ") +
      std::to_string(kThreads) + ", " + std::to_string(t.most) + ">";
  const std::int64_t work = rows.size * parts;
  return t.on.stream().launch(
      t.kernel(name), blocks_of_threads(blocks_for(t.device.info(), work, 1)), work,
      static_cast<std::int32_t>(parts), in.layout.shape[last], static_cast<std::int32_t>(k), order.argument(),
      index.argument(), in.layout.strides[last], values.layout.strides[last], indices.layout.strides[last],
      argument_of(from), positions != nullptr ? argument_of(*positions) : Argument(nullptr), argument_of(to),
      argument_of(indices));
}

// The row with a number in row-major order.
View row_of(const View& view, std::int64_t row) {
  View out = view;
  for (std::size_t axis = view.layout.shape.rank() - 1; axis-- > 0;) {
    const std::int64_t extent = view.layout.shape[axis];
    out.layout = out.layout.select(axis, row % extent);
    row /= extent;
  }
  return out;
}

Receipt sort_rows(const TopK& t, const View& in, const View& values, const View& indices, std::int64_t rows) {
  const std::int64_t length = in.layout.shape[in.layout.shape.rank() - 1];
  const auto count = static_cast<std::size_t>(length);
  const Workspace keys(t.device, count * bytes_of(in.element)),
      numbers(t.device, count * sizeof(std::int64_t));
  const View key = keys.view(in.element, length), number = numbers.view(Element::i64, length);
  const Kernel fill_positions = t.kernel("top_k_positions");
  const LaunchConfig config = blocks_of_threads(blocks_for(t.device.info(), length, kThreads));
  Receipt receipt;
  const auto copy_part = [&](const View& from, const View& to) {
    View part = from;
    part.layout = from.layout.slice(0, 0, to.layout.shape[0], 1);
    return transform(t.on, "[](auto x) { return x; }", std::span(&part, 1), to);
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    copy_part(row_of(in, row), key);
    t.on.stream().launch(fill_positions, config, length, argument_of(number));
    const View moved = number;
    sort(t.on, key, &moved, SortOptions{.descending = t.largest});
    copy_part(key, row_of(values, row));
    receipt = copy_part(number, row_of(indices, row));
  }
  return receipt;
}

std::int64_t parts_for(const DeviceInfo& info, std::int64_t rows, std::int64_t length) {
  const std::int64_t wanted = std::max<std::int64_t>(info.compute_units, 1) * kBlocksOfUnit / rows;
  return std::max({std::int64_t{1}, std::min(wanted, length / kPartLength), length / kLongestPart + 1});
}

}  // namespace

Receipt top_k(const On& on, const View& in, const View& values, const View& indices,
              const TopKOptions& options) {
  check_top_k(in, values, indices);
  const std::size_t last = in.layout.shape.rank() - 1;
  const std::int64_t length = in.layout.shape[last], k = values.layout.shape[last];
  if (values.layout.shape.size() == 0) return {};
  const std::int64_t rows = values.layout.shape.size() / k;
  const TopK t{on, options.largest, most_of(on.stream().device().info(), in.element)};
  if (k > t.most) return sort_rows(t, in, values, indices, rows);
  const std::int64_t parts = parts_for(t.device.info(), rows, length);
  if (parts == 1) return launch_rows(t, in, nullptr, values, indices, 1, k);
  const std::int64_t candidates = rows * parts * k;
  const Workspace value_memory(t.device, static_cast<std::size_t>(candidates) * bytes_of(in.element)),
      index_memory(t.device, static_cast<std::size_t>(candidates) * sizeof(std::int64_t));
  // The axes of the input, with the candidates instead of the last one.
  std::vector<std::int64_t> extents(in.layout.shape.extents().begin(), in.layout.shape.extents().end());
  extents[last] = parts * k;
  View value = value_memory.view(in.element, candidates), index = index_memory.view(Element::i64, candidates);
  value.layout = index.layout = Layout::contiguous(Shape(extents));
  launch_rows(t, in, nullptr, value, index, parts, k);
  return launch_rows(t, value, &index, values, indices, 1, k);
}

}  // namespace quern::ops::detail
