#include "base/text.hpp"
#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

// How the operands of an instruction are interpreted.
enum class Sign : uint8_t { kAsResult, kSigned, kUnsigned, kFloat };

const Type* operand_type(Emitter& e, const Type* result, Sign sign) {
  const bool right = sign == Sign::kFloat ? result->is_float() : result->is_int();
  if (!right) {
    e.fail(message::kResultType(to_string(result)));
    return e.kind(sign == Sign::kFloat ? TypeKind::kF32 : TypeKind::kU32);
  }
  if (sign == Sign::kSigned) return e.signed_type(result);
  if (sign == Sign::kUnsigned) return e.unsigned_type(result);
  return result;
}

// fn(type, scalars of the operands) for each component.
template <typename Fn>
void each(Emitter& e, size_t operands, Sign sign, Fn&& fn) {
  std::vector<Val> args;
  for (size_t k = 0; k < operands; ++k) args.push_back(e.arg(k));
  Leaves out;
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
    const Type* type = operand_type(e, results[i], sign);
    Leaves in;
    for (const Val& a : args) in.push_back(e.leaf(a, i, type));
    if (e.failed()) break;
    out.push_back(e.as(fn(type, in), results[i]));
  }
  for (const Val& a : args) {
    if (!e.failed() && a.leaves.size() != results.size()) e.fail(message::kComponentCount());
  }
  e.define(std::move(out));
}

void binary(Emitter& e, Op op, Sign sign) {
  each(e, 2, sign, [&](const Type*, const Leaves& in) { return e.b.binary(op, in[0], in[1]); });
}

// The remainder with the sign of the divisor.
Value* floor_mod(Emitter& e, Value* a, Value* b) {
  Value* rem = e.b.binary(Op::kRem, a, b);
  Value* zero = e.zero(a->type);
  Value* differs = e.b.compare(Op::kNe, e.b.compare(Op::kLt, rem, zero), e.b.compare(Op::kLt, b, zero));
  Value* wrong = e.b.binary(Op::kAnd, e.b.compare(Op::kNe, rem, zero), differs);
  if (a->type->is_float()) rem = e.b.op(Op::kCopysign, a->type, {rem, e.b.select(wrong, rem, b)});
  return e.b.select(wrong, e.b.binary(Op::kAdd, rem, b), rem);
}

void shift(Emitter& e, Op op, Sign sign) {
  const Val value = e.arg(0), amount = e.arg(1);
  Leaves out;
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  if (value.leaves.size() != results.size() || amount.leaves.size() != results.size())
    return e.fail(message::kComponentCount());
  for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
    const Type* type = operand_type(e, results[i], sign);
    if (!amount.leaves[i]->type->is_int()) return e.fail(message::kShiftNotInteger());
    out.push_back(e.as(e.b.op(op, type, {e.leaf(value, i, type), amount.leaves[i]}), results[i]));
  }
  e.define(std::move(out));
}

// A mask of the `count` low bits; all bits if `count` is at least the width.
Value* low_bits(Emitter& e, const Type* type, Value* count) {
  Value* width = e.number(count->type, type->bits());
  Value* one = e.number(type, 1);
  Value* mask = e.b.binary(Op::kSub, e.b.op(Op::kShl, type, {one, count}), one);
  return e.b.select(e.b.compare(Op::kGe, count, width), e.number(type, ~uint64_t{0}), mask);
}

Value* word_arg(Emitter& e, size_t operand) {
  Value* v = e.integer_arg(operand);
  return e.b.convert(e.as(v, e.unsigned_type(v->type)), e.kind(TypeKind::kU32));
}

void bit_insert(Emitter& e) {
  const Val base = e.arg(0), insert = e.arg(1);
  Value* offset = word_arg(e, 2);
  Value* count = word_arg(e, 3);
  Leaves out;
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
    const Type* type = operand_type(e, results[i], Sign::kUnsigned);
    Value* mask = e.b.op(Op::kShl, type, {low_bits(e, type, count), offset});
    Value* fresh = e.b.op(Op::kShl, type, {e.leaf(insert, i, type), offset});
    Value* kept = e.b.binary(Op::kAnd, e.leaf(base, i, type), e.b.unary(Op::kNot, mask));
    Value* both = e.b.binary(Op::kOr, kept, e.b.binary(Op::kAnd, fresh, mask));
    // Zero bits at an offset of the whole width are allowed, and change nothing.
    Value* none = e.b.compare(Op::kEq, count, e.zero(count->type));
    out.push_back(e.as(e.b.select(none, e.leaf(base, i, type), both), results[i]));
  }
  e.define(std::move(out));
}

