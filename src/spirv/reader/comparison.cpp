#include "base/text.hpp"
#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

enum class Of : uint8_t { kInts, kSigned, kUnsigned, kFloats, kBools };

// The type in which two scalars are compared; nullptr, and a failure, if they cannot be compared.
const Type* common(Emitter& e, const Val& a, const Val& b, size_t i, Of of) {
  if (i >= a.leaves.size() || i >= b.leaves.size()) {
    e.fail(message::kOperandsTooNarrow());
    return nullptr;
  }
  const Type* type = a.leaves[i]->type;
  const bool right = of == Of::kFloats  ? type->is_float()
                     : of == Of::kBools ? type->is_bool()
                                        : type->is_int();
  if (!right) {
    e.fail(message::kOperandOfType(to_string(type)));
    return nullptr;
  }
  if (of == Of::kSigned) return e.signed_type(type);
  if (of == Of::kUnsigned || of == Of::kInts) return e.unsigned_type(type);
  return type;
}

template <typename Fn>
void each_pair(Emitter& e, Of of, Fn&& fn) {
  const Val a = e.arg(0), b = e.arg(1);
  Leaves out;
  for (size_t i = 0; i < a.leaves.size() && !e.failed(); ++i) {
    const Type* type = common(e, a, b, i, of);
    if (type != nullptr) out.push_back(fn(e.leaf(a, i, type), e.leaf(b, i, type)));
  }
  e.define(std::move(out));
}

void compare(Emitter& e, Op op, Of of) {
  each_pair(e, of, [&](Value* a, Value* b) { return e.b.compare(op, a, b); });
}

// Also true if one of them is NaN: not the negation.
void compare_unordered(Emitter& e, Op opposite) {
  each_pair(e, Of::kFloats,
            [&](Value* a, Value* b) { return e.b.unary(Op::kNot, e.b.compare(opposite, a, b)); });
}

Value* is_ordered(Emitter& e, Value* a, Value* b) {
  return e.b.binary(Op::kAnd, e.b.compare(Op::kEq, a, a), e.b.compare(Op::kEq, b, b));
}

Value* less_or_greater(Emitter& e, Value* a, Value* b) {
  return e.b.binary(Op::kOr, e.b.compare(Op::kLt, a, b), e.b.compare(Op::kGt, a, b));
}

void logic(Emitter& e, Op op) {
  each_pair(e, Of::kBools, [&](Value* a, Value* b) { return e.b.binary(op, a, b); });
}

template <typename Fn>
void each_one(Emitter& e, Of of, Fn&& fn) {
  const Val a = e.arg(0);
  Leaves out;
  for (size_t i = 0; i < a.leaves.size() && !e.failed(); ++i) {
    const Type* type = common(e, a, a, i, of);
    if (type != nullptr) out.push_back(fn(e.leaf(a, i, type)));
  }
  e.define(std::move(out));
}

void any_or_all(Emitter& e, Op op) {
  const Val a = e.arg(0);
  Value* sum = e.leaf(a, 0, e.kind(TypeKind::kBool));
  for (size_t i = 1; i < a.leaves.size(); ++i)
    sum = e.b.binary(op, sum, e.leaf(a, i, e.kind(TypeKind::kBool)));
  e.define(Leaves{sum});
}

void choose(Emitter& e) {
  const Val cond = e.arg(0), yes = e.arg(1), no = e.arg(2);
  Leaves out;
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  if (cond.leaves.size() != 1 && cond.leaves.size() != results.size())
    return e.fail(message::kConditionComponentCount());
  for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
    Value* c = e.leaf(cond, cond.leaves.size() == 1 ? 0 : i, e.kind(TypeKind::kBool));
    out.push_back(e.b.select(c, e.leaf(yes, i, results[i]), e.leaf(no, i, results[i])));
  }
  e.define(std::move(out));
}

Value* is_finite(Emitter& e, Value* x) {
  Value* odd = e.b.binary(Op::kOr, e.b.op(Op::kIsNan, e.kind(TypeKind::kBool), {x}),
                          e.b.op(Op::kIsInf, e.kind(TypeKind::kBool), {x}));
  return e.b.unary(Op::kNot, odd);
}

Value* is_normal(Emitter& e, Value* x) {
  const Type* type = x->type;
  const double least = type->kind == TypeKind::kF16   ? 0x1p-14
                       : type->kind == TypeKind::kF32 ? 0x1p-126
                                                      : 0x1p-1022;
  Value* large = e.b.compare(Op::kGe, e.b.unary(Op::kAbs, x), e.real(type, least));
  return e.b.binary(Op::kAnd, is_finite(e, x), large);
}

