// The arguments of a launch for the entry points of a SPIR-V module.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "driver/sim/sim.hpp"
#include "spirv/reader/spirv.hpp"

namespace quern::sim {

// What a caller gives for one resource.
struct Binding {
  Address address = 0;           // buffers and pointer parameters
  uint64_t bytes = 0;            // size of the buffer, or of the workgroup memory
  std::vector<std::byte> value;  // push constants, numbers, structs
};

// Fills in the block size, the arguments and the dynamic shared memory of a launch.
base::Result<void> bind_resources(const spirv::Entry& entry, std::span<const Binding> bindings,
                                  LaunchConfig& config);

}  // namespace quern::sim
