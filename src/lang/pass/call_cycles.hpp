// Cycles of calls.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// The functions that call themselves, directly or through each other: one list for each set in which every
// function reaches every other.
std::vector<std::vector<ir::Function*>> call_cycles(const ir::Module& module);

}  // namespace quern::pass
