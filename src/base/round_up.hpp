// Sizes and offsets, rounded up to an alignment.
#pragma once

#include <cstdint>

namespace quern::base {

// The least multiple of `multiple` that is at least `n`. Returns `n` if `multiple` is 0.
constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t multiple) {
  return multiple <= 1 ? n : (n + multiple - 1) / multiple * multiple;
}

}  // namespace quern::base
