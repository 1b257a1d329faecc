// Checks that a module is well formed: types, operands, scopes of values, targets, terminators.
#pragma once

#include <string>

#include "lang/ir/ir.hpp"

namespace quern::ir {

// Empty when all is well, else the first defect as one sentence that names function and instruction.
std::string verify(const Module& module);

// Whether every address of an unnamed variable is used only while the variable lives, as far as it can be
// told: one that is kept in a variable further out must not be read there after the block. For tests of what
// makes IR: a program may keep such an address legally without using it.
std::string verify_lifetimes(const Module& module);

}  // namespace quern::ir
