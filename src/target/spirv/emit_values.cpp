// Pure operations.
#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;
using ir::ValueKind;

Id Emitter::constant(const Type* type, uint64_t bits) {
  if (type->is_bool()) return b_.boolean(bits != 0);
  if (type->is_signed() && type->size < 4) {
    const auto shift = static_cast<int>(64 - type->bits());
    bits = static_cast<uint32_t>(static_cast<int64_t>(bits << shift) >> shift);
  }
  return word(rep_of(type), bits);
}

Emitter::Ids Emitter::zero(const Type* type) {
  Ids out;
  for (const Leaf& leaf : unit_.leaves.of(type)) out.push_back(constant(leaf.type, 0));
  return out;
}

Emitter::Ids Emitter::value(const Value* v) {
  const auto known = values_.find(v);
  if (known != values_.end()) return known->second;
  switch (v->kind) {
    case ValueKind::kConst:
      return values_[v] = v->type->is_aggregate()
                              ? zero(v->type)
                              : Ids{constant(v->type, static_cast<const ir::Const*>(v)->bits)};
    case ValueKind::kUndef: return values_[v] = zero(v->type);
    default: break;
  }
  // The address of a variable, or an offset from one, that is needed as a number. It is computed where it is
  // needed: another use may be elsewhere.
  return {address(v)};
}

// Truncates to its type again, after arithmetic in 32 bits.
Id Emitter::trimmed(const Type* type, Id id) {
  switch (type->kind) {
    case TypeKind::kI8:
    case TypeKind::kI16: return sign_extended(id, type->bits());
    case TypeKind::kU8: return op(Opcode::kBitwiseAnd, u32(), {id, b_.u32(0xff)});
    case TypeKind::kU16: return op(Opcode::kBitwiseAnd, u32(), {id, b_.u32(0xffff)});
    default: return id;
  }
}

Id Emitter::sign_extended(Id id, uint32_t bits) {
  return op(Opcode::kBitFieldSExtract, u32(), {id, b_.u32(0), b_.u32(bits)});
}

bool Emitter::pure(const Inst* i) {
  switch (i->op) {
    case Op::kSelect: {
      const Ids yes = value(i->operand(1)), no = value(i->operand(2));
      const std::vector<Leaf>& leaves = unit_.leaves.of(i->type);
      const Id condition = scalar(i->operand(0));
      Ids out;
      for (size_t k = 0; k < leaves.size(); ++k)
        out.push_back(op(Opcode::kSelect, held(leaves[k].type), {condition, yes[k], no[k]}));
      define(i, out);
      return true;
    }
    case Op::kExtract: define(i, extract(i)); return true;
    case Op::kInsert: define(i, insert(i)); return true;
    case Op::kConstruct: aggregate(i); return true;
    case Op::kConvert: define(i, convert(i->type, i->operand(0)->type, scalar(i->operand(0)))); return true;
    case Op::kBitcast: define(i, bitcast(i->type, i->operand(0)->type, scalar(i->operand(0)))); return true;
    case Op::kOffset:
    case Op::kFieldPtr:
      // Offsets inside of an object with its own variable are applied at the access.
      if (matrices_.place(i)) return true;
      if (const Value* root = Objects::root_of(i); root != nullptr && unit_.objects.of(root).is_plain)
        return true;
      define(i, pointer_value(i));
      return true;
    case Op::kSpaceCast:
    case Op::kIntToPtr:
    case Op::kPtrToInt:
    case Op::kPtrDiff:
    case Op::kIsSpace: define(i, pointer_value(i)); return true;
    default: break;
  }
  if (ir::group(i->op) == ir::OpGroup::kIndex && !i->is(Op::kClusterDim)) {
    define(i, index_value(i));
    return true;
  }
  const Id id = arithmetic(i);
  if (id != 0) define(i, id);
  return id != 0;
}

// 0: not one of these.
Id Emitter::arithmetic(const Inst* i) {
  if (i->operands.empty()) return 0;
  const Type* t = i->operand(0)->type;
  if (ir::group(i->op) == ir::OpGroup::kComparison) return compare(i);
  if (ir::group(i->op) == ir::OpGroup::kBits) return bits_function(i);
  if (t->is_bool()) return logical(i);
  if (t->is_float()) return is_half(t) ? 0 : real(i);
  return t->is_int() ? integer(i) : 0;
}

Id Emitter::logical(const Inst* i) {
  const Id type = b_.bool_type(), a = scalar(i->operand(0));
  switch (i->op) {
    case Op::kNot: return op(Opcode::kLogicalNot, type, {a});
    case Op::kAnd: return op(Opcode::kLogicalAnd, type, {a, scalar(i->operand(1))});
    case Op::kOr: return op(Opcode::kLogicalOr, type, {a, scalar(i->operand(1))});
    case Op::kXor: return op(Opcode::kLogicalNotEqual, type, {a, scalar(i->operand(1))});
    default: return 0;
  }
}

