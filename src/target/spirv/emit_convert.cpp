// Conversions between types, and between a value and its form in memory.
#include "target/spirv/emitter.hpp"

namespace quern::target::spirv {

using ir::Space;
using ir::Type;
using ir::TypeKind;

Id Emitter::resized(Id id, Rep from, bool is_signed, Rep to) {
  if (from == to) return id;
  if (to == Rep::kU32) return low(id);
  return op(is_signed ? Opcode::kSConvert : Opcode::kUConvert, u64(), {id});
}

// Mesa (at least 22.3 to 24.1) compares an extended number with a constant incorrectly: in its tables the
// lowest 32-bit integer is 2^31. Code that it does not recognize as an extension is computed as written.
Id Emitter::widen_signed(Id narrow) {
  if (unit_.has_native(driver::Feature::int64)) return op(Opcode::kSConvert, u64(), {narrow});
  const Id sign = b_.u64(0x80000000U);
  return op(Opcode::kISub, u64(), {op(Opcode::kBitwiseXor, u64(), {widen(narrow), sign}), sign});
}

Id Emitter::convert(const Type* to, const Type* from, Id id) {
  if (to == from) return id;
  const Rep rep = rep_of(from);
  if (to->is_bool()) {
    if (is_half(from)) id = op(Opcode::kBitwiseAnd, u32(), {id, b_.u32(0x7fff)});
    if (from->is_float() && !is_half(from))
      return op(Opcode::kFUnordNotEqual, b_.bool_type(), {id, word(rep, 0)});
    return op(Opcode::kINotEqual, b_.bool_type(), {id, word(rep, 0)});
  }
  if (is_half(to) || is_half(from)) return 0;
  if (from->is_bool()) {
    const uint64_t one = to->kind == TypeKind::kF32   ? 0x3f800000U
                         : to->kind == TypeKind::kF64 ? uint64_t{0x3ff} << 52
                                                      : 1;
    return op(Opcode::kSelect, held(to), {id, word(rep_of(to), one), word(rep_of(to), 0)});
  }
  if (to->is_float()) {
    if (from->is_float()) return op(Opcode::kFConvert, held(to), {id});
    return op(from->is_signed() ? Opcode::kConvertSToF : Opcode::kConvertUToF, held(to), {id});
  }
  if (from->is_float()) return to_integer(to, from, id);
  const bool extends_sign = from->is_signed() && rep == Rep::kU32 && rep_of(to) == Rep::kU64;
  id = extends_sign ? widen_signed(id) : resized(id, rep, from->is_signed(), rep_of(to));
  const bool fits = to->size > from->size || (to->size == from->size && to->is_signed() == from->is_signed());
  return fits && (to->is_signed() || !from->is_signed()) ? id : trimmed(to, id);
}

// Towards zero; saturates, NaN is 0.
Id Emitter::to_integer(const Type* to, const Type* from, Id id) {
  const bool single = from->kind == TypeKind::kF32;
  const Rep real = rep_of(from), rep = rep_of(to);
  const uint32_t bits = to->bits();
  const bool is_signed = to->is_signed();
  const auto power = [&](uint32_t n, bool negative) {
    return single ? word(real, (127U + n) << 23 | (negative ? 0x80000000U : 0U))
                  : word(real, uint64_t{1023 + n} << 52 | (negative ? uint64_t{1} << 63 : 0));
  };
  const Id boolean = b_.bool_type();
  const Id low_limit = is_signed ? power(bits - 1, true) : word(real, 0);
  const Id high_limit = power(is_signed ? bits - 1 : bits, false);
  const uint64_t most = is_signed    ? (uint64_t{1} << (bits - 1)) - 1
                        : bits == 64 ? ~uint64_t{0}
                                     : (uint64_t{1} << bits) - 1;
  const uint64_t least = is_signed ? uint64_t{1} << (bits - 1) : 0;
  const Id above_low = op(Opcode::kFOrdGreaterThan, boolean, {id, low_limit});
  const Id below_high = op(Opcode::kFOrdLessThan, boolean, {id, high_limit});
  const Id too_low = op(Opcode::kFOrdLessThanEqual, boolean, {id, low_limit});
  const Id too_high = op(Opcode::kFOrdGreaterThanEqual, boolean, {id, high_limit});
  const Id inside = op(Opcode::kLogicalAnd, boolean, {above_low, below_high});
  const Id safe = op(Opcode::kSelect, held(from), {inside, id, word(real, 0)});
  const Id type = rep_type(b_, rep);
  const Id plain = op(is_signed ? Opcode::kConvertFToS : Opcode::kConvertFToU, type, {safe});
  const Id with_low = op(Opcode::kSelect, type, {too_low, constant(to, least), plain});
  return op(Opcode::kSelect, type, {too_high, constant(to, most), with_low});
}

Id Emitter::bitcast(const Type* to, const Type* from, Id id) {
  return to == from ? id : from_bits(to, to_bits(from, id));
}

Id Emitter::to_bits(const Type* type, Id id) {
  switch (type->kind) {
    case TypeKind::kBool: return op(Opcode::kSelect, u32(), {id, b_.u32(1), b_.u32(0)});
    case TypeKind::kI8: return op(Opcode::kBitwiseAnd, u32(), {id, b_.u32(0xff)});
    case TypeKind::kI16: return op(Opcode::kBitwiseAnd, u32(), {id, b_.u32(0xffff)});
    case TypeKind::kF32: return op(Opcode::kBitcast, u32(), {id});
    case TypeKind::kF64: return op(Opcode::kBitcast, u64(), {id});
    case TypeKind::kPtr: return to_generic(type, id);
    default: return id;
  }
}

Id Emitter::from_bits(const Type* type, Id id) {
  switch (type->kind) {
    case TypeKind::kBool: return op(Opcode::kINotEqual, b_.bool_type(), {id, b_.u32(0)});
    case TypeKind::kI8:
    case TypeKind::kI16: return trimmed(type, id);
    case TypeKind::kF32: return op(Opcode::kBitcast, b_.float_type(32), {id});
    case TypeKind::kF64: return op(Opcode::kBitcast, b_.float_type(64), {id});
    case TypeKind::kPtr: return from_generic(type, id);
    default: return id;
  }
}

// 64 bits that encode the address space; null stays null.
Id Emitter::to_generic(const Type* type, Id id) {
  if (!is_narrow_pointer(type)) return id;
  const uint64_t tag = type->space == Space::kShared ? kSharedTag : kLocalTag;
  const Id is_null = op(Opcode::kIEqual, b_.bool_type(), {id, b_.u32(0)});
  const Id tagged = op(Opcode::kBitwiseOr, u64(), {widen(id), b_.u64(tag << 48)});
  return op(Opcode::kSelect, u64(), {is_null, b_.u64(0), tagged});
}

Id Emitter::from_generic(const Type* type, Id id) { return is_narrow_pointer(type) ? low(id) : id; }

}  // namespace quern::target::spirv
