// The interface of a module's kernels and variables: parameters, shared memory, features.
#pragma once

#include <vector>

#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

// The module must be prepared. `splits_params`: for targets that move pointers out of struct parameters
// (pass::split_params) and need no addresses for them.
driver::KernelInfo describe(const ir::Module& module, const ir::Function& kernel, bool splits_params = false);

// The module's variables that the host can access.
std::vector<driver::VariableInfo> describe_variables(const ir::Module& module);

// Of the module's dynamic shared memory: the largest that a declaration requests, at least 16.
uint64_t alignment_of_dynamic_shared(const ir::Module& module);

// Whether all addresses in a variable's initial value, and in those it refers to, are of such variables: then
// the owner of their memory can fill them in.
bool is_relocatable(const ir::Global& variable);

// Which of `variables` a module has: the module of one kernel has those that the kernel uses.
std::vector<uint32_t> used_variables(const ir::Module& module,
                                     const std::vector<driver::VariableInfo>& variables);

}  // namespace quern::target
