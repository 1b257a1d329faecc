// Loops that count between constants become their rounds, where they shuffle by what they count (`for (d =
// 16; d > 0; d /= 2)`; a shuffle by a constant is a few permutes of registers, by a variable it goes through
// memory) or where their rounds are few and short: counting and jumping would be most of them.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::llvm {

// Whether there were any. What is copied keeps its place in the source.
bool unroll_short(ir::Module& module, ir::Function& kernel);

}  // namespace quern::llvm
