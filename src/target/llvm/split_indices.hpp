// Index variables that grow from thread to thread (`for (i = thread; i < n; i += step)`) as what a bundle
// shares plus what is the thread's own: the variable then holds the shared part, which is uniform as long as
// lanes go round together, and its address is contiguous. Exact: integers wrap.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::llvm {

// For blocks in which thread_id.x counts along a bundle. Yields the loops that step such variables.
std::vector<const ir::Inst*> split_indices(ir::Module& module, ir::Function& kernel,
                                           uint32_t same_thread_ids);

}  // namespace quern::llvm
