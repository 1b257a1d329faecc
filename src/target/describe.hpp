// Kernels and variables of a module as they look from outside: parameters, shared memory, features.
#pragma once

#include <vector>

#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

// The module is prepared. `splits_params`: for targets that take pointers out of struct parameters
// (pass::split_params), and need no addresses for them.
driver::KernelInfo describe(const ir::Module& module, const ir::Function& kernel, bool splits_params = false);

// The module's variables that the host may set and read.
std::vector<driver::VariableInfo> describe_variables(const ir::Module& module);

// Whether all addresses in a variable's initial value, and in those it leads to, are of such variables: then
// whoever makes their memory can fill them in.
bool is_relocatable(const ir::Global& variable);

// Which of `variables` a module has: that of one kernel has those that the kernel uses.
std::vector<uint32_t> used_variables(const ir::Module& module,
                                     const std::vector<driver::VariableInfo>& variables);

}  // namespace quern::target
