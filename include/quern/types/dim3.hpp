/// @file
/// A three-dimensional size.
#pragma once

#include <concepts>
#include <cstdint>

#include "quern/export.hpp"

namespace quern {

namespace detail {
[[noreturn]] QUERN_API void refuse_launch_size(std::uint64_t size);
// Sizes have 32 bits. A wider one that does not fit throws Error with kind `invalid_use`.
template <std::convertible_to<std::uint64_t> T>
constexpr std::uint32_t launch_size(T size) {
  if constexpr (!std::integral<T> || sizeof(T) > sizeof(std::uint32_t)) {
    if (static_cast<std::uint64_t>(size) > UINT32_MAX) refuse_launch_size(static_cast<std::uint64_t>(size));
  }
  return static_cast<std::uint32_t>(size);
}
}  // namespace detail

/// A three-dimensional size or index, for example of a grid in blocks or of a block in threads.
struct Dim3 {
  std::uint32_t x = 1;  ///< Width.
  std::uint32_t y = 1;  ///< Height.
  std::uint32_t z = 1;  ///< Depth.

  constexpr Dim3() = default;  ///< 1 in each dimension.
  /// Converts from one to three integers. Throws Error with kind `invalid_use` if a 64-bit integer does not
  /// fit 32 bits.
  template <std::convertible_to<std::uint64_t> X, std::convertible_to<std::uint64_t> Y = std::uint32_t,
            std::convertible_to<std::uint64_t> Z = std::uint32_t>
  constexpr Dim3(X width, Y height = 1, Z depth = 1)
      : x(detail::launch_size(width)), y(detail::launch_size(height)), z(detail::launch_size(depth)) {}

  /// The product of the three sizes.
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  /// Whether all three sizes are equal.
  bool operator==(const Dim3&) const = default;
};

}  // namespace quern
