/// @file
/// Attention of queries to keys and values, for prefill and decoding.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of attention(). The last query has the position of the last key.
struct AttentionOptions {
  double scale = 0;         ///< Factor of the scores; 0: 1 / sqrt(number of elements of a head).
  bool causal = false;      ///< A query attends to keys up to its position.
  std::int64_t window = 0;  ///< A query attends to keys from its position - window + 1 on; 0: to all.
  /// Number of keys of each batch, if the tensors of keys and values are larger, as those of a cache are: one
  /// axis. Without memory: all keys.
  Tensor<const std::int32_t> lengths = {};
};

namespace detail {
struct AttentionScalars {
  double scale;
  bool is_causal;
  std::int64_t window;
  const View* lengths;  // null if there is none
};
QUERN_API Receipt attention(const On& on, const View& q, const View& k, const View& v, const View& out,
                            const AttentionScalars& scalars);
}  // namespace detail

/// out = softmax(scale * q * transpose(k)) * v for each head. The axes are batch, heads, tokens and elements
/// of a head; tensors with tokens before heads are passed as transpose(1, 2). `k` and `v` may have fewer
/// heads: then each is used by the same number of consecutive heads of `q`. All have the same type: double,
/// float, half or bfloat16; 16-bit types are computed in float. A head has at most 256 elements. Scores are
/// not stored in memory. The result of a query without keys is 0. `out` has the shape of `q` and must not
/// overlap other operands.
template <Operand Q, Operand K, Operand V, Operand Out>
Receipt attention(const On& on, Q&& q, K&& k, V&& v, Out&& out, const AttentionOptions& options = {}) {
  const detail::View lengths = detail::view_of(options.lengths);
  return detail::attention(
      on, detail::view_of(q), detail::view_of(k), detail::view_of(v), detail::view_of(out),
      {options.scale, options.causal, options.window, options.lengths.memory().empty() ? nullptr : &lengths});
}

}  // namespace quern::ops
