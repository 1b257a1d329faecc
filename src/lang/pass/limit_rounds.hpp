// For devices that end every loop once the loops of a thread have made a number of rounds in total, whatever
// their conditions are.
#pragma once

#include <string>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Changes only kernels that may make more than `limit` rounds. Unrolls their innermost loops, which make
// fewer rounds then; loops of known, few rounds stay as they are. Keeps lanes beyond the end of a block,
// which such a device runs along, out of loops that they might never leave. Adds a check to the end of the
// kernel: a loop of two rounds, and a trap with the text `message` where the device ends it after the first
// one. Nesting loops would not help, since the device counts the rounds of all loops together.
void limit_rounds(ir::Module& module, uint64_t limit, const std::string& message);

}  // namespace quern::pass
