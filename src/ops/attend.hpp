// A call of attention, and its kernels with tensor cores.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "ops/checks.hpp"
#include "ops/choice.hpp"
#include "ops/engine.hpp"
#include "quern/ops/attention.hpp"

namespace quern::ops {

// The number of elements of a head in kernels.
inline std::int64_t padded_extent(std::int64_t extent) {
  return extent <= 64 ? 64 : extent <= 128 ? 128 : 256;
}

// AttentionShape of text/attention_keys.cuh.
struct AttentionShape {
  std::int64_t batches, heads, group, queries, keys, extent, is_causal, window, splits;
  Line lengths;
  std::int64_t rows() const { return group * queries; }
};

struct Attention {
  const detail::View &q, &k, &v, &out;
  AttentionShape shape;
  const detail::View* lengths;
  double scale;

  std::string type() const { return std::string(name_of(q.element)); }
  Element accumulator() const { return real_accumulator(q.element); }
  std::string types() const { return type() + ", " + std::string(name_of(accumulator())); }
  std::int64_t padded() const { return padded_extent(shape.extent); }
  Argument scale_argument() const {  // scores are exponents of 2
    const double factor = scale * std::log2(std::exp(1.0));
    return accumulator() == Element::f64 ? Argument(factor) : Argument(static_cast<float>(factor));
  }
  Argument length_argument() const { return lengths != nullptr ? argument_of(*lengths) : Argument(nullptr); }
};

// Whether the device's tensor cores compute it.
bool attends_with_wgmma(const Device& device, const Attention& attention);
Receipt attend_with_wgmma(const On& on, const Attention& attention);

// The second pass, if the keys are split: combines unfinished rows.
Receipt combine_splits(const On& on, const Attention& attention, const Argument& unfinished);
// Memory for unfinished rows; none if there is one split.
Workspace unfinished_rows(const Device& device, const Attention& attention);

}  // namespace quern::ops