Id Emitter::integer(const Inst* i) {
  const Type* t = i->type;
  const Id type = held(t);
  const auto a = [&] { return scalar(i->operand(0)); };
  const auto both = [&](Opcode code) {
    const Id x = a(), y = scalar(i->operand(1));
    return trimmed(t, op(code, type, {x, y}));
  };
  switch (i->op) {
    case Op::kAdd: return both(Opcode::kIAdd);
    case Op::kSub: return both(Opcode::kISub);
    case Op::kMul: return both(Opcode::kIMul);
    case Op::kAnd: return both(Opcode::kBitwiseAnd);
    case Op::kOr: return both(Opcode::kBitwiseOr);
    case Op::kXor: return both(Opcode::kBitwiseXor);
    case Op::kNot: return trimmed(t, op(Opcode::kNot, type, {a()}));
    case Op::kNeg: return trimmed(t, op(Opcode::kSNegate, type, {a()}));
    case Op::kDiv:
    case Op::kRem: return divide(i);
    case Op::kShl:
    case Op::kShr: return shift(i);
    case Op::kMin:
    case Op::kMax: return min_max(i);
    case Op::kMulHi: return mul_hi(i);
    case Op::kAbs: {
      if (!t->is_signed()) return a();
      const Id x = a();
      const Id is_below = op(Opcode::kSLessThan, b_.bool_type(), {x, constant(t, 0)});
      return trimmed(t, op(Opcode::kSelect, type, {is_below, op(Opcode::kSNegate, type, {x}), x}));
    }
    default: return 0;
  }
}

// x / 0 is 0 and x % 0 is x; the lowest number divided by -1 is itself. The remainder is computed from the
// quotient: SPIR-V's own is undefined for negative numbers in Vulkan.
Id Emitter::divide(const Inst* i) {
  const Type* t = i->type;
  const Id type = held(t), boolean = b_.bool_type();
  const Id a = scalar(i->operand(0)), b = scalar(i->operand(1));
  const Opcode divide = t->is_signed() ? Opcode::kSDiv : Opcode::kUDiv;
  const auto rest = [&](Id quotient) {
    return trimmed(t, op(Opcode::kISub, type, {a, op(Opcode::kIMul, type, {quotient, b})}));
  };
  const ir::Const* known = ir::as_const(i->operand(1));
  const bool is_safe =
      known != nullptr && known->bits != 0 && !(t->is_signed() && ir::int_value(known) == -1);
  if (is_safe) {
    const Id quotient = op(divide, type, {a, b});
    return i->is(Op::kDiv) ? trimmed(t, quotient) : rest(quotient);
  }
  const Id is_zero = op(Opcode::kIEqual, boolean, {b, constant(t, 0)});
  if (!t->is_signed()) {
    const Id safe = op(Opcode::kSelect, type, {is_zero, constant(t, 1), b});
    const bool is_wrong = t->kind == TypeKind::kU32 && known_.is_small_signed(i->operand(0));
    const Id raw = is_wrong ? quotient_of_bits(a, safe) : op(divide, type, {a, safe});
    const Id quotient = op(Opcode::kSelect, type, {is_zero, constant(t, 0), raw});
    return i->is(Op::kDiv) ? quotient : rest(quotient);
  }
  const Id is_minus = op(Opcode::kIEqual, boolean, {b, constant(t, ~uint64_t{0})});
  const Id is_special = op(Opcode::kLogicalOr, boolean, {is_zero, is_minus});
  const Id safe = op(Opcode::kSelect, type, {is_special, constant(t, 1), b});
  const Id raw = op(divide, type, {a, safe});
  const Id negated = op(Opcode::kSelect, type, {is_minus, op(Opcode::kSNegate, type, {a}), raw});
  const Id quotient = op(Opcode::kSelect, type, {is_zero, constant(t, 0), negated});
  return i->is(Op::kDiv) ? trimmed(t, quotient) : rest(quotient);
}

// 32 bits, whatever a compiler assumes about `a` (target/known_values.hpp): half of it is not a small number.
Id Emitter::quotient_of_bits(Id a, Id b) {
  const Id one = b_.u32(1);
  const Id half = op(Opcode::kUDiv, u32(), {op(Opcode::kShiftRightLogical, u32(), {a, one}), b});
  const Id most = op(Opcode::kShiftLeftLogical, u32(), {half, one});
  const Id rest = op(Opcode::kISub, u32(), {a, op(Opcode::kIMul, u32(), {most, b})});
  const Id has_more = op(Opcode::kUGreaterThanEqual, b_.bool_type(), {rest, b});
  return op(Opcode::kIAdd, u32(), {most, op(Opcode::kSelect, u32(), {has_more, one, b_.u32(0)})});
}

