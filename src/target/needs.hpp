// Whether a device can run a kernel: features, shared memory, arguments.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

// Fails with ErrorKind::unsupported and one sentence about the first requirement that the device does not
// meet.
base::Result<void> check_needs(const driver::KernelInfo& kernel, const driver::DeviceInfo& device);
// `splits_grids`: the caller splits kernels with grid barriers (split_grids.hpp) where the device needs it.
base::Result<void> check_needs(const ir::Module& module, const ir::Function& kernel,
                               const driver::DeviceInfo& device, bool splits_grids = false);

// Removes the kernels that the device cannot run. Returns the reason for each, by the kernel's name.
std::map<std::string, base::Error> remove_unsupported(ir::Module& module, const driver::DeviceInfo& device,
                                                      bool splits_grids = false);

}  // namespace quern::target
