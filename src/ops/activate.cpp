// Activation functions, also gated.
#include "quern/ops/activate.hpp"

#include <array>
#include <vector>

#include "ops/checks.hpp"
#include "ops/launch_sizes.hpp"

namespace quern::ops::detail {

namespace {

constexpr int kGeluByTanh = 6;  // ActivateKind of text/activate.cuh; the others are those of Activation

Iteration in_pieces(Iteration iteration, std::int64_t piece) {
  iteration.size /= piece;
  iteration.extents.back() /= piece;
  return iteration;
}

// Whether the last axis of the iteration can be accessed in pieces by all operands.
bool may_use_pieces(const Device& device, const Iteration& iteration, std::span<const View* const> views) {
  if (iteration.extents.empty() || device.info().kind == DeviceKind::cpu) return false;
  for (std::size_t t = 0; t < views.size(); ++t) {
    View joined = *views[t];
    joined.layout.shape = Shape(iteration.extents);
    std::copy(iteration.strides[t].begin(), iteration.strides[t].end(), joined.layout.strides.begin());
    if (!has_pieces(device, joined)) return false;
  }
  return true;
}

}  // namespace

Receipt activate(const On& on, Activation activation, const View& in, const View* up, const View& out,
                 bool is_approximate) {
  const char* const operation = up != nullptr ? "activate_gated" : "activate";
  check_real(operation, in);
  check_result(operation, in, out);
  if (up != nullptr) check_result(operation, *up, out);
  if (out.layout.shape.size() == 0) return {};
  const std::array<const View*, 3> views{&in, up != nullptr ? up : &in, &out};
  const std::array<Layout, 3> layouts{views[0]->layout, views[1]->layout, views[2]->layout};
  Iteration iteration = collapse(layouts);
  const bool is_contiguous = iteration.is_contiguous();
  const Device device = on.stream().device();
  const bool has_vectors = may_use_pieces(device, iteration, views);
  const std::int64_t piece = has_vectors ? elements_of_piece(in.element) : 1;
  if (has_vectors) {
    iteration = in_pieces(iteration, piece);
    for (auto& strides : iteration.strides) strides.back() = piece;
  }
  if (is_contiguous) {  // as if there were no axes
    iteration.extents.clear();
    iteration.strides.assign(views.size(), {});
  }
  const int kind =
      activation == Activation::gelu && is_approximate ? kGeluByTanh : static_cast<int>(activation);
  const std::string name = "quern_ops::activate<" + std::string(name_of(in.element)) + ", " +
                           std::string(name_of(real_accumulator(in.element))) + ", " + std::to_string(kind) +
                           (up != nullptr ? ", true, " : ", false, ") + std::to_string(piece) + ", " +
                           std::to_string(iteration.extents.size()) + ">";
  const Kernel kernel = Engine::of(device)->kernel(device, {"index", "pieces", "activate"}, {}, name);
  const std::array<std::int64_t, 3> first{layouts[0].first, layouts[1].first, layouts[2].first};
  const IndexBytes index(iteration, first);
  const std::uint32_t blocks = blocks_for_all(device.info(), iteration.size, kThreads);
  return on.stream().launch(kernel, blocks_of_threads(blocks), iteration.size, index.argument(),
                            argument_of(in), up != nullptr ? argument_of(*up) : Argument(nullptr),
                            argument_of(out));
}

}  // namespace quern::ops::detail
