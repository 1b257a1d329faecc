// `if (i < n) { …; __syncthreads(); … }` at the end of a kernel: threads that do not enter have returned, and
// a barrier does not wait for them. Rewritten as `if (i >= n) return; …`, the form that barriers here
// support.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::llvm {

void leave_early(ir::Module& module, ir::Function& kernel);

}  // namespace quern::llvm
