// Radix sort. Passes alternate between the operands and temporary memory; their number is even.
#include "quern/ops/sort.hpp"

#include <cstddef>
#include <utility>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/order.hpp"
#include "quern/ops/scan.hpp"

namespace quern::ops::detail {

namespace {

constexpr int kSortItems = 8;
constexpr int kDigitBits = 4;
constexpr std::size_t kDigits = 16;

// Keys or values: where a pass reads them, and where it writes them.
struct Column {
  Argument from = nullptr, to = nullptr;
  Line from_line, to_line;

  Column() = default;
  Column(const View& operand, const View& temporary)
      : from_line(line_of(operand.layout)), to_line(line_of(temporary.layout)) {
    View bits = operand;
    bits.element = temporary.element;
    from = argument_of(bits);
    to = argument_of(temporary);
  }
  void turn() {
    std::swap(from, to);
    std::swap(from_line, to_line);
  }
};

struct Sort {
  const On& on;
  Device device = on.stream().device();

  Kernel kernel(const std::string& name) const {
    return Engine::of(device)->kernel(device, {"index", "order", "sort"}, {}, "quern_ops::" + name);
  }
};

void check_sort(const View& keys, const View* values) {
  const Shape& shape = keys.layout.shape;
  check_not_complex("sort", keys);
  if (values != nullptr) check_not_complex("sort", *values);
  if (keys.is_read_only || (values != nullptr && values->is_read_only))
    fail(ErrorKind::invalid_use, message::kReadOnly("sort"));
  if (shape.rank() != 1) fail(ErrorKind::invalid_use, message::kNotOneAxis("sort", shape.to_string()));
  if (values != nullptr && values->layout.shape != shape)
    fail(ErrorKind::invalid_use, message::kValuesDiffer(shape.to_string(), values->layout.shape.to_string()));
  if (shape.size() > std::int64_t{UINT32_MAX})
    fail(ErrorKind::unsupported, message::kTooManyForSort(std::to_string(shape.size())));
}

}  // namespace

Receipt sort(const On& on, const View& keys, const View* values, const SortOptions& options) {
  check_sort(keys, values);
  const auto n = static_cast<std::uint32_t>(keys.layout.shape.size());
  if (n <= 1) return {};
  const Sort s{on};
  constexpr std::uint32_t kTile = kThreads * kSortItems;
  const std::uint32_t tiles = (n - 1) / kTile + 1;
  const Element key = unsigned_of(keys.element),
                value = values != nullptr ? unsigned_of(values->element) : Element::u8;
  const Workspace counts(s.device, kDigits * tiles * sizeof(std::uint32_t));
  const Workspace spare_keys(s.device, n * bytes_of(key));
  const Workspace spare_values(s.device, values != nullptr ? n * bytes_of(value) : 0);
  Column of_keys(keys, spare_keys.view(key, n)), of_values;
  if (values != nullptr) of_values = Column(*values, spare_values.view(value, n));

  const OrderBytes order(keys.element, options.descending);
  const std::string type(name_of(key));
  const std::string sizes = ", " + std::to_string(kThreads) + ", " + std::to_string(kSortItems) + ">";
  const Kernel count = s.kernel("sort_counts<" + type + sizes);
  const Kernel move = s.kernel("sort_move<" + type + ", " + std::string(name_of(value)) +
                               (values != nullptr ? ", true" : ", false") + sizes);
  const LaunchConfig config = blocks_of_threads(blocks_for(s.device.info(), tiles, 1));
  const View starts = counts.view(Element::u32, static_cast<std::int64_t>(kDigits * tiles));
  Receipt receipt;
  for (int shift = 0; shift < static_cast<int>(bytes_of(key)) * 8; shift += kDigitBits) {
    on.stream().launch(count, config, n, tiles, shift, order.argument(), of_keys.from_line, of_keys.from,
                       argument_of(starts));
    scan(on, Combine::sum, starts, starts, true);
    receipt = on.stream().launch(move, config, n, tiles, shift, order.argument(), argument_of(starts),
                                 of_keys.from_line, of_keys.from, of_keys.to_line, of_keys.to,
                                 of_values.from_line, of_values.from, of_values.to_line, of_values.to);
    of_keys.turn();
    of_values.turn();
  }
  return receipt;
}

}  // namespace quern::ops::detail
