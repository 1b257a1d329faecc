/// @file
/// Shapes of tensors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "quern/export.hpp"

namespace quern::ops {

/// The extents of a tensor, outermost first: {rows, columns}. At most 8. No extents: a single element.
class QUERN_API Shape {
 public:
  static constexpr std::size_t max_rank = 8;  ///< Most axes.

  /// No axes: a single element.
  Shape() = default;
  /// Throws Error with kind `invalid_use` if there are more than 8 extents, if one is negative, or if the
  /// number of elements does not fit 63 bits.
  Shape(std::initializer_list<std::int64_t> extents);
  /// The same.
  explicit Shape(std::span<const std::int64_t> extents);

  std::size_t rank() const { return rank_; }                                  ///< Number of axes.
  std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }  ///< Extent of an axis.
  std::int64_t size() const;                                                  ///< Number of elements.
  /// The extents.
  std::span<const std::int64_t> extents() const { return {extents_.data(), rank_}; }
  std::string to_string() const;  ///< "4×3"; "scalar" without axes.
  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, max_rank> extents_{};
  std::size_t rank_ = 0;
};

}  // namespace quern::ops
