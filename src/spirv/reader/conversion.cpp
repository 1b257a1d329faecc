#include "base/text.hpp"
#include "spirv/reader/instructions.hpp"
#include "spirv/reader/messages.hpp"

namespace quern::spirv {

using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

// fn(scalar, result type) for each component.
template <typename Fn>
void each(Emitter& e, Fn&& fn) {
  const Val x = e.arg(0);
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  if (!e.failed() && x.leaves.size() != results.size()) e.fail(message::kOperandComponentCount());
  Leaves out;
  for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
    Value* made = fn(x.leaves[i], results[i]);
    out.push_back(made);
  }
  e.define(std::move(out));
}

bool fits(Emitter& e, bool right) {
  if (!right) e.fail(message::kConversion());
  return right;
}

// According to the decoration FPRoundingMode, if present.
Value* converted(Emitter& e, Value* x, const Type* to) {
  const std::optional<uint32_t> mode = e.decorations(e.at().result()).rounding;
  if (!mode.has_value() || *mode == 0 || *mode > 3 || x->type == to) return e.b.convert(x, to);
  constexpr ir::Rounding kModes[] = {ir::Rounding::kNearest, ir::Rounding::kZero, ir::Rounding::kUp,
                                     ir::Rounding::kDown};
  ir::Attr attr;
  attr.round = kModes[*mode];
  return e.b.op(Op::kConvertR, to, std::span<Value* const>(&x, 1), attr);
}

void float_to_int(Emitter& e, bool is_signed) {
  each(e, [&](Value* x, const Type* to) -> Value* {
    if (!fits(e, x->type->is_float() && to->is_int())) return e.zero(to);
    return e.as(converted(e, x, is_signed ? e.signed_type(to) : e.unsigned_type(to)), to);
  });
}

void int_to_float(Emitter& e, bool is_signed) {
  each(e, [&](Value* x, const Type* to) -> Value* {
    if (!fits(e, x->type->is_int() && to->is_float())) return e.zero(to);
    return converted(e, e.as(x, is_signed ? e.signed_type(x->type) : e.unsigned_type(x->type)), to);
  });
}

void int_to_int(Emitter& e, bool is_signed) {
  each(e, [&](Value* x, const Type* to) -> Value* {
    if (!fits(e, x->type->is_int() && to->is_int())) return e.zero(to);
    x = e.as(x, is_signed ? e.signed_type(x->type) : e.unsigned_type(x->type));
    return e.b.convert(x, to);
  });
}

void float_to_float(Emitter& e) {
  each(e, [&](Value* x, const Type* to) -> Value* {
    if (!fits(e, x->type->is_float() && to->is_float())) return e.zero(to);
    return converted(e, x, to);
  });
}

void quantize(Emitter& e) {
  each(e, [&](Value* x, const Type* to) -> Value* {
    if (!fits(e, x->type->is_float() && x->type == to)) return e.zero(to);
    return e.b.convert(e.b.convert(x, e.kind(TypeKind::kF16)), to);
  });
}

// Clamped to the range of the other signedness, in 64 bits if the target is narrower.
void saturate(Emitter& e, bool from_signed) {
  each(e, [&](Value* x, const Type* to) -> Value* {
    if (!fits(e, x->type->is_int() && to->is_int())) return e.zero(to);
    x = e.as(x, from_signed ? e.signed_type(x->type) : e.unsigned_type(x->type));
    const Type* wide = e.kind(from_signed ? TypeKind::kI64 : TypeKind::kU64);
    const uint32_t bits = to->bits() - (from_signed ? 0 : 1);
    Value* v = e.b.convert(x, wide);
    if (from_signed) v = e.b.binary(Op::kMax, v, e.zero(wide));
    if (bits < 63 || (!from_signed && bits == 63))
      v = e.b.binary(Op::kMin, v, e.number(wide, (uint64_t{1} << bits) - 1));
    return e.as(e.b.convert(v, from_signed ? e.unsigned_type(to) : e.signed_type(to)), to);
  });
}

// ---- bit casts

Value* as_bits(Emitter& e, Value* x) {
  const Type* words[] = {e.kind(TypeKind::kU8), e.kind(TypeKind::kU16), e.kind(TypeKind::kU32),
                         e.kind(TypeKind::kU64)};
  if (x->type->is_ptr()) return e.b.op(Op::kPtrToInt, e.kind(TypeKind::kU64), {x});
  if (!x->type->is_int() && !x->type->is_float()) {
    fits(e, false);
    return e.zero(e.kind(TypeKind::kU32));
  }
  const Type* word = x->type->size == 1   ? words[0]
                     : x->type->size == 2 ? words[1]
                     : x->type->size == 4 ? words[2]
                                          : words[3];
  return e.b.bitcast(x, word);
}

Value* from_bits(Emitter& e, Value* x, const Type* to) {
  if (to->is_ptr()) return e.b.op(Op::kIntToPtr, to, {e.b.convert(x, e.kind(TypeKind::kU64))});
  if (!fits(e, (to->is_int() || to->is_float()) && to->size == x->type->size)) return e.zero(to);
  return e.b.bitcast(x, to);
}

const Type* word_of(Emitter& e, const Type* type) {
  switch (type->size) {
    case 1: return e.kind(TypeKind::kU8);
    case 2: return e.kind(TypeKind::kU16);
    case 4: return e.kind(TypeKind::kU32);
    default: return e.kind(TypeKind::kU64);
  }
}

