// Parts of the verifier: the look at one instruction by itself, and the form the parser uses.
#pragma once

#include <string>

#include "lang/ir/ir.hpp"

namespace quern::ir {

// Operand and result types and attributes, as op.hpp states them. Operands must be present and as many as the
// arity says. Empty when all is well, else the rest of a sentence that begins with the instruction.
std::string check_types(const TypeTable& types, const Inst& inst);

bool is_sized(const Type* type);  // has a known size above 0 that fits: what memory can hold

// verify(), and the instruction at fault where there is one.
std::string verify_module(const Module& module, const Inst*& at);

}  // namespace quern::ir
