#include "quern/ops/search.hpp"

#include <array>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops::detail {

namespace {

void check_search(const char* operation, const View& sorted, const View& queries, const View& out) {
  const Shape& shape = sorted.layout.shape;
  check_not_complex(operation, sorted);
  check_writable(operation, out);
  if (shape.rank() != 1) fail(ErrorKind::invalid_use, message::kNotOneAxis(operation, shape.to_string()));
  check_element(operation, "queries", queries, sorted.element);
  check_shape(operation, "out", out, queries.layout.shape);
  check_indices(operation, "out", out);
}

}  // namespace

Receipt search(const On& on, const View& sorted, const View& queries, const View& out, bool is_upper) {
  check_search(is_upper ? "upper_bound" : "lower_bound", sorted, queries, out);
  const std::array<Layout, 2> both{queries.layout, out.layout};
  const Iteration iteration = collapse(both);
  if (iteration.size == 0) return {};
  const std::array<std::int64_t, 2> first{queries.layout.first, out.layout.first};
  const IndexBytes index(iteration, first);
  const std::string name = "quern_ops::search<" + std::string(name_of(sorted.element)) + ", " +
                           std::string(name_of(out.element)) + (is_upper ? ", true, " : ", false, ") +
                           std::to_string(iteration.extents.size()) + ">";
  const Device device = on.stream().device();
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "search"}, {}, name);
  const std::uint32_t blocks = blocks_for(device.info(), iteration.size, kThreads);
  return on.stream().launch(kernel, blocks_of_threads(blocks), iteration.size, index.argument(),
                            sorted.layout.shape[0], line_of(sorted.layout), argument_of(sorted),
                            argument_of(queries), argument_of(out));
}

}  // namespace quern::ops::detail
