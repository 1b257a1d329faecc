// Comparisons. Those of 64-bit integers that are extended from 32 bits are done in 32 bits, which is faster.
#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

struct Codes {
  Opcode of_unsigned, of_signed, of_float;
};

Codes codes_of(Op op) {
  switch (op) {
    case Op::kEq: return {Opcode::kIEqual, Opcode::kIEqual, Opcode::kFOrdEqual};
    case Op::kNe: return {Opcode::kINotEqual, Opcode::kINotEqual, Opcode::kFUnordNotEqual};
    case Op::kLt: return {Opcode::kULessThan, Opcode::kSLessThan, Opcode::kFOrdLessThan};
    case Op::kLe: return {Opcode::kULessThanEqual, Opcode::kSLessThanEqual, Opcode::kFOrdLessThanEqual};
    case Op::kGt: return {Opcode::kUGreaterThan, Opcode::kSGreaterThan, Opcode::kFOrdGreaterThan};
    default: return {Opcode::kUGreaterThanEqual, Opcode::kSGreaterThanEqual, Opcode::kFOrdGreaterThanEqual};
  }
}

// The operand that a 64-bit integer was extended from, if it has 32 bits or fewer.
const Value* narrow_source(const Value* v) {
  const Inst* i = ir::as_inst(v);
  if (i == nullptr || !i->is(Op::kConvert)) return nullptr;
  const Type* from = i->operand(0)->type;
  return from->is_int() && from->size <= 4 ? i->operand(0) : nullptr;
}

// Whether the constant operand is a value of the narrow type.
bool fits(const ir::Const* c, const Type* narrow) {
  const auto n = static_cast<int64_t>(c->bits);
  const uint32_t bits = narrow->bits();
  if (!narrow->is_signed()) return n >= 0 && n < int64_t{1} << bits;
  const int64_t limit = int64_t{1} << (bits - 1);
  return n >= -limit && n < limit;
}

}  // namespace

// 0: not such a comparison.
Id Emitter::compare_narrow(const Inst* i) {
  const Type* t = i->operand(0)->type;
  if (!t->is_int() || t->size != 8) return 0;
  const Value* sources[2] = {narrow_source(i->operand(0)), narrow_source(i->operand(1))};
  const Value* known = sources[0] != nullptr ? sources[0] : sources[1];
  if (known == nullptr) return 0;
  const Type* narrow = known->type;
  Id ids[2];
  for (size_t k = 0; k < 2; ++k) {
    const ir::Const* c = ir::as_const(i->operand(k));
    if (sources[k] != nullptr && sources[k]->type == narrow) {
      ids[k] = scalar(sources[k]);
    } else if (c != nullptr && fits(c, narrow)) {
      ids[k] = b_.u32(static_cast<uint32_t>(c->bits));
    } else {
      return 0;
    }
  }
  // Extended numbers keep their order, signed or unsigned.
  const Codes codes = codes_of(i->op);
  const bool is_signed = t->is_signed() && narrow->is_signed();
  return op(is_signed ? codes.of_signed : codes.of_unsigned, b_.bool_type(), {ids[0], ids[1]});
}

Id Emitter::compare(const Inst* i) {
  const Type* t = i->operand(0)->type;
  if (const Id narrow = compare_narrow(i)) return narrow;
  const Id a = comparable(t, scalar(i->operand(0)));
  const Id b = comparable(t, scalar(i->operand(1)));
  const Codes codes = codes_of(i->op);
  const Id boolean = b_.bool_type();
  if (t->is_bool()) {
    if (i->is(Op::kEq)) return op(Opcode::kLogicalEqual, boolean, {a, b});
    if (i->is(Op::kNe)) return op(Opcode::kLogicalNotEqual, boolean, {a, b});
    const Id x = op(Opcode::kSelect, u32(), {a, b_.u32(1), b_.u32(0)});
    const Id y = op(Opcode::kSelect, u32(), {b, b_.u32(1), b_.u32(0)});
    return op(codes.of_unsigned, boolean, {x, y});
  }
  if (is_half(t)) return 0;
  if (t->is_float()) return op(codes.of_float, boolean, {a, b});
  return op(t->is_signed() ? codes.of_signed : codes.of_unsigned, boolean, {a, b});
}

}  // namespace quern::target::spirv
