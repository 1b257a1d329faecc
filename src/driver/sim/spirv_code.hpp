// SPIR-V in terms of the driver interface: loading code, and arguments of launches.
#pragma once

#include <span>
#include <vector>

#include "driver/interface/driver.hpp"
#include "driver/sim/spirv_bind.hpp"

namespace quern::sim {

// Reads code.bytes, with code.defines as values of specialization constants (by name or SpecId). Fills in the
// module and the kernels, and one entry for each of these.
base::Result<void> understand(driver::Code& code, std::vector<spirv::Entry>& entries);

// One argument per resource. Workgroup memory is passed as a number of bytes.
base::Result<void> bind_arguments(const spirv::Entry& entry, std::span<const driver::Argument> arguments,
                                  LaunchConfig& config);

}  // namespace quern::sim
