// Checks that a module is well formed: types, operands, scopes of values, targets, terminators.
#pragma once

#include <string>

#include "lang/ir/ir.hpp"

namespace quern::ir {

// Empty if the module is valid, otherwise the first defect as one sentence that names function and
// instruction.
std::string verify(const Module& module);

// Whether every address of an unnamed variable is used only during the lifetime of the variable, as far as
// this can be determined: an address that is stored in an outer variable must not be read there after the
// block. For tests of IR producers: a program may legally keep such an address without using it.
std::string verify_lifetimes(const Module& module);

}  // namespace quern::ir
