// Iteration over several tensors of the same shape with as few axes as possible.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quern/ops/tensor.hpp"

namespace quern::ops {

// Axes in the order of iteration, outermost first. Neighboring axes are joined where all tensors allow it;
// axes of extent 1 are dropped.
struct Iteration {
  std::vector<std::int64_t> extents;
  std::vector<std::vector<std::int64_t>> strides;  // by tensor, then by axis
  std::int64_t size = 1;

  // Whether all tensors are traversed with stride 1.
  bool is_contiguous() const;
};

// All layouts have the same shape.
Iteration collapse(std::span<const detail::Layout> layouts);

}  // namespace quern::ops