Id Emitter::shift(const Inst* i) {
  const Type* t = i->type;
  const Type* by = i->operand(1)->type;
  const Id type = held(t), a = scalar(i->operand(0));
  Id amount = scalar(i->operand(1));
  if (by->size == 8) amount = low(amount);
  if (const ir::Const* known = ir::as_const(i->operand(1))) {
    amount = b_.u32(static_cast<uint32_t>(known->bits & (t->bits() - 1)));
  } else {
    amount = op(Opcode::kBitwiseAnd, u32(), {amount, b_.u32(t->bits() - 1)});
  }
  if (i->is(Op::kShl)) return trimmed(t, op(Opcode::kShiftLeftLogical, type, {a, amount}));
  return op(t->is_signed() ? Opcode::kShiftRightArithmetic : Opcode::kShiftRightLogical, type, {a, amount});
}

Id Emitter::min_max(const Inst* i) {
  const Type* t = i->type;
  const Id a = scalar(i->operand(0)), b = scalar(i->operand(1));
  const Id is_less = op(t->is_signed() ? Opcode::kSLessThan : Opcode::kULessThan, b_.bool_type(), {a, b});
  const bool is_min = i->is(Op::kMin);
  return op(Opcode::kSelect, held(t), {is_less, is_min ? a : b, is_min ? b : a});
}

// A compiler that need not preserve NaN folds x * 0 to 0 if it knows the 0; then it is built from the bits.
Id Emitter::multiply(const Inst* i) {
  const Type* t = i->type;
  const Id type = held(t), a = scalar(i->operand(0)), b = scalar(i->operand(1));
  const Id product = real_op(Opcode::kFMul, type, {a, b});
  const bool keeps_nan = (unit_.options.floats.specials & t->bits()) != 0;
  if (keeps_nan || unit_.options.math == driver::Math::fast || !function_.is_kernel) return product;
  if (!known_.may_be_zero(i->operand(0)) && !known_.may_be_zero(i->operand(1))) return product;
  const bool is_wide = t->size == 8;
  const Rep rep = is_wide ? Rep::kU64 : Rep::kU32;
  const Id bits_type = rep_type(b_, rep), boolean = b_.bool_type();
  const uint64_t sign = is_wide ? uint64_t{1} << 63 : 0x80000000U;
  const uint64_t infinity = is_wide ? uint64_t{0x7ff} << 52 : 0x7f800000U;
  const uint64_t nan = is_wide ? uint64_t{0xfff} << 51 : 0x7fc00000U;
  const Id x = op(Opcode::kBitcast, bits_type, {a}), y = op(Opcode::kBitcast, bits_type, {b});
  const auto either = [&](uint64_t mask, uint64_t value) {
    const auto is = [&](Id bits) {
      return op(Opcode::kIEqual, boolean,
                {op(Opcode::kBitwiseAnd, bits_type, {bits, word(rep, mask)}), word(rep, value)});
    };
    const Id is_x = is(x);
    return op(Opcode::kLogicalOr, boolean, {is_x, is(y)});
  };
  const Id has_zero = either(~sign & (is_wide ? ~uint64_t{0} : 0xffffffffU), 0);
  const Id has_special = either(infinity, infinity);
  const Id crossed = op(Opcode::kBitwiseXor, bits_type, {x, y});
  const Id zero = op(Opcode::kBitwiseAnd, bits_type, {crossed, word(rep, sign)});
  const Id of_zero = op(Opcode::kSelect, bits_type, {has_special, word(rep, nan), zero});
  return op(Opcode::kSelect, type, {has_zero, op(Opcode::kBitcast, type, {of_zero}), product});
}

Id Emitter::mul_hi(const Inst* i) {
  const Type* t = i->type;
  if (t->size == 8) return 0;
  Id a = scalar(i->operand(0)), b = scalar(i->operand(1));
  const Opcode right = t->is_signed() ? Opcode::kShiftRightArithmetic : Opcode::kShiftRightLogical;
  if (t->size < 4) return op(right, u32(), {op(Opcode::kIMul, u32(), {a, b}), b_.u32(t->bits())});
  const Opcode extend = t->is_signed() ? Opcode::kSConvert : Opcode::kUConvert;
  a = op(extend, u64(), {a});
  b = op(extend, u64(), {b});
  return low(op(right, u64(), {op(Opcode::kIMul, u64(), {a, b}), b_.u32(32)}));
}

