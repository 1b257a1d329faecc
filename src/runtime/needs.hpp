// What a kernel asks of a device, and the refusal, with the reason, of one that cannot give it.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"

namespace quern::runtime {

// The kernel from outside: parameters, shared memory, features. The module is prepared.
driver::KernelInfo describe(const ir::Module& module, const ir::Function& kernel);

// The module's variables that the host may set and read.
std::vector<driver::VariableInfo> describe_variables(const ir::Module& module);

// Whether the device has all the kernel needs; else one sentence with the first thing it lacks.
base::Result<void> check_needs(const driver::KernelInfo& kernel, const driver::DeviceInfo& device);

}  // namespace quern::runtime