bool emit_float_comparison(Emitter& e) {
  const auto test = [&](Op op) {
    each_one(e, Of::kFloats, [&](Value* x) { return e.b.op(op, e.kind(TypeKind::kBool), {x}); });
  };
  switch (e.at().opcode) {
    case Opcode::kIsNan: test(Op::kIsNan); return true;
    case Opcode::kIsInf: test(Op::kIsInf); return true;
    case Opcode::kSignBitSet: test(Op::kSignBit); return true;
    case Opcode::kIsFinite: each_one(e, Of::kFloats, [&](Value* x) { return is_finite(e, x); }); return true;
    case Opcode::kIsNormal: each_one(e, Of::kFloats, [&](Value* x) { return is_normal(e, x); }); return true;
    case Opcode::kOrdered:
      each_pair(e, Of::kFloats, [&](Value* a, Value* b) { return is_ordered(e, a, b); });
      return true;
    case Opcode::kUnordered:
      each_pair(e, Of::kFloats, [&](Value* a, Value* b) { return e.b.unary(Op::kNot, is_ordered(e, a, b)); });
      return true;
    case Opcode::kLessOrGreater:
    case Opcode::kFOrdNotEqual:
      each_pair(e, Of::kFloats, [&](Value* a, Value* b) { return less_or_greater(e, a, b); });
      return true;
    case Opcode::kFUnordEqual:
      each_pair(e, Of::kFloats,
                [&](Value* a, Value* b) { return e.b.unary(Op::kNot, less_or_greater(e, a, b)); });
      return true;
    case Opcode::kFOrdEqual: compare(e, Op::kEq, Of::kFloats); return true;
    case Opcode::kFUnordNotEqual: compare(e, Op::kNe, Of::kFloats); return true;
    case Opcode::kFOrdLessThan: compare(e, Op::kLt, Of::kFloats); return true;
    case Opcode::kFOrdGreaterThan: compare(e, Op::kGt, Of::kFloats); return true;
    case Opcode::kFOrdLessThanEqual: compare(e, Op::kLe, Of::kFloats); return true;
    case Opcode::kFOrdGreaterThanEqual: compare(e, Op::kGe, Of::kFloats); return true;
    case Opcode::kFUnordLessThan: compare_unordered(e, Op::kGe); return true;
    case Opcode::kFUnordGreaterThan: compare_unordered(e, Op::kLe); return true;
    case Opcode::kFUnordLessThanEqual: compare_unordered(e, Op::kGt); return true;
    case Opcode::kFUnordGreaterThanEqual: compare_unordered(e, Op::kLt); return true;
    default: return false;
  }
}

}  // namespace

bool emit_comparison(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kAny: any_or_all(e, Op::kOr); return true;
    case Opcode::kAll: any_or_all(e, Op::kAnd); return true;
    case Opcode::kLogicalEqual: compare(e, Op::kEq, Of::kBools); return true;
    case Opcode::kLogicalNotEqual: compare(e, Op::kNe, Of::kBools); return true;
    case Opcode::kLogicalOr: logic(e, Op::kOr); return true;
    case Opcode::kLogicalAnd: logic(e, Op::kAnd); return true;
    case Opcode::kLogicalNot:
      each_one(e, Of::kBools, [&](Value* x) { return e.b.unary(Op::kNot, x); });
      return true;
    case Opcode::kSelect: choose(e); return true;
    case Opcode::kIEqual: compare(e, Op::kEq, Of::kInts); return true;
    case Opcode::kINotEqual: compare(e, Op::kNe, Of::kInts); return true;
    case Opcode::kUGreaterThan: compare(e, Op::kGt, Of::kUnsigned); return true;
    case Opcode::kSGreaterThan: compare(e, Op::kGt, Of::kSigned); return true;
    case Opcode::kUGreaterThanEqual: compare(e, Op::kGe, Of::kUnsigned); return true;
    case Opcode::kSGreaterThanEqual: compare(e, Op::kGe, Of::kSigned); return true;
    case Opcode::kULessThan: compare(e, Op::kLt, Of::kUnsigned); return true;
    case Opcode::kSLessThan: compare(e, Op::kLt, Of::kSigned); return true;
    case Opcode::kULessThanEqual: compare(e, Op::kLe, Of::kUnsigned); return true;
    case Opcode::kSLessThanEqual: compare(e, Op::kLe, Of::kSigned); return true;
    default: return emit_float_comparison(e);
  }
}

}  // namespace quern::spirv
