// Compares two runs of the same kernel on different devices.
#pragma once

#include <string>
#include <vector>

#include "device_run.hpp"

namespace quern::tool {

struct BufferComparison {
  std::string name;
  uint64_t numbers = 0;
  uint64_t differ = 0;  // beyond the tolerance; integers: any difference
  double largest = 0;   // relative difference of floats
  uint64_t first = 0;   // the first value that differs
  std::string left, right;
};

// Compares every buffer that the kernel may write. `tolerance`: relative, for floats; 0: equal in value.
std::vector<BufferComparison> compare(const DeviceRun& left, const DeviceRun& right, double tolerance);

}  // namespace quern::tool
