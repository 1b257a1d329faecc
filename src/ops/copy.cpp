// Copies between tensors of any strides and types.
#include <array>
#include <optional>
#include <span>

#include "ops/engine.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "quern/ops/transform.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kSide = 32;        // of a square in text/transpose.cuh
constexpr std::int64_t kLeastExtent = 8;  // with which squares are faster than single elements

// CopiedAxis of text/transpose.cuh.
struct CopiedAxis {
  std::int64_t extent, in, out;
};

std::optional<std::size_t> contiguous_axis(const std::vector<std::int64_t>& strides) {
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (strides[axis] == 1) return axis;
  }
  return {};
}

Receipt copy_transposed(const On& on, const View& in, const View& out, const Iteration& iteration,
                        std::size_t p, std::size_t q) {
  const auto& strides = iteration.strides;
  const auto axis_of = [&](std::size_t axis) {
    return CopiedAxis{iteration.extents[axis], strides[0][axis], strides[1][axis]};
  };
  Iteration others;
  others.strides.resize(2);
  for (std::size_t axis = 0; axis < iteration.extents.size(); ++axis) {
    if (axis == p || axis == q) continue;
    others.extents.push_back(iteration.extents[axis]);
    others.size *= iteration.extents[axis];
    for (std::size_t t = 0; t < 2; ++t) others.strides[t].push_back(strides[t][axis]);
  }
  const std::array<std::int64_t, 2> first{in.layout.first, out.layout.first};
  const IndexBytes index(others, first);
  const Device device = on.stream().device();
  const std::string name = "quern_ops::transpose<" + std::string(name_of(in.element)) + ", " +
                           std::string(name_of(out.element)) + ", " + std::to_string(others.extents.size()) +
                           ">";
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "transpose"}, {}, name);
  const auto squares = [](std::int64_t extent) { return (extent + kSide - 1) / kSide; };
  const std::int64_t blocks = others.size * squares(iteration.extents[p]) * squares(iteration.extents[q]);
  return on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), blocks, 1)), others.size,
                            index.argument(), axis_of(p), axis_of(q), argument_of(in), argument_of(out));
}

}  // namespace

Receipt copy(const On& on, const View& in, const View& out) {
  static const Function identity("[](auto x) { return x; }");
  if (out.is_read_only) fail(ErrorKind::invalid_use, message::kReadOnly("transform"));
  const std::array<Layout, 2> layouts{in.layout.broadcast(out.layout.shape), out.layout};
  const Iteration iteration = collapse(layouts);
  const auto p = contiguous_axis(iteration.strides[0]), q = contiguous_axis(iteration.strides[1]);
  const bool is_transposed = p && q && *p != *q && iteration.extents[*p] >= kLeastExtent &&
                             iteration.extents[*q] >= kLeastExtent && iteration.size != 0;
  if (is_transposed) return copy_transposed(on, in, out, iteration, *p, *q);
  return transform(on, identity, std::span(&in, 1), out);
}

}  // namespace quern::ops::detail
