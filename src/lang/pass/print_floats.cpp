// Floats are printed as floats: C converts them to double for printf, and the host can do that conversion
// instead.
#include <cmath>
#include <cstring>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;
using ir::TypeKind;
using ir::Value;

namespace {

double value_of(const ir::Const& c) {
  double value = 0;
  std::memcpy(&value, &c.bits, sizeof value);
  return value;
}

}  // namespace

bool is_widened_float(const Value* v) {
  const Inst* i = ir::as_inst(v);
  return i != nullptr && i->is(Op::kConvert) && i->type->kind == TypeKind::kF64 &&
         i->operand(0)->type->kind == TypeKind::kF32;
}

bool is_printed_as_float(const Value* v) {
  if (is_widened_float(v)) return true;
  const ir::Const* c = ir::as_const(v);
  if (c == nullptr || c->type->kind != TypeKind::kF64) return false;
  const double value = value_of(*c);
  return std::isfinite(value) && static_cast<double>(static_cast<float>(value)) == value;
}

void print_floats(ir::Module& module) {
  const auto printed = [&](Value* v) -> Value* {
    if (is_widened_float(v)) return ir::as_inst(v)->operand(0);
    const auto value = static_cast<float>(value_of(*ir::as_const(v)));
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return module.constant(module.types().get(TypeKind::kF32), bits);
  };
  for (ir::Function* f : module.functions) {
    bool any = false;
    traverse(f->body, [&](Inst* i) {
      if (!i->is(Op::kPrintf)) return;
      for (Value*& v : i->operands) {
        if (!is_printed_as_float(v)) continue;
        v = printed(v);
        any = true;
      }
    });
    if (any) simplify(module, *f);
  }
}

}  // namespace quern::pass
