// For compilers that move a negation out of an arithmetic right shift: (-x >> n) + d becomes d - (x >> n).
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Rewrites arithmetic right shifts of i32 by a constant whose operand is a negation, or may become one when a
// compiler unrolls a loop. x >> n becomes the high word of x * 2^(32 - n), which such compilers translate
// into one instruction as well, with the negation in place.
void guard_shifts(ir::Module& module);

}  // namespace quern::pass
