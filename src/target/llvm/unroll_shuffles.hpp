// Loops that count between constants and shuffle by what they count (`for (d = 16; d > 0; d /= 2)`) become
// their rounds: a shuffle by a constant is a few permutes of registers, by a variable it goes through memory.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::llvm {

// Whether there were any. What is copied keeps its place in the source.
bool unroll_shuffles(ir::Module& module, ir::Function& kernel);

}  // namespace quern::llvm