Id Emitter::bits_function(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const bool wide = t->size == 8;
  const Id x = scalar(i->operand(0));
  if (!wide && t->size != 4) return 0;
  const Id lower = wide ? low(x) : x;
  const Id upper = wide ? low(op(Opcode::kShiftRightLogical, u64(), {x, b_.u32(32)})) : 0;
  // The position of the highest or lowest set bit, -1: none.
  const auto leading = [&](Id word) {
    return op(Opcode::kISub, u32(), {b_.u32(31), glsl(Glsl::kFindUMsb, u32(), {word})});
  };
  const auto trailing = [&](Id word) {
    const Id is_zero = op(Opcode::kIEqual, b_.bool_type(), {word, b_.u32(0)});
    return op(Opcode::kSelect, u32(), {is_zero, b_.u32(32), glsl(Glsl::kFindILsb, u32(), {word})});
  };
  const auto both = [&](Id first, Id first_count, Id second_count) {
    const Id is_zero = op(Opcode::kIEqual, b_.bool_type(), {first, b_.u32(0)});
    const Id far = op(Opcode::kIAdd, u32(), {b_.u32(32), second_count});
    return op(Opcode::kSelect, u32(), {is_zero, far, first_count});
  };
  switch (i->op) {
    case Op::kPopc: {
      const Id count = op(Opcode::kBitCount, u32(), {lower});
      return wide ? op(Opcode::kIAdd, u32(), {count, op(Opcode::kBitCount, u32(), {upper})}) : count;
    }
    case Op::kClz: return wide ? both(upper, leading(upper), leading(lower)) : leading(x);
    case Op::kCtz: return wide ? both(lower, trailing(lower), trailing(upper)) : trailing(x);
    case Op::kBrev: break;
    default: return 0;
  }
  const Id reversed = op(Opcode::kBitReverse, u32(), {lower});
  if (!wide) return reversed;
  const Id high = op(Opcode::kShiftLeftLogical, u64(), {widen(reversed), b_.u32(32)});
  return op(Opcode::kBitwiseOr, u64(), {high, widen(op(Opcode::kBitReverse, u32(), {upper}))});
}

Id Emitter::real(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const Id type = held(t), a = scalar(i->operand(0));
  const auto with = [&](Opcode code) { return real_op(code, type, {a, scalar(i->operand(1))}); };
  switch (i->op) {
    case Op::kAdd: return with(Opcode::kFAdd);
    case Op::kSub: return with(Opcode::kFSub);
    case Op::kMul: return multiply(i);
    case Op::kDiv: return with(Opcode::kFDiv);
    case Op::kNeg: return real_op(Opcode::kFNegate, type, {a});
    case Op::kAbs: return glsl(Glsl::kFAbs, type, {a});
    case Op::kFloor: return glsl(Glsl::kFloor, type, {a});
    case Op::kCeil: return glsl(Glsl::kCeil, type, {a});
    case Op::kTrunc: return glsl(Glsl::kTrunc, type, {a});
    case Op::kRint: return glsl(Glsl::kRoundEven, type, {a});
    case Op::kSqrt: return glsl(Glsl::kSqrt, type, {a});
    case Op::kRsqrt: return glsl(Glsl::kInverseSqrt, type, {a});
    case Op::kFma: {
      const Id id = glsl(Glsl::kFma, type, {a, scalar(i->operand(1)), scalar(i->operand(2))});
      keep_rounding(id);
      return id;
    }
    case Op::kExp: return glsl(Glsl::kExp, type, {a});
    case Op::kExp2: return glsl(Glsl::kExp2, type, {a});
    case Op::kLog: return glsl(Glsl::kLog, type, {a});
    case Op::kLog2: return glsl(Glsl::kLog2, type, {a});
    case Op::kSin: return glsl(Glsl::kSin, type, {a});
    case Op::kCos: return glsl(Glsl::kCos, type, {a});
    case Op::kTan: return glsl(Glsl::kTan, type, {a});
    case Op::kIsNan:
    case Op::kIsInf:
    case Op::kSignBit: {
      // By the bits: compilers may assume that there are none.
      const bool wide = t->size == 8;
      const Rep rep = wide ? Rep::kU64 : Rep::kU32;
      const uint64_t sign = wide ? uint64_t{1} << 63 : 0x80000000U;
      const uint64_t infinity = wide ? uint64_t{0x7ff} << 52 : 0x7f800000U;
      const Id bits = op(Opcode::kBitcast, rep_type(b_, rep), {a});
      if (i->is(Op::kSignBit)) {
        const Id masked = op(Opcode::kBitwiseAnd, rep_type(b_, rep), {bits, word(rep, sign)});
        return op(Opcode::kINotEqual, b_.bool_type(), {masked, word(rep, 0)});
      }
      const Id masked = op(Opcode::kBitwiseAnd, rep_type(b_, rep), {bits, word(rep, sign - 1)});
      return op(i->is(Op::kIsNan) ? Opcode::kUGreaterThan : Opcode::kIEqual, b_.bool_type(),
                {masked, word(rep, infinity)});
    }
    default: return 0;
  }
}

}  // namespace quern::target::spirv
