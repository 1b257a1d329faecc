// `if (i < n) { …; __syncthreads(); … }` at the end of a kernel: who does not go in has returned, and a
// barrier does not wait for those. Written as `if (i >= n) return; …`, which is what barriers here
// understand.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::llvm {

void leave_early(ir::Module& module, ir::Function& kernel);

}  // namespace quern::llvm
