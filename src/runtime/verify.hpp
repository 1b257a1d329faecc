// Proves that a device computes: one kernel with shared memory, a barrier, branches, loops (one of more than
// 65,535 rounds), integer and float arithmetic and an atomic, over an odd number of threads, compared with
// the host's own answer.
#pragma once

#include <memory>

#include "runtime/device.hpp"

namespace quern::runtime {

struct Verified {
  double seconds = 0;          // from text to checked answer
  double compile_seconds = 0;  // of which: text to code
};

Result<Verified> verify(const std::shared_ptr<Device>& device);

}  // namespace quern::runtime
