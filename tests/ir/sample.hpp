// Modules that the IR's tests share.
#pragma once

#include "lang/ir/builder.hpp"
#include "lang/ir/ir.hpp"

namespace quern::ir {

// A well-formed module that contains every operation at least once, and every kind of declaration, attribute,
// constant and name that the text form has.
Module every_op();

}  // namespace quern::ir