void bit_extract(Emitter& e, bool is_signed) {
  const Val base = e.arg(0);
  Value* offset = word_arg(e, 1);
  Value* count = word_arg(e, 2);
  Leaves out;
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
    const Type* type = operand_type(e, results[i], Sign::kUnsigned);
    Value* bits = e.b.binary(Op::kAnd, e.b.op(Op::kShr, type, {e.leaf(base, i, type), offset}),
                             low_bits(e, type, count));
    Value* none = e.b.compare(Op::kEq, count, e.zero(count->type));
    bits = e.b.select(none, e.zero(type), bits);
    if (is_signed) {
      // Shifts up to the sign bit and back.
      Value* up = e.b.binary(Op::kSub, e.number(count->type, type->bits()), count);
      up = e.b.select(none, e.zero(count->type), up);
      const Type* wide = e.signed_type(type);
      Value* high = e.as(e.b.op(Op::kShl, type, {bits, up}), wide);
      bits = e.b.op(Op::kShr, wide, {high, up});
    }
    out.push_back(e.as(bits, results[i]));
  }
  e.define(std::move(out));
}

Value* reversed(Emitter& e, Value* x) {
  const Type* type = e.unsigned_type(x->type);
  x = e.as(x, type);
  if (type->size >= 4) return e.b.unary(Op::kBrev, x);
  Value* wide = e.b.unary(Op::kBrev, e.b.convert(x, e.kind(TypeKind::kU32)));
  Value* down = e.b.op(Op::kShr, wide->type, {wide, e.number(wide->type, 32 - type->bits())});
  return e.b.convert(down, type);
}

void unary_bits(Emitter& e, bool reverse) {
  const Val x = e.arg(0);
  Leaves out;
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
    if (i >= x.leaves.size() || !x.leaves[i]->type->is_int() || !results[i]->is_int())
      return e.fail(message::kBitsNotInteger());
    if (reverse) {
      out.push_back(e.as(e.as(reversed(e, x.leaves[i]), e.unsigned_type(results[i])), results[i]));
    } else {
      out.push_back(e.b.convert(count_bits(e, x.leaves[i]), results[i]));
    }
  }
  e.define(std::move(out));
}

// Two results of the operands' type: first all low (or wrapped) parts, then all high (or carry) parts.
void extended(Emitter& e) {
  const Val a = e.arg(0), b = e.arg(1);
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  const size_t n = a.leaves.size();
  if (results.size() != 2 * n || b.leaves.size() != n) return e.fail(message::kResultNotPair());
  const bool is_signed = e.at().opcode == Opcode::kSMulExtended;
  Leaves low, high;
  for (size_t i = 0; i < n && !e.failed(); ++i) {
    const Type* type = operand_type(e, results[i], is_signed ? Sign::kSigned : Sign::kUnsigned);
    Value* x = e.leaf(a, i, type);
    Value* y = e.leaf(b, i, type);
    if (e.failed()) return;
    const auto flag = [&](Value* c) { return e.b.convert(c, type); };
    switch (e.at().opcode) {
      case Opcode::kIAddCarry:
        low.push_back(e.b.binary(Op::kAdd, x, y));
        high.push_back(flag(e.b.compare(Op::kLt, low.back(), x)));
        break;
      case Opcode::kISubBorrow:
        low.push_back(e.b.binary(Op::kSub, x, y));
        high.push_back(flag(e.b.compare(Op::kLt, x, y)));
        break;
      default: low.push_back(e.b.binary(Op::kMul, x, y)); high.push_back(e.b.binary(Op::kMulHi, x, y));
    }
    low.back() = e.as(low.back(), results[i]);
    high.back() = e.as(high.back(), results[n + i]);
  }
  low.insert(low.end(), high.begin(), high.end());
  e.define(std::move(low));
}

void negate(Emitter& e, Sign sign) {
  each(e, 1, sign, [&](const Type*, const Leaves& in) { return e.b.unary(Op::kNeg, in[0]); });
}

void float_mod(Emitter& e) {
  each(e, 2, Sign::kFloat, [&](const Type*, const Leaves& in) { return floor_mod(e, in[0], in[1]); });
}

