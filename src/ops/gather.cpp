#include "quern/ops/gather.hpp"

#include <array>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kRowsOfThread = 4;

// The rows that correspond to the indices are `listed`; the indices refer to rows of `addressed`.
void check_gather(const char* operation, const View& in, const View& indices, const View& out,
                  const View& listed) {
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly(operation));
  const Shape &a = in.layout.shape, &b = out.layout.shape, &i = indices.layout.shape;
  bool fits = a.rank() >= 1 && a.rank() == b.rank() && i.rank() == 1 && listed.layout.shape[0] == i[0];
  for (std::size_t axis = 1; fits && axis < a.rank(); ++axis) fits = a[axis] == b[axis];
  if (!fits)
    fail(ErrorKind::invalid_use, message::kBadGather(operation, a.to_string(), i.to_string(), b.to_string()));
  check_same_type(operation, in, out);
  if (!is_index(indices.element))
    fail(ErrorKind::invalid_use, message::kNotIndices(operation, std::string(name_of(indices.element))));
}

}  // namespace

Receipt gather(const On& on, const View& in, const View& indices, const View& out, bool is_scatter) {
  const View &listed = is_scatter ? in : out, &addressed = is_scatter ? out : in;
  check_gather(is_scatter ? "scatter" : "gather", in, indices, out, listed);
  const std::int64_t work = listed.layout.shape.size(), rows = addressed.layout.shape[0];
  if (work == 0 || rows == 0) return {};
  const std::array<Layout, 2> inner{in.layout.select(0, 0), out.layout.select(0, 0)};
  const Iteration iteration = collapse(inner);
  const std::array<std::int64_t, 2> first{in.layout.first, out.layout.first};
  const IndexBytes index(iteration, first);
  View from = in, to = out;
  from.element = to.element = unsigned_of(in.element);
  const std::string name = "quern_ops::gather<" + std::string(name_of(from.element)) + ", " +
                           std::string(name_of(indices.element)) + ", " +
                           std::to_string(iteration.extents.size()) + (is_scatter ? ", true>" : ", false>");
  const Device device = on.stream().device();
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "gather"}, {}, name);
  const Line line = line_of(indices.layout);
  const std::uint32_t blocks = blocks_for(device.info(), work, kThreads * kRowsOfThread);
  return on.stream().launch(kernel, blocks_of_threads(blocks), work, iteration.size, rows, line,
                            argument_of(indices), index.argument(), in.layout.strides[0],
                            out.layout.strides[0], argument_of(from), argument_of(to));
}

}  // namespace quern::ops::detail
