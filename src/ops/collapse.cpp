#include "ops/collapse.hpp"

namespace quern::ops {

bool Iteration::is_contiguous() const {
  if (extents.empty()) return true;
  if (extents.size() != 1) return false;
  for (const auto& of_tensor : strides) {
    if (of_tensor[0] != 1) return false;
  }
  return true;
}

Iteration collapse(std::span<const detail::Layout> layouts) {
  Iteration out;
  out.strides.resize(layouts.size());
  const Shape& shape = layouts[0].shape;
  out.size = shape.size();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t extent = shape[axis];
    if (extent == 1) continue;
    bool joins = !out.extents.empty();
    for (std::size_t t = 0; joins && t < layouts.size(); ++t)
      joins = out.strides[t].back() == layouts[t].strides[axis] * extent;
    if (joins) {
      out.extents.back() *= extent;
    } else {
      out.extents.push_back(extent);
    }
    for (std::size_t t = 0; t < layouts.size(); ++t) {
      if (joins) {
        out.strides[t].back() = layouts[t].strides[axis];
      } else {
        out.strides[t].push_back(layouts[t].strides[axis]);
      }
    }
  }
  return out;
}

}  // namespace quern::ops