bool emit_bits(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kShiftRightLogical: shift(e, Op::kShr, Sign::kUnsigned); return true;
    case Opcode::kShiftRightArithmetic: shift(e, Op::kShr, Sign::kSigned); return true;
    case Opcode::kShiftLeftLogical: shift(e, Op::kShl, Sign::kAsResult); return true;
    case Opcode::kBitwiseOr: binary(e, Op::kOr, Sign::kAsResult); return true;
    case Opcode::kBitwiseXor: binary(e, Op::kXor, Sign::kAsResult); return true;
    case Opcode::kBitwiseAnd: binary(e, Op::kAnd, Sign::kAsResult); return true;
    case Opcode::kNot:
      each(e, 1, Sign::kAsResult, [&](const Type*, const Leaves& in) { return e.b.unary(Op::kNot, in[0]); });
      return true;
    case Opcode::kBitFieldInsert: bit_insert(e); return true;
    case Opcode::kBitFieldSExtract: bit_extract(e, true); return true;
    case Opcode::kBitFieldUExtract: bit_extract(e, false); return true;
    case Opcode::kBitReverse: unary_bits(e, true); return true;
    case Opcode::kBitCount: unary_bits(e, false); return true;
    default: return false;
  }
}

}  // namespace

ir::Value* count_bits(Emitter& e, ir::Value* x) {
  const Type* type = e.unsigned_type(x->type);
  x = e.as(x, type);
  if (type->size < 4) x = e.b.convert(x, e.kind(TypeKind::kU32));
  return e.b.op(Op::kPopc, e.kind(TypeKind::kI32), {x});
}

ir::Value* highest_bit(Emitter& e, ir::Value* x) {
  const Type* type = e.unsigned_type(x->type);
  x = e.as(x, type);
  if (type->size < 4) x = e.b.convert(x, e.kind(TypeKind::kU32));
  const Type* i32 = e.kind(TypeKind::kI32);
  return e.b.binary(Op::kSub, e.number(i32, x->type->bits() - 1), e.b.op(Op::kClz, i32, {x}));
}

ir::Value* lowest_bit(Emitter& e, ir::Value* x) {
  const Type* type = e.unsigned_type(x->type);
  x = e.as(x, type);
  if (type->size < 4) x = e.b.convert(x, e.kind(TypeKind::kU32));
  const Type* i32 = e.kind(TypeKind::kI32);
  Value* none = e.b.compare(Op::kEq, x, e.zero(x->type));
  return e.b.select(none, e.number(i32, ~uint64_t{0}), e.b.op(Op::kCtz, i32, {x}));
}

ir::Value* clamp(Emitter& e, ir::Value* x, ir::Value* low, ir::Value* high) {
  return e.b.binary(Op::kMin, e.b.binary(Op::kMax, x, low), high);
}

bool emit_arithmetic(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kSNegate: negate(e, Sign::kAsResult); return true;
    case Opcode::kFNegate: negate(e, Sign::kFloat); return true;
    case Opcode::kIAdd: binary(e, Op::kAdd, Sign::kAsResult); return true;
    case Opcode::kFAdd: binary(e, Op::kAdd, Sign::kFloat); return true;
    case Opcode::kISub: binary(e, Op::kSub, Sign::kAsResult); return true;
    case Opcode::kFSub: binary(e, Op::kSub, Sign::kFloat); return true;
    case Opcode::kIMul: binary(e, Op::kMul, Sign::kAsResult); return true;
    case Opcode::kFMul: binary(e, Op::kMul, Sign::kFloat); return true;
    case Opcode::kUDiv: binary(e, Op::kDiv, Sign::kUnsigned); return true;
    case Opcode::kSDiv: binary(e, Op::kDiv, Sign::kSigned); return true;
    case Opcode::kFDiv: binary(e, Op::kDiv, Sign::kFloat); return true;
    case Opcode::kUMod: binary(e, Op::kRem, Sign::kUnsigned); return true;
    case Opcode::kSRem: binary(e, Op::kRem, Sign::kSigned); return true;
    case Opcode::kFRem: binary(e, Op::kRem, Sign::kFloat); return true;
    case Opcode::kSMod:
      each(e, 2, Sign::kSigned, [&](const Type*, const Leaves& in) { return floor_mod(e, in[0], in[1]); });
      return true;
    case Opcode::kFMod: float_mod(e); return true;
    case Opcode::kIAddCarry:
    case Opcode::kISubBorrow:
    case Opcode::kUMulExtended:
    case Opcode::kSMulExtended: extended(e); return true;
    default: return emit_bits(e);
  }
}

}  // namespace quern::spirv
