/// @file
/// Random numbers from Philox4x32-10, a generator without state: element i of the sequence is a function of
/// the seed, the sequence number and i. Results do not depend on the device, its number of threads, or the
/// shape.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "quern/export.hpp"
#include "quern/ops/on.hpp"
#include "quern/ops/tensor.hpp"
#include "quern/receipt.hpp"

namespace quern::ops {

/// Options of random_uniform().
struct UniformOptions {
  std::uint64_t seed = 0;      ///< The key of the generator.
  std::uint64_t offset = 0;    ///< The position of the first element: a sum of the sizes of earlier calls.
  std::uint64_t sequence = 0;  ///< One of 2^64 independent sequences with this seed.
  double low = 0;              ///< The smallest number.
  double high = 1;             ///< Numbers are less than this.
};

/// Options of random_normal().
struct NormalOptions {
  std::uint64_t seed = 0;      ///< As in UniformOptions.
  std::uint64_t offset = 0;    ///< As in UniformOptions.
  std::uint64_t sequence = 0;  ///< As in UniformOptions.
  double mean = 0;             ///< The mean.
  double deviation = 1;        ///< The standard deviation.
};

/// Options of random_integers().
template <std::integral T>
struct IntegerOptions {
  std::uint64_t seed = 0;                    ///< As in UniformOptions.
  std::uint64_t offset = 0;                  ///< As in UniformOptions.
  std::uint64_t sequence = 0;                ///< As in UniformOptions.
  T low = std::numeric_limits<T>::lowest();  ///< The smallest number.
  T high = std::numeric_limits<T>::max();    ///< The largest number.
};

namespace detail {
/// Integers from `low` to `high` as bits; is_full: all values of the type.
struct IntegerRange {
  std::uint64_t low, high;
  bool is_valid, is_full;
};
QUERN_API Receipt random_uniform(const On& on, const View& out, const UniformOptions& options);
QUERN_API Receipt random_normal(const On& on, const View& out, const NormalOptions& options);
QUERN_API Receipt random_integers(const On& on, const View& out, const IntegerRange& range,
                                  std::uint64_t seed, std::uint64_t offset, std::uint64_t sequence);
}  // namespace detail

/// Numbers of [low, high) in row-major order of `out`. Elements are double, float, half or bfloat16. Before
/// scaling, they are multiples of 2^-53, 2^-24, 2^-11 or 2^-8. Results are equal on all devices.
template <Operand Out>
Receipt random_uniform(const On& on, Out&& out, const UniformOptions& options = {}) {
  return detail::random_uniform(on, detail::view_of(out), options);
}
/// Normally distributed numbers. Elements are double, float, half or bfloat16. The logarithm and the sine of
/// devices differ in the last bits, and so do results: see docs/ops.md.
template <Operand Out>
Receipt random_normal(const On& on, Out&& out, const NormalOptions& options = {}) {
  return detail::random_normal(on, detail::view_of(out), options);
}
/// Integers from `low` to `high`, both included; by default, all values of the type. Results are equal on all
/// devices.
template <Operand Out>
Receipt random_integers(const On& on, Out&& out, const IntegerOptions<ValueOf<Out>>& options = {}) {
  using T = ValueOf<Out>;
  const bool is_full =
      options.low == std::numeric_limits<T>::lowest() && options.high == std::numeric_limits<T>::max();
  return detail::random_integers(
      on, detail::view_of(out),
      {static_cast<std::uint64_t>(options.low), static_cast<std::uint64_t>(options.high),
       options.low <= options.high, is_full},
      options.seed, options.offset, options.sequence);
}

}  // namespace quern::ops
