#include "lang/pass/algebra.hpp"

#include <algorithm>

#include "lang/ir/builder.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Const;
using ir::Inst;
using ir::Module;
using ir::Op;
using ir::Type;
using ir::Value;
using ir::ValueKind;

Inst* as_op(Value* v, Op op) {
  Inst* i = ir::as_inst(v);
  return i != nullptr && i->is(op) ? i : nullptr;
}

bool is_bits(const Value* v, uint64_t bits) {
  const Const* c = ir::as_const(v);
  return c != nullptr && c->bits == bits;
}

Value* rewrite(Inst* inst, Op op, std::initializer_list<Value*> operands) {
  inst->op = op;
  inst->operands = operands;
  inst->attr_.reset();
  return inst;
}

Value* simplify_not(Inst* inst) {
  Inst* inner = ir::as_inst(inst->operand(0));
  if (inner == nullptr) return nullptr;
  if (!inst->type->is_bool() || inner->operands.size() != 2) return nullptr;
  const Op inverse = inverse_compare(inner->op, inner->operand(0)->type);
  if (inverse == Op::kUnreachable) return nullptr;
  return rewrite(inst, inverse, {inner->operand(0), inner->operand(1)});
}

// Only a local object or a module variable is known to have a non-null address.
bool is_object_address(Value* v) {
  v = strip_casts(v);
  return v->kind == ValueKind::kGlobal || as_op(v, Op::kVar) != nullptr;
}

Value* compare_bool(Inst* inst, Value* a, Value* b) {
  if (inst->is(Op::kEq)) return is_bits(b, 1) ? a : is_bits(b, 0) ? rewrite(inst, Op::kNot, {a}) : nullptr;
  if (inst->is(Op::kNe)) return is_bits(b, 0) ? a : is_bits(b, 1) ? rewrite(inst, Op::kNot, {a}) : nullptr;
  return nullptr;
}

Value* compare_pointers(Module& module, Inst* inst, Value* a, Value* b) {
  const bool is_eq = inst->is(Op::kEq);
  if (!is_eq && !inst->is(Op::kNe)) return nullptr;
  if (is_const_zero(b) && is_object_address(a)) return module.constant_bool(!is_eq);
  Value* bare_a = strip_casts(a);
  Value* bare_b = strip_casts(b);
  if (is_const_zero(b) && bare_a != a) {
    return rewrite(inst, inst->op, {bare_a, module.constant(bare_a->type, 0)});
  }
  if (bare_a != a && bare_b != b && bare_a->type == bare_b->type)
    return rewrite(inst, inst->op, {bare_a, bare_b});
  return nullptr;
}

// x < x is always false; x <= x is always true except for NaN.
Value* compare_with_itself(Module& module, Inst* inst, const Type* type) {
  const bool is_strict = inst->is(Op::kNe) || inst->is(Op::kLt) || inst->is(Op::kGt);
  if (type->is_float() && !inst->is(Op::kLt) && !inst->is(Op::kGt)) return nullptr;
  return module.constant_bool(!is_strict);
}

// Whether one of two known numbers, selected by a condition, equals a third.
Value* compare_choice(Module& module, Inst* inst, Value* a, Value* b) {
  const Inst* choice = as_op(a, Op::kSelect);
  const ir::Const* wanted = ir::as_const(b);
  if (choice == nullptr || wanted == nullptr || !a->type->is_int()) return nullptr;
  const ir::Const* first = ir::as_const(choice->operand(1));
  const ir::Const* second = ir::as_const(choice->operand(2));
  if (first == nullptr || second == nullptr || (!inst->is(Op::kEq) && !inst->is(Op::kNe))) return nullptr;
  const bool if_yes = (first->bits == wanted->bits) == inst->is(Op::kEq);
  const bool if_no = (second->bits == wanted->bits) == inst->is(Op::kEq);
  if (if_yes == if_no) return module.constant_bool(if_yes);
  return if_yes ? choice->operand(0) : rewrite(inst, Op::kNot, {choice->operand(0)});
}

