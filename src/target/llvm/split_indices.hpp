// Splits index variables that increase from thread to thread (`for (i = thread; i < n; i += step)`) into a
// part that a bundle shares and a part of the thread. The variable then holds the shared part, which is
// uniform as long as lanes iterate together, so accesses are contiguous. Exact: integers wrap around.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::llvm {

// For blocks in which thread_id.x increases along a bundle. Returns the loops that step such variables.
std::vector<const ir::Inst*> split_indices(ir::Module& module, ir::Function& kernel,
                                           uint32_t same_thread_ids);

}  // namespace quern::llvm
