// Embedding lookup and rotary position embedding.
#include "quern/ops/embedding.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_nn.hpp"

namespace quern::ops::detail {

namespace {

// Rotation of text/embedding.cuh.
struct Rotation {
  std::int64_t heads, heads_each, pieces, rest, near, far, in, out, in_head, out_head;
};
constexpr std::int64_t kHeadsEach = 8;            // which share the sines
constexpr std::int64_t kManyRotations = 1 << 20;  // threads that fill a device

Kernel embedding_kernel(const Device& device, const std::string& name) {
  return Engine::of(device)->kernel(device, {"index", "pieces", "embedding"}, {}, "quern_ops::" + name);
}

bool is_processor(const Device& device) { return device.info().kind == DeviceKind::cpu; }

void check_embedding(const View& table, const View& indices, const View& out) {
  check_real("embedding", table);
  check_writable("embedding", out);
  check_same_type("embedding", table, out);
  check_indices("embedding", "indices", indices);
  const Shape &of_table = table.layout.shape, &of_indices = indices.layout.shape, &of_out = out.layout.shape;
  bool fits = of_table.rank() == 2 && of_out.rank() == of_indices.rank() + 1 &&
              of_out[of_out.rank() - 1] == of_table[1];
  for (std::size_t axis = 0; fits && axis < of_indices.rank(); ++axis)
    fits = of_out[axis] == of_indices[axis];
  if (!fits)
    fail(ErrorKind::invalid_use,
         message::kBadEmbedding(of_table.to_string(), of_indices.to_string(), of_out.to_string()));
}

std::int64_t check_rotary(const View& in, const View& out, const View& positions,
                          const RotaryOptions& options) {
  check_real("rotary", in);
  check_result("rotary", in, out);
  check_indices("rotary", "positions", positions);
  const Shape& shape = in.layout.shape;
  if (shape.rank() < 3) fail(ErrorKind::invalid_use, message::kWrongRank("rotary", shape.to_string()));
  const std::int64_t extent = shape[shape.rank() - 1],
                     dimensions = options.dimensions == 0 ? extent : options.dimensions;
  if (dimensions < 0 || dimensions > extent || dimensions % 2 != 0 || extent % 2 != 0)
    fail(ErrorKind::invalid_use, message::kBadRotation(std::to_string(dimensions), shape.to_string()));
  return dimensions;
}

// The layout without its last two axes.
Layout without_heads(const Layout& layout) {
  const std::size_t rank = layout.shape.rank();
  return layout.select(rank - 1, 0).select(rank - 2, 0);
}

}  // namespace

Receipt embedding(const On& on, const View& table, const View& indices, const View& out) {
  check_embedding(table, indices, out);
  if (out.layout.shape.size() == 0) return {};
  const Device device = on.stream().device();
  const bool has_vectors = !is_processor(device) && has_pieces(device, table) && has_pieces(device, out);
  const std::int64_t piece = has_vectors ? elements_of_piece(out.element) : 1;
  const std::size_t last = out.layout.shape.rank() - 1;
  const std::array<Layout, 2> both{indices.layout, out.layout.select(last, 0)};
  const Iteration iteration = collapse(both);
  const std::array<std::int64_t, 2> first{indices.layout.first, out.layout.first};
  const IndexBytes index(iteration, first);
  const std::int64_t pieces = out.layout.shape[last] / piece, work = iteration.size * pieces;
  const Kernel kernel =
      embedding_kernel(device, "embedding<" + std::string(name_of(out.element)) + ", " +
                                   std::string(name_of(indices.element)) + ", " + std::to_string(piece) +
                                   ", " + std::to_string(iteration.extents.size()) + ">");
  const auto& of_table = table.layout;
  const std::uint32_t blocks = blocks_for(device.info(), work, kThreads);
  return on.stream().launch(kernel, blocks_of_threads(blocks), work, pieces, of_table.shape[0],
                            index.argument(), of_table.first, of_table.strides[0],
                            of_table.strides[1] * piece, out.layout.strides[last] * piece, argument_of(table),
                            argument_of(indices), argument_of(out));
}

Receipt rotary(const On& on, const View& in, const View& positions, const View& out,
               const RotaryOptions& options) {
  const std::int64_t dimensions = check_rotary(in, out, positions, options);
  const Shape& shape = in.layout.shape;
  const std::size_t last = shape.rank() - 1;
  const Layout tokens = without_heads(in.layout);
  const Layout of_positions = positions.layout.broadcast(tokens.shape);
  if (shape.size() == 0) return {};
  const Device device = on.stream().device();
  const std::int64_t vector = elements_of_piece(in.element);
  const bool has_vectors = !is_processor(device) && !options.interleaved && dimensions % (2 * vector) == 0 &&
                           shape[last] % (2 * vector) == 0 && has_pieces(device, in) &&
                           has_pieces(device, out);
  const std::int64_t piece = has_vectors ? vector : 1;
  const std::array<Layout, 3> layouts{tokens, of_positions, without_heads(out.layout)};
  const Iteration iteration = collapse(layouts);
  const std::array<std::int64_t, 3> first{in.layout.first, of_positions.first, out.layout.first};
  const IndexBytes index(iteration, first);
  Rotation rotation{};
  rotation.heads = shape[last - 1];
  rotation.pieces = dimensions / 2 / piece;
  rotation.rest = (shape[last] - dimensions) / 2 / piece;
  rotation.near = options.interleaved ? 2 : 1;
  rotation.far = options.interleaved ? 1 : dimensions / 2;
  rotation.in = in.layout.strides[last];
  rotation.out = out.layout.strides[last];
  rotation.in_head = in.layout.strides[last - 1];
  rotation.out_head = out.layout.strides[last - 1];
  const std::int64_t of_head = iteration.size * (rotation.pieces + rotation.rest);
  rotation.heads_each =
      of_head * rotation.heads >= kManyRotations * kHeadsEach || is_processor(device) ? kHeadsEach : 1;
  const std::int64_t work = of_head * ((rotation.heads - 1) / rotation.heads_each + 1);
  const bool is_double = in.element == Element::f64;
  const double exponent =
      dimensions == 0 ? 0 : -std::log2(options.base) * 2 / static_cast<double>(dimensions);
  const auto scalar = [&](double value) {
    return is_double ? Argument(value) : Argument(static_cast<float>(value));
  };
  const Kernel kernel =
      embedding_kernel(device, "rotary<" + std::string(name_of(in.element)) + ", " +
                                   std::string(name_of(real_accumulator(in.element))) + ", " +
                                   std::string(name_of(positions.element)) + ", " + std::to_string(piece) +
                                   ", " + std::to_string(iteration.extents.size()) + ">");
  const std::uint32_t blocks = blocks_for(device.info(), work, kThreads);
  return on.stream().launch(kernel, blocks_of_threads(blocks), work, rotation, index.argument(),
                            scalar(exponent), scalar(options.scale / std::numbers::pi), argument_of(in),
                            argument_of(positions), argument_of(out));
}

}  // namespace quern::ops::detail