// No unsigned number is less than 0.
Value* compare_with_least(Module& module, const Inst* inst, const Value* a, const Value* b) {
  if (!a->type->is_int() || a->type->is_signed()) return nullptr;
  if (is_bits(b, 0) && inst->is(Op::kLt)) return module.constant_bool(false);
  if (is_bits(b, 0) && inst->is(Op::kGe)) return module.constant_bool(true);
  if (is_bits(a, 0) && inst->is(Op::kGt)) return module.constant_bool(false);
  if (is_bits(a, 0) && inst->is(Op::kLe)) return module.constant_bool(true);
  return nullptr;
}

Value* simplify_compare(Module& module, Inst* inst) {
  Value* a = inst->operand(0);
  Value* b = inst->operand(1);
  const Type* type = a->type;
  if (a == b && (type->is_int() || type->is_float())) return compare_with_itself(module, inst, type);
  if (ir::has(inst->op, ir::kCommutes) && ir::as_const(a) != nullptr) std::swap(a, b);
  if (type->is_bool()) return compare_bool(inst, a, b);
  if (type->is_ptr()) return compare_pointers(module, inst, a, b);
  // (int)flag != 0, the form that C's && and || leave behind.
  Inst* widened = as_op(a, Op::kConvert);
  if (widened != nullptr && widened->operand(0)->type->is_bool() && type->is_int() && is_bits(b, 0)) {
    if (inst->is(Op::kNe)) return widened->operand(0);
    if (inst->is(Op::kEq)) return rewrite(inst, Op::kNot, {widened->operand(0)});
  }
  if (Value* known = compare_with_least(module, inst, a, b)) return known;
  return compare_choice(module, inst, a, b);
}

Value* simplify_select(Inst* inst) {
  Value* c = inst->operand(0);
  Value* a = inst->operand(1);
  Value* b = inst->operand(2);
  if (inst->type->is_bool() && is_bits(a, 0) && is_bits(b, 1)) return rewrite(inst, Op::kNot, {c});
  if (Inst* inverted = as_op(c, Op::kNot)) return rewrite(inst, Op::kSelect, {inverted->operand(0), b, a});
  return nullptr;
}

bool holds_all_values(const Type* wide, const Type* narrow) {
  if (narrow->is_bool()) return true;
  if (wide->is_signed() == narrow->is_signed()) return wide->size >= narrow->size;
  return wide->is_signed() && wide->size > narrow->size;
}

Value* simplify_convert(Inst* inst) {
  Inst* inner = as_op(inst->operand(0), Op::kConvert);
  if (inner == nullptr) return nullptr;
  const Type* first = inner->operand(0)->type;
  const Type* middle = inner->type;
  const Type* last = inst->type;
  if (!middle->is_int() || !(first->is_int() || first->is_bool())) return nullptr;
  const bool widened = first->is_bool() || middle->size >= first->size;
  // Low bits of an extension are those of the original; anything else requires the value itself.
  const bool low_bits = last->is_int() && last->size <= middle->size && widened;
  if (!low_bits && !holds_all_values(middle, first) && !(last->is_bool() && widened)) return nullptr;
  if (first == last) return inner->operand(0);
  inst->operands[0] = inner->operand(0);
  return inst;
}

Value* simplify_bitcast(Inst* inst) {
  Inst* inner = as_op(inst->operand(0), Op::kBitcast);
  if (inner == nullptr) return nullptr;
  inst->operands[0] = inner->operand(0);
  return inst;
}

Value* simplify_extract(Inst* inst) {
  Inst* with = as_op(inst->operand(0), Op::kInsert);
  // In a union, the bytes may belong to another member.
  if (with == nullptr || has_overlap(with->type)) return nullptr;
  inst->operands[0] = with->operand(0);
  return inst;
}

// A struct built from all members of the same struct is that struct.
Value* simplify_construct(Module& module, Inst* inst) {
  if (inst->operands.empty()) return nullptr;
  const auto all_undef = std::all_of(inst->operands.begin(), inst->operands.end(),
                                     [](const Value* v) { return v->kind == ValueKind::kUndef; });
  if (all_undef) return module.undef(inst->type);
  Inst* first = as_op(inst->operand(0), Op::kExtract);
  if (first == nullptr || first->operand(0)->type != inst->type) return nullptr;
  for (size_t i = 0; i < inst->operands.size(); ++i) {
    const Inst* member = as_op(inst->operand(i), Op::kExtract);
    if (member == nullptr || member->operand(0) != first->operand(0) || member->attr().index != i)
      return nullptr;
  }
  return first->operand(0);
}

