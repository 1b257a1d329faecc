// Unrolls loops that count between constants if they shuffle by the loop variable (`for (d = 16; d > 0; d /=
// 2)`; a shuffle by a constant is a few register permutes, by a variable it goes through memory) or if their
// iterations are few and short, so that counting and branching would dominate.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::llvm {

// Returns whether there were any. Copies keep their source positions.
bool unroll_short(ir::Module& module, ir::Function& kernel);

}  // namespace quern::llvm
