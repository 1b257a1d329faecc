// The result of an operation and its text form; shared by printer, parser and verifier.
#pragma once

#include "lang/ir/op.hpp"
#include "lang/ir/type.hpp"

namespace quern::ir {

enum class Yields : uint8_t {
  kNothing,   // no result: "store %p, %v"
  kTyped,     // the type follows the name, and constants of that type need none: "add i32 %a, 5"
  kCompared,  // bool; the operands' type is written: "lt i32 %a, 5"
  kFixed,     // always fixed_result(): "block_id.x"
  kVariable,  // ptr<local>; the variable's type is written: "var i32"
  kCalled,    // the callee's result, absent when void: "call i32 @f(%a)"
};

Yields yields(Op op);
TypeKind fixed_result(Op op);  // for kFixed

}  // namespace quern::ir
