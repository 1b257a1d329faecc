// Attention: tiles of queries, or few queries with the keys split over the device.
#include "quern/ops/attention.hpp"

#include <algorithm>
#include <cmath>

#include "ops/attend.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_nn.hpp"

namespace quern::ops {

namespace detail {

namespace {

constexpr std::int64_t kLargestHead = 256;
constexpr std::int64_t kDecodeRows = 8;     // at most, otherwise tiles of queries
constexpr std::int64_t kKeysOfSplit = 256;  // at least
constexpr std::int64_t kTileOfRows = 32;

// Tokens of text/attention.cuh.
struct Tokens {
  std::int64_t first, batch, head, token, element;
};

Tokens tokens_of(const View& view) {
  const auto& strides = view.layout.strides;
  return {view.layout.first, strides[0], strides[1], strides[2], strides[3]};
}

void check_attention(const View& q, const View& k, const View& v, const View& out,
                     const AttentionScalars& scalars) {
  const char* const operation = "attention";
  check_real(operation, q);
  check_result(operation, q, out);
  check_same_type(operation, k, q);
  check_same_type(operation, v, q);
  const Shape &a = q.layout.shape, &b = k.layout.shape;
  const bool fits = a.rank() == 4 && b.rank() == 4 && b == v.layout.shape && a[0] == b[0] && a[3] == b[3] &&
                    (b[1] != 0 ? a[1] % b[1] == 0 : a[1] == 0);
  if (!fits)
    fail(ErrorKind::invalid_use,
         message::kBadAttention(a.to_string(), b.to_string(), v.layout.shape.to_string()));
  if (a[3] > kLargestHead) fail(ErrorKind::unsupported, message::kLargeHead(std::to_string(a[3])));
  if (scalars.lengths != nullptr) check_shape(operation, "lengths", *scalars.lengths, Shape{a[0]});
}

Kernel attention_kernel(const Device& device, const std::string& name) {
  return Engine::of(device)->kernel(device, {"index", "pieces", "attention_keys", "attention"}, {},
                                    "quern_ops::" + name);
}

bool has_key_pieces(const Device& device, const Attention& a) {
  return device.info().kind != DeviceKind::cpu && has_pieces(device, a.k) && has_pieces(device, a.v);
}

Receipt attend_tiles(const On& on, const Attention& a) {
  const Device device = on.stream().device();
  const std::int64_t vector = has_key_pieces(device, a) ? elements_of_piece(a.q.element) : 1;
  const Kernel kernel =
      attention_kernel(device, "attention_tiles<" + a.types() + ", " + std::to_string(a.padded()) + ", " +
                                   std::to_string(vector) + ">");
  const std::int64_t tiles = (a.shape.rows() - 1) / kTileOfRows + 1;
  const std::uint32_t blocks = blocks_for(device.info(), a.shape.batches * a.shape.heads * tiles, 1);
  const Tokens q = tokens_of(a.q), k = tokens_of(a.k), v = tokens_of(a.v), out = tokens_of(a.out);
  return on.stream().launch(kernel, blocks_of_threads(blocks), a.shape, q, k, v, out, a.scale_argument(),
                            argument_of(a.q), argument_of(a.k), argument_of(a.v), argument_of(a.out),
                            a.length_argument());
}

// Enough splits to fill the device.
std::int64_t splits_for(const DeviceInfo& info, std::int64_t blocks, std::int64_t keys) {
  const std::int64_t filling = std::max<std::int64_t>(info.compute_units, 1) * 4 / blocks;
  return std::max<std::int64_t>(1, std::min(filling, keys / kKeysOfSplit));
}

Receipt decode(const On& on, Attention a) {
  const Device device = on.stream().device();
  const std::int64_t rows = a.shape.rows() == 1 ? 1 : 4, tiles = (a.shape.rows() - 1) / rows + 1;
  const std::int64_t blocks = a.shape.batches * a.shape.heads * tiles;
  a.shape.splits = splits_for(device.info(), blocks, a.shape.keys);
  const bool has_vectors = has_key_pieces(device, a) && has_pieces(device, a.q);
  const std::int64_t vector = has_vectors ? elements_of_piece(a.q.element) : 1;
  const std::string padded = std::to_string(a.padded());
  const Kernel kernel =
      attention_kernel(device, "attention_decode<" + a.types() + ", " + padded + ", " +
                                   std::to_string(vector) + ", " + std::to_string(rows) + ">");
  const Workspace memory = unfinished_rows(device, a);
  const Argument unfinished = a.shape.splits > 1 ? memory.elements(a.accumulator()) : Argument(nullptr);
  const Tokens q = tokens_of(a.q), k = tokens_of(a.k), v = tokens_of(a.v), out = tokens_of(a.out);
  const Receipt receipt =
      on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), blocks * a.shape.splits, 1)),
                         a.shape, q, k, v, out, a.scale_argument(), argument_of(a.q), argument_of(a.k),
                         argument_of(a.v), argument_of(a.out), unfinished, a.length_argument());
  return a.shape.splits > 1 ? combine_splits(on, a, unfinished) : receipt;
}

}  // namespace

}  // namespace detail

Workspace unfinished_rows(const Device& device, const Attention& a) {
  const std::int64_t stored = a.padded() + 2;  // the elements of a row, its largest score and its sum
  const std::int64_t rows = a.shape.batches * a.shape.heads * a.shape.rows() * a.shape.splits;
  return Workspace(
      device, a.shape.splits > 1 ? static_cast<std::size_t>(rows * stored) * bytes_of(a.accumulator()) : 0);
}

Receipt combine_splits(const On& on, const Attention& a, const Argument& unfinished) {
  const Device device = on.stream().device();
  const Kernel kernel = detail::attention_kernel(
      device, "attention_combine<" + a.types() + ", " + std::to_string(a.padded()) + ">");
  const std::int64_t elements = a.shape.batches * a.shape.heads * a.shape.rows() * a.shape.extent;
  return on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), elements, kThreads)), a.shape,
                            detail::tokens_of(a.out), unfinished, argument_of(a.out));
}

namespace detail {

Receipt attention(const On& on, const View& q, const View& k, const View& v, const View& out,
                  const AttentionScalars& scalars) {
  check_attention(q, k, v, out, scalars);
  const Shape &a = q.layout.shape, &b = k.layout.shape;
  if (a.size() == 0) return {};
  Attention attention{q, k, v, out, {}, scalars.lengths, scalars.scale};
  if (attention.scale == 0) attention.scale = 1 / std::sqrt(static_cast<double>(a[3]));
  attention.shape = {a[0],
                     b[1],
                     a[1] / b[1],
                     a[2],
                     b[2],
                     a[3],
                     scalars.is_causal ? 1 : 0,
                     scalars.window,
                     1,
                     scalars.lengths != nullptr ? line_of(scalars.lengths->layout) : Line{}};
  if (attends_with_wgmma(on.stream().device(), attention)) return attend_with_wgmma(on, attention);
  return attention.shape.rows() <= kDecodeRows ? decode(on, attention) : attend_tiles(on, attention);
}

}  // namespace detail

}  // namespace quern::ops
