// Verifies that a device computes correctly: one kernel with shared memory, a barrier, branches, loops (one
// with more than 65,535 iterations), integer and float arithmetic and an atomic operation, over an odd number
// of threads, compared with the host's result.
#pragma once

#include <memory>

#include "runtime/device.hpp"

namespace quern::runtime {

struct Verified {
  double seconds = 0;          // from text to verified result
  double compile_seconds = 0;  // of which: text to code
};

Result<Verified> verify(const std::shared_ptr<Device>& device);

}  // namespace quern::runtime
