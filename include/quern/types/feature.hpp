/// @file
/// Features of devices, and sets of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace quern {

/// A feature that a device may have. docs/devices.md describes each. The names are also those of the selector
/// `has=…` of open().
enum class Feature : std::uint8_t {
  fp16,                ///< Half precision arithmetic.
  bf16,                ///< bfloat16 arithmetic.
  fp64,                ///< Double precision.
  int8,                ///< 8-bit memory access.
  int16,               ///< 16-bit memory access.
  int64,               ///< 64-bit integers.
  atomics16,           ///< 16-bit atomics.
  atomics64,           ///< 64-bit atomics.
  atomics_f16,         ///< Half precision atomics.
  atomics_f32,         ///< Float atomics.
  atomics_f64,         ///< Double precision atomics.
  system_scope,        ///< Atomics that are visible to the host.
  warps,               ///< Warp operations.
  divergent_barriers,  ///< Barriers in divergent control flow.
  grid_barrier,        ///< Grid-wide barriers.
  clusters,            ///< Thread block clusters.
  addresses,           ///< Device addresses: pointers in memory, in structs, or cast.
  generic_pointers,    ///< Pointers that may point to several address spaces.
  dynamic_shared,      ///< Dynamic shared memory.
  variables,           ///< `__device__` variables that the host sets and reads.
  print,               ///< `printf` in kernels.
  assert,              ///< `assert` and trap.
  clock,               ///< `clock()` in kernels.
  shared_memory,       ///< Memory that host and device share.
  managed_memory,      ///< Managed memory that migrates between host and device.
  mapped_memory,       ///< Host memory that kernels can access.
  timestamps,          ///< Device timestamps for events.
  graphs,              ///< Native graphs.
  persistent,          ///< Persistent kernels.
};

/// The number of features.
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::persistent) + 1;

/// A set of features. Iteration is in the order of Feature.
class FeatureSet {
 public:
  /// Forward iterator over the features of a set.
  class Iterator {
   public:
    using value_type = Feature;              ///< The element.
    using difference_type = std::ptrdiff_t;  ///< Required of iterators.

    constexpr Iterator() = default;  ///< The end of every set.
    /// An iterator over the set with these bits.
    constexpr explicit Iterator(std::uint64_t bits) : bits_(bits) {}
    /// The current feature.
    constexpr Feature operator*() const { return static_cast<Feature>(std::countr_zero(bits_)); }
    /// Advances to the next feature.
    constexpr Iterator& operator++() {
      bits_ &= bits_ - 1;
      return *this;
    }
    /// Advances, and returns the previous position.
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    /// Whether both are at the same position of the same set.
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint64_t bits_ = 0;
  };

  constexpr FeatureSet() = default;  ///< The empty set.
  /// A set of the given features.
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature f : features) bits_ |= bit(f);
  }
  /// Whether the feature is in the set.
  constexpr bool has(Feature f) const { return (bits_ & bit(f)) != 0; }
  constexpr void add(Feature f) { bits_ |= bit(f); }      ///< Adds a feature.
  constexpr void remove(Feature f) { bits_ &= ~bit(f); }  ///< Removes a feature.
  /// The features of this set that `other` does not have.
  constexpr FeatureSet missing_from(FeatureSet other) const { return FeatureSet(bits_ & ~other.bits_); }
  constexpr bool empty() const { return bits_ == 0; }             ///< Whether the set is empty.
  constexpr bool operator==(const FeatureSet&) const = default;   ///< Whether both sets are equal.
  constexpr Iterator begin() const { return Iterator(bits_); }    ///< The first feature.
  constexpr Iterator end() const { return {}; }                   ///< The end.
  std::vector<Feature> list() const { return {begin(), end()}; }  ///< The features in order.

 private:
  constexpr explicit FeatureSet(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t bit(Feature f) { return std::uint64_t{1} << static_cast<std::uint8_t>(f); }
  std::uint64_t bits_ = 0;
};

}  // namespace quern
