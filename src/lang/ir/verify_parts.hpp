// Internal parts of the verifier: the check of a single instruction, and the form that the parser uses.
#pragma once

#include <optional>
#include <string>

#include "base/message.hpp"
#include "lang/ir/ir.hpp"

namespace quern::ir {

// Checks operand types, result type and attributes against op.hpp. All operands that the arity requires must
// be present. Nothing if valid, otherwise the rest of a sentence whose subject is the instruction.
std::optional<base::MessageText> check_types(const TypeTable& types, const Inst& inst);

bool is_sized(const Type* type);  // has a known size above 0 that fits: memory can hold it

// verify(), with the faulty instruction if there is one.
std::string verify_module(const Module& module, const Inst*& at);

}  // namespace quern::ir
