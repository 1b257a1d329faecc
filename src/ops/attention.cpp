// Attention: tiles of queries, or few queries with the keys split over the device.
#include "quern/ops/attention.hpp"

#include <algorithm>
#include <cmath>

#include "ops/checks.hpp"
#include "ops/failure.hpp"
#include "ops/launch_sizes.hpp"
#include "ops/messages_nn.hpp"

namespace quern::ops::detail {

namespace {

constexpr std::int64_t kMostExtent = 256;
constexpr std::int64_t kDecodeRows = 8;     // at most, otherwise tiles of queries
constexpr std::int64_t kKeysOfSplit = 256;  // at least
constexpr std::int64_t kTileOfRows = 32;

// AttentionShape and Tokens of text/attention.cuh.
struct AttentionShape {
  std::int64_t batches, heads, group, queries, keys, extent, is_causal, window, splits;
  Line lengths;
  std::int64_t rows() const { return group * queries; }
};
struct Tokens {
  std::int64_t first, batch, head, token, element;
};

Tokens tokens_of(const View& view) {
  const auto& strides = view.layout.strides;
  return {view.layout.first, strides[0], strides[1], strides[2], strides[3]};
}

struct Attention {
  const View &q, &k, &v, &out;
  AttentionShape shape;
  const View* lengths;
  double scale;

  std::string type() const { return std::string(name_of(q.element)); }
  Element accumulator() const { return real_accumulator(q.element); }
  std::string types() const { return type() + ", " + std::string(name_of(accumulator())); }
  // The number of elements of a head in the kernel.
  std::int64_t padded() const { return shape.extent <= 64 ? 64 : shape.extent <= 128 ? 128 : kMostExtent; }
  Argument scale_argument() const {  // scores are exponents of 2
    const double factor = scale * std::log2(std::exp(1.0));
    return accumulator() == Element::f64 ? Argument(factor) : Argument(static_cast<float>(factor));
  }
  Argument length_argument() const { return lengths != nullptr ? argument_of(*lengths) : Argument(nullptr); }
};

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
  if (a[3] > kMostExtent) fail(ErrorKind::unsupported, message::kLargeHead(std::to_string(a[3])));
  if (scalars.lengths != nullptr) check_shape(operation, "lengths", *scalars.lengths, Shape{a[0]});
}

Kernel attention_kernel(const Device& device, const std::string& name) {
  return Engine::of(device)->kernel(device, {"index", "pieces", "attention"}, {}, "quern_ops::" + name);
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
  const std::int64_t all_rows = a.shape.batches * a.shape.heads * a.shape.rows();
  const std::int64_t stored = a.shape.splits > 1 ? all_rows * a.shape.splits * (a.padded() + 2) : 0;
  const Workspace memory(device, static_cast<std::size_t>(stored) * bytes_of(a.accumulator()));
  const Argument unfinished = stored != 0 ? memory.elements(a.accumulator()) : Argument(nullptr);
  const Tokens q = tokens_of(a.q), k = tokens_of(a.k), v = tokens_of(a.v), out = tokens_of(a.out);
  const Receipt receipt =
      on.stream().launch(kernel, blocks_of_threads(blocks_for(device.info(), blocks * a.shape.splits, 1)),
                         a.shape, q, k, v, out, a.scale_argument(), argument_of(a.q), argument_of(a.k),
                         argument_of(a.v), argument_of(a.out), unfinished, a.length_argument());
  if (stored == 0) return receipt;
  const Kernel combine = attention_kernel(device, "attention_combine<" + a.types() + ", " + padded + ">");
  const std::uint32_t last = blocks_for(device.info(), all_rows * a.shape.extent, kThreads);
  return on.stream().launch(combine, blocks_of_threads(last), a.shape, out, unfinished, argument_of(a.out));
}

}  // namespace

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
  return attention.shape.rows() <= kDecodeRows ? decode(on, attention) : attend_tiles(on, attention);
}

}  // namespace quern::ops::detail
