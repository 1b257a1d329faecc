#include "lang/pass/guard_shifts.hpp"

#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;
using ir::TypeKind;
using ir::Value;

bool is_constant_other_than(const Value* v, uint32_t bits) {
  const ir::Const* c = ir::as_const(v);
  return c != nullptr && static_cast<uint32_t>(c->bits) != bits;
}

bool is_private_load(const Inst* i) {
  return i->is(Op::kLoad) && (i->operand(0)->type->space == ir::Space::kLocal ||
                              i->operand(0)->type->space == ir::Space::kGeneric);
}

// Whether a compiler may find out that the value is the negation of another one.
bool may_be_negation(const Value* v) {
  constexpr uint32_t kMinusOne = ~uint32_t{0};
  const Inst* i = ir::as_inst(v);
  if (i == nullptr) return false;
  switch (i->op) {
    case Op::kNeg:
    case Op::kSelect: return true;
    case Op::kSub: return !is_constant_other_than(i->operand(0), 0);
    case Op::kAdd:
      return !is_constant_other_than(i->operand(0), 0) && !is_constant_other_than(i->operand(1), 0);
    case Op::kMul:
      return !is_constant_other_than(i->operand(0), kMinusOne) &&
             !is_constant_other_than(i->operand(1), kMinusOne);
    case Op::kConvert:
    case Op::kBitcast: return may_be_negation(i->operand(0));
    default: return is_private_load(i);
  }
}

bool is_shift_to_guard(const Inst* i) {
  if (!i->is(Op::kShr) || i->type->kind != TypeKind::kI32) return false;
  const ir::Const* by = ir::as_const(i->operand(1));
  return by != nullptr && by->bits >= 1 && by->bits <= 31 && may_be_negation(i->operand(0));
}

void guard(ir::Module& module, Inst* shift) {
  Value* const x = shift->operand(0);
  const auto by = static_cast<uint32_t>(ir::as_const(shift->operand(1))->bits);
  const auto number = [&](uint32_t n) { return module.constant(shift->type, n); };
  if (by > 1) {
    shift->op = Op::kMulHi;
    shift->operands[1] = number(uint32_t{1} << (32 - by));
    return;
  }
  // 2^31 is not an i32: the lowest bit of the result is added to a shift by 2.
  ir::Builder b(module);
  b.at(shift->parent, shift);
  b.pos(shift->pos);
  const ir::Type* const u32 = b.type(TypeKind::kU32);
  Value* const high = b.binary(Op::kMulHi, x, number(uint32_t{1} << 30));
  Value* const bit = b.binary(Op::kAnd, b.binary(Op::kShr, b.convert(x, u32), module.constant(u32, 1)),
                              module.constant(u32, 1));
  shift->op = Op::kOr;
  shift->operands[0] = b.binary(Op::kShl, high, number(1));
  shift->operands[1] = b.convert(bit, shift->type);
}

}  // namespace

void guard_shifts(ir::Module& module) {
  std::vector<Inst*> shifts;
  for (ir::Function* f : module.functions) {
    traverse(f->body, [&](Inst* i) {
      if (is_shift_to_guard(i)) shifts.push_back(i);
    });
  }
  for (Inst* i : shifts) guard(module, i);
}

}  // namespace quern::pass
