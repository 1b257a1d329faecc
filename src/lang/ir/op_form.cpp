#include "lang/ir/op_form.hpp"

namespace quern::ir {

Yields yields(Op op) {
  if (op == Op::kVar) return Yields::kVariable;
  if (op == Op::kCall) return Yields::kCalled;
  if (group(op) == OpGroup::kComparison) return Yields::kCompared;
  if (result_letter(op) == 'v') return Yields::kNothing;
  return fixed_result(op) != TypeKind::kVoid ? Yields::kFixed : Yields::kTyped;
}

TypeKind fixed_result(Op op) {
  switch (result_letter(op)) {
    case 'b': return TypeKind::kBool;
    case 'i': return TypeKind::kI32;
    case 'u': return TypeKind::kU32;
    case 'l': return TypeKind::kI64;
    case 'q': return TypeKind::kU64;
    default: return TypeKind::kVoid;
  }
}

}  // namespace quern::ir
