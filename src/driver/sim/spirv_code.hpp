// SPIR-V as the driver interface brings it: code to load, and arguments to launch with.
#pragma once

#include <span>
#include <vector>

#include "driver/interface/driver.hpp"
#include "driver/sim/spirv_bind.hpp"

namespace quern::sim {

// Reads code.bytes, with code.defines as values of specialisation constants (by name or SpecId); fills in the
// module and the kernels, and one entry for each of these.
base::Result<void> understand(driver::Code& code, std::vector<spirv::Entry>& entries);

// One argument per resource. Workgroup memory is given as a number of bytes.
base::Result<void> bind_arguments(const spirv::Entry& entry, std::span<const driver::Argument> arguments,
                                  LaunchConfig& config);

}  // namespace quern::sim
