/// @file
/// Embedding lookup and rotary position embedding.
#pragma once

#include <cstdint>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of rotary().
struct RotaryOptions {
  double base = 10000;          ///< Pair i of n is rotated by position * base^(-i / n).
  double scale = 1;             ///< Factor of the positions.
  std::int64_t dimensions = 0;  ///< Number of leading elements that are rotated; even; 0: all.
  bool interleaved = false;     ///< Pairs are neighbors (2i, 2i + 1), otherwise (i, i + dimensions / 2).
};

namespace detail {
QUERN_API Receipt embedding(const On& on, const View& table, const View& indices, const View& out);
QUERN_API Receipt rotary(const On& on, const View& in, const View& positions, const View& out,
                         const RotaryOptions& options);
}  // namespace detail

/// out[i...] = table[indices[i...]]: a row of `table`, which has two axes, for each index. `out` has the axes
/// of `indices` and one for the elements of a row. Indices have 32 or 64 bits; rows of indices that are out
/// of range are 0. `table` and `out` have the same element type and do not overlap.
template <Operand Table, Operand Indices, Operand Out>
Receipt embedding(const On& on, Table&& table, Indices&& indices, Out&& out) {
  return detail::embedding(on, detail::view_of(table), detail::view_of(indices), detail::view_of(out));
}

/// Rotates pairs of elements by an angle that is proportional to the position (RoPE). `in` has at least three
/// axes, the last ones tokens, heads and elements. `positions` has the axes of `in` before the heads, and
/// broadcasts to them; its elements are integers of 32 or 64 bits. Elements are double, float, half or
/// bfloat16; angles are computed in float, or in double for double. `out` has the type and shape of `in` and
/// may be the same tensor.
template <Operand In, Operand Positions, Operand Out>
Receipt rotary(const On& on, In&& in, Positions&& positions, Out&& out, const RotaryOptions& options = {}) {
  return detail::rotary(on, detail::view_of(in), detail::view_of(positions), detail::view_of(out), options);
}

}  // namespace quern::ops
