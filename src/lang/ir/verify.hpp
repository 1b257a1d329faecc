// Checks that a module is well formed: types, operands, scopes of values, targets, terminators.
#pragma once

#include <string>

#include "lang/ir/ir.hpp"

namespace quern::ir {

// Empty when all is well, else the first defect as one sentence that names function and instruction.
std::string verify(const Module& module);

}  // namespace quern::ir
