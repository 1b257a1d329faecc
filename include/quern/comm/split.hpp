/// @file
/// How positions are divided between the members of a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quern/export.hpp"

namespace quern {

/// The positions from `begin` to before `end`.
struct IndexRange {
  std::uint64_t begin = 0;                             ///< The first position.
  std::uint64_t end = 0;                               ///< After the last position.
  std::uint64_t size() const { return end - begin; }   ///< Number of positions.
  bool empty() const { return begin == end; }          ///< Whether there are none.
  bool operator==(const IndexRange&) const = default;  ///< Whether both are the same positions.
};

/// Contiguous blocks of the positions from 0 to before total(): one for each member, in the order of the
/// members. Blocks may be empty.
class QUERN_API Split {
 public:
  /// No members.
  Split() = default;
  /// Blocks in proportion to the weights, rounded to whole positions. Weights are finite and not negative,
  /// and at least one is positive; otherwise throws Error with kind `invalid_use`.
  static Split by_weights(std::uint64_t total, std::span<const double> weights);
  /// Blocks of these sizes.
  static Split by_sizes(std::span<const std::uint64_t> sizes);

  std::size_t size() const { return ends_.size(); }                         ///< Number of members.
  std::uint64_t total() const { return ends_.empty() ? 0 : ends_.back(); }  ///< Number of positions.
  /// The block of a member.
  IndexRange operator[](std::size_t member) const {
    return {member == 0 ? 0 : ends_[member - 1], ends_[member]};
  }
  /// The member whose block contains the position, which is less than total().
  std::size_t owner(std::uint64_t position) const;
  /// Whether both have the same blocks.
  bool operator==(const Split&) const = default;

 private:
  std::vector<std::uint64_t> ends_;
};

}  // namespace quern
