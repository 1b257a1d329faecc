#pragma once

#include <cstdint>

namespace quern::spirv {

/// The number of invocations of a workgroup in each dimension.
struct LocalSize {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const LocalSize&) const = default;
};

}  // namespace quern::spirv