Value* simplify_offset(Module& module, Inst* inst) {
  Value* base = inst->operand(0);
  Value* index = inst->operand(1);
  const uint64_t scale = inst->attr().scale;
  if (Inst* widened = as_op(index, Op::kConvert); widened != nullptr && widened->type->size == 8) {
    // The index is extended according to its own type anyway.
    const ir::TypeKind kind = widened->operand(0)->type->kind;
    if (kind == ir::TypeKind::kI32 || kind == ir::TypeKind::kU32) {
      inst->operands[1] = widened->operand(0);
      return inst;
    }
  }
  Inst* inner = as_op(base, Op::kOffset);
  if (inner == nullptr || inner->attr().scale != scale) return nullptr;
  const Const* c1 = ir::as_const(inner->operand(1));
  const Const* c2 = ir::as_const(index);
  if (c1 == nullptr || c2 == nullptr) return nullptr;
  const uint64_t sum = static_cast<uint64_t>(ir::int_value(c1)) + static_cast<uint64_t>(ir::int_value(c2));
  inst->operands[0] = inner->operand(0);
  inst->operands[1] = module.constant(module.types().get(ir::TypeKind::kI64), sum);
  return inst;
}

Value* simplify_space_cast(Module& module, Inst* inst) {
  Value* from = inst->operand(0);
  if (from->kind == ValueKind::kUndef) return module.undef(inst->type);
  Inst* inner = as_op(from, Op::kSpaceCast);
  if (inner != nullptr && inner->operand(0)->type == inst->type) return inner->operand(0);
  return nullptr;
}

Value* simplify_is_space(Module& module, Inst* inst) {
  const Value* bare = strip_casts(inst->operand(0));
  if (bare->kind == ValueKind::kConst || bare->type->space == ir::Space::kGeneric) return nullptr;
  return module.constant_bool(bare->type->space == inst->attr().space);
}

}  // namespace

ir::Value* strip_casts(Value* pointer) {
  while (Inst* cast = as_op(pointer, Op::kSpaceCast)) {
    if (cast->type->space != ir::Space::kGeneric) break;
    pointer = cast->operand(0);
  }
  return pointer;
}

Op inverse_compare(Op op, const Type* operand_type) {
  if (op == Op::kEq) return Op::kNe;
  if (op == Op::kNe) return Op::kEq;
  if (operand_type->is_float()) return Op::kUnreachable;
  switch (op) {
    case Op::kLt: return Op::kGe;
    case Op::kLe: return Op::kGt;
    case Op::kGt: return Op::kLe;
    case Op::kGe: return Op::kLt;
    default: return Op::kUnreachable;
  }
}

Value* simplify_inst(Module& module, Inst* inst) {
  const std::span<Value* const> operands(inst->operands.data(), inst->operands.size());
  if (Value* folded = ir::fold_value(module, inst->op, inst->type, operands, inst->attr())) return folded;
  switch (inst->op) {
    case Op::kXor: {
      const bool flips = inst->type->is_bool() && is_bits(inst->operand(1), 1);
      return flips ? rewrite(inst, Op::kNot, {inst->operand(0)}) : nullptr;
    }
    case Op::kNot: return simplify_not(inst);
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe: return simplify_compare(module, inst);
    case Op::kSelect: return simplify_select(inst);
    case Op::kConvert: return simplify_convert(inst);
    case Op::kBitcast: return simplify_bitcast(inst);
    case Op::kExtract: return simplify_extract(inst);
    case Op::kConstruct: return simplify_construct(module, inst);
    case Op::kOffset: return simplify_offset(module, inst);
    case Op::kSpaceCast: return simplify_space_cast(module, inst);
    case Op::kIsSpace: return simplify_is_space(module, inst);
    default: return nullptr;
  }
}

}  // namespace quern::pass