// Each source scalar becomes several, low ones first.
Leaves taken_apart(Emitter& e, const Leaves& from, const std::vector<const Type*>& to) {
  Leaves out;
  for (Value* x : from) {
    Value* bits = as_bits(e, x);
    for (uint32_t at = 0; at < bits->type->bits() && out.size() < to.size(); at += to[out.size()]->bits()) {
      const Type* type = to[out.size()];
      Value* down = e.b.op(Op::kShr, bits->type, {bits, e.number(e.kind(TypeKind::kU32), at)});
      out.push_back(from_bits(e, e.b.convert(down, word_of(e, type)), type));
    }
  }
  return out;
}

Leaves put_together(Emitter& e, const Leaves& from, const std::vector<const Type*>& to) {
  Leaves out;
  size_t next = 0;
  for (const Type* type : to) {
    const Type* word = word_of(e, type);
    Value* sum = e.zero(word);
    for (uint32_t at = 0; at < type->bits() && next < from.size();) {
      Value* bits = as_bits(e, from[next++]);
      const uint32_t width = bits->type->bits();
      sum =
          e.b.binary(Op::kOr, sum,
                     e.b.op(Op::kShl, word, {e.b.convert(bits, word), e.number(e.kind(TypeKind::kU32), at)}));
      at += width;
    }
    out.push_back(from_bits(e, sum, type));
  }
  return out;
}

uint64_t total_bits(const Leaves& all) {
  uint64_t sum = 0;
  for (const Value* v : all) sum += v->type->is_bool() ? 1 : v->type->bits();
  return sum;
}

void bitcast(Emitter& e) {
  const Val x = e.arg(0);
  const std::vector<const Type*> results = e.leaf_types(e.result_type());
  uint64_t wanted = 0;
  for (const Type* t : results) wanted += t->is_bool() ? 1 : t->bits();
  if (e.failed() || !fits(e, wanted == total_bits(x.leaves) && !results.empty() && !x.is_table)) return;
  const bool pointers = results[0]->is_ptr() && x.leaves[0]->type->is_ptr();
  Leaves out;
  if (pointers && results.size() == 1 && x.leaves.size() == 1) {
    out.push_back(e.as(x.leaves[0], results[0]));
  } else if (x.leaves.size() == results.size()) {
    for (size_t i = 0; i < results.size() && !e.failed(); ++i) {
      out.push_back(x.leaves[i]->type == results[i] ? x.leaves[i]
                                                    : from_bits(e, as_bits(e, x.leaves[i]), results[i]));
    }
  } else {
    out = x.leaves.size() < results.size() ? taken_apart(e, x.leaves, results)
                                           : put_together(e, x.leaves, results);
  }
  e.define(std::move(out));
}

// ---- pointers

void pointer_to_int(Emitter& e) {
  Value* bits = e.b.op(Op::kPtrToInt, e.kind(TypeKind::kU64), {e.pointer_leaf(e.arg(0))});
  e.define(Leaves{e.b.convert(bits, e.integer_result())});
}

void int_to_pointer(Emitter& e) {
  const Type* to = e.types().scalar(e.result_type());
  if (!fits(e, to != nullptr && to->is_ptr())) return;
  Value* bits = e.b.convert(e.integer_arg(0), e.kind(TypeKind::kU64));
  e.define(Leaves{e.b.op(Op::kIntToPtr, to, {bits})});
}

void cast_space(Emitter& e) {
  const Type* to = e.types().scalar(e.result_type());
  if (!fits(e, to != nullptr && to->is_ptr())) return;
  e.define(Leaves{e.as(e.pointer_leaf(e.arg(0)), to)});
}

// Null if the pointer points to another address space.
void cast_if_there(Emitter& e) {
  const Type* to = e.types().scalar(e.result_type());
  if (!fits(e, to != nullptr && to->is_ptr())) return;
  Value* from = e.as(e.pointer_leaf(e.arg(0)), e.b.types().ptr(ir::Space::kGeneric));
  ir::Attr attr;
  attr.space = to->space;
  Value* there = e.b.op(Op::kIsSpace, e.kind(TypeKind::kBool), std::span<Value* const>(&from, 1), attr);
  e.define(Leaves{e.b.select(there, e.as(from, to), e.zero(to))});
}

}  // namespace

bool emit_conversion(Emitter& e) {
  switch (e.at().opcode) {
    case Opcode::kConvertFToU: float_to_int(e, false); return true;
    case Opcode::kConvertFToS: float_to_int(e, true); return true;
    case Opcode::kConvertSToF: int_to_float(e, true); return true;
    case Opcode::kConvertUToF: int_to_float(e, false); return true;
    case Opcode::kUConvert: int_to_int(e, false); return true;
    case Opcode::kSConvert: int_to_int(e, true); return true;
    case Opcode::kFConvert: float_to_float(e); return true;
    case Opcode::kQuantizeToF16: quantize(e); return true;
    case Opcode::kSatConvertSToU: saturate(e, true); return true;
    case Opcode::kSatConvertUToS: saturate(e, false); return true;
    case Opcode::kBitcast: bitcast(e); return true;
    case Opcode::kConvertPtrToU: pointer_to_int(e); return true;
    case Opcode::kConvertUToPtr: int_to_pointer(e); return true;
    case Opcode::kPtrCastToGeneric:
    case Opcode::kGenericCastToPtr: cast_space(e); return true;
    case Opcode::kGenericCastToPtrExplicit: cast_if_there(e); return true;
    default: return false;
  }
}

}  // namespace quern::spirv
