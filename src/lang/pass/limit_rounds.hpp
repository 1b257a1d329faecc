// For devices that terminate every loop once the loops of a thread have run a number of iterations in total,
// whatever their conditions are.
#pragma once

#include <string>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Changes only kernels that may run more than `limit` iterations. Unrolls their innermost loops, which then
// run fewer iterations; loops with a small known trip count stay as they are. Keeps lanes beyond the end of a
// block, which such a device also executes, out of loops that they might never leave. Adds a check to the end
// of the kernel: a loop of two iterations, and a trap with the text `message` if the device terminates it
// after the first one. Nesting loops would not help, because the device counts the iterations of all loops
// together. `soft_doubles`: doubles are computed with integers (expand::lower_doubles), in loops; a kernel
// with doubles is only checked then, because unrolling it would multiply much code.
void limit_rounds(ir::Module& module, uint64_t limit, const std::string& message, bool soft_doubles = false);

}  // namespace quern::pass
