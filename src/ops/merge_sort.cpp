// Merge sort with a comparison function. Passes alternate between the operands and temporary memory; the
// first one is chosen so that the last one writes to the operands.
#include <utility>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "quern/ops/sort.hpp"

namespace quern::ops::detail {

namespace {

constexpr int kMergeItems = 4;  // a tile of 8-byte keys fits into the least shared memory of any device
constexpr std::int64_t kMergeTile = std::int64_t{kThreads} * kMergeItems;

// A side of a pass: where it reads, or where it writes.
struct MergeSide {
  Line line, value_line;
  Argument keys = nullptr, values = nullptr;

  MergeSide(const View& k, const View* v) : line(line_of(k.layout)), keys(argument_of(k)) {
    if (v == nullptr) return;
    value_line = line_of(v->layout);
    values = argument_of(*v);
  }
};

void check_merge_sort(const View& keys, const View* values) {
  const Shape& shape = keys.layout.shape;
  if (keys.is_read_only || (values != nullptr && values->is_read_only))
    fail(ErrorKind::invalid_use, message::kReadOnly("sort"));
  if (shape.rank() != 1) fail(ErrorKind::invalid_use, message::kNotOneAxis("sort", shape.to_string()));
  if (values != nullptr && values->layout.shape != shape)
    fail(ErrorKind::invalid_use, message::kValuesDiffer(shape.to_string(), values->layout.shape.to_string()));
}

struct MergeSort {
  const On& on;
  FunctionText less;
  std::string types;  // of the kernels' templates
  std::int64_t n, tiles = (n - 1) / kMergeTile + 1;
  Device device = on.stream().device();
  LaunchConfig config = blocks_of_threads(blocks_for(device.info(), tiles, 1));

  Kernel kernel(const std::string& name) const {
    return Engine::of(device)->kernel(device, {"index", "merge_sort"}, less.code,
                                      "quern_ops::" + name + "<" + types + ", " + less.type + ", " +
                                          std::to_string(kThreads) + ", " + std::to_string(kMergeItems) +
                                          ">");
  }
  Receipt sort_tiles(const MergeSide& from, const MergeSide& to) const {
    return on.stream().launch(kernel("merge_sort_tiles"), config, n, tiles, from.line, from.keys, to.line,
                              to.keys, from.value_line, from.values, to.value_line, to.values);
  }
  Receipt merge(const Kernel& runs, std::int64_t width, const MergeSide& from, const MergeSide& to) const {
    return on.stream().launch(runs, config, n, tiles, width, from.line, from.keys, to.line, to.keys,
                              from.value_line, from.values, to.value_line, to.values);
  }
};

}  // namespace

Receipt sort(const On& on, const View& keys, const View* values, const Function& less) {
  check_not_complex("sort", keys);
  if (values != nullptr) check_not_complex("sort", *values);
  check_merge_sort(keys, values);
  const std::int64_t n = keys.layout.shape.size();
  if (n <= 1) return {};
  View value_bits;
  value_bits.element = Element::u8;
  if (values != nullptr) {
    value_bits = *values;
    value_bits.element = unsigned_of(values->element);
  }
  const MergeSort s{on, text_of(less),
                    std::string(name_of(keys.element)) + ", " + std::string(name_of(value_bits.element)) +
                        (values != nullptr ? ", true" : ", false"),
                    n};
  int passes = 0;
  for (std::int64_t runs = s.tiles; runs > 1; runs = (runs + 1) / 2) ++passes;
  const auto count = static_cast<std::size_t>(passes == 0 ? 0 : n);
  const Workspace spare_keys(s.device, count * bytes_of(keys.element));
  const Workspace spare_values(s.device, values != nullptr ? count * bytes_of(value_bits.element) : 0);
  const MergeSide operands(keys, values != nullptr ? &value_bits : nullptr);
  if (passes == 0) return s.sort_tiles(operands, operands);
  const View other_values = spare_values.view(value_bits.element, n);
  const MergeSide spare(spare_keys.view(keys.element, n), values != nullptr ? &other_values : nullptr);
  bool is_spare = passes % 2 != 0;  // the sorted tiles
  Receipt receipt = s.sort_tiles(operands, is_spare ? spare : operands);
  const Kernel runs = s.kernel("merge_sort_runs");
  for (std::int64_t width = kMergeTile; width < n; width *= 2) {
    receipt = s.merge(runs, width, is_spare ? spare : operands, is_spare ? operands : spare);
    is_spare = !is_spare;
  }
  return receipt;
}

}  // namespace quern::ops::detail
