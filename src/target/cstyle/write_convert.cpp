#include "target/cstyle/kernel_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Type;
using ir::TypeKind;

namespace {

bool is_half(const Type* t) { return t->kind == TypeKind::kF16 || t->kind == TypeKind::kBF16; }

std::string power_of_two(int n, bool single) {
  // Exact in decimal, up to 2^64.
  constexpr std::string_view kPowers[] = {"128.0",
                                          "256.0",
                                          "32768.0",
                                          "65536.0",
                                          "2147483648.0",
                                          "4294967296.0",
                                          "9223372036854775808.0",
                                          "18446744073709551616.0"};
  const size_t at = n == 7    ? 0
                    : n == 8  ? 1
                    : n == 15 ? 2
                    : n == 16 ? 3
                    : n == 31 ? 4
                    : n == 32 ? 5
                    : n == 63 ? 6
                              : 7;
  return std::string(kPowers[at]) + (single ? "f" : "");
}

}  // namespace

Expr KernelWriter::cast(TypeKind kind, const Expr& e) const {
  if (is_glsl(dialect_))
    return {unit_.helpers.fill("@(" + std::string(ir::name(kind)) + ")") + "(" + e.text + ")", kPrimary};
  const std::string type(spell(dialect_, kind));
  if (dialect_.functional_casts) return {type + "(" + e.text + ")", kPrimary};
  return {"(" + type + ")" + e.at(kUnary), kUnary};
}

Expr KernelWriter::widened(const Type* type, const Expr& e) {
  return call(unit_.helpers.use(type->kind == TypeKind::kF16 ? "f32_of_f16" : "f32_of_bf16"), {e});
}

Expr KernelWriter::narrowed(const Type* type, const Expr& e) {
  return call(unit_.helpers.use(type->kind == TypeKind::kF16 ? "f16_of_f32" : "bf16_of_f32"), {e});
}

// Saturates; NaN becomes 0.
Expr KernelWriter::to_integer(const Type* to, TypeKind from, const Expr& e) {
  const bool single = from == TypeKind::kF32;
  const auto bits = static_cast<int>(to->bits());
  const bool is_signed = to->is_signed();
  // CUDA's instruction has exactly this semantics, for 32 bits.
  if (dialect_.language == Language::kCuda && single && bits == 32)
    return call(is_signed ? "__float2int_rz" : "__float2uint_rz", {e});
  const uint64_t most = is_signed    ? (uint64_t{1} << (bits - 1)) - 1
                        : bits == 64 ? ~uint64_t{0}
                                     : (uint64_t{1} << bits) - 1;
  const uint64_t least = is_signed ? uint64_t{1} << (bits - 1) : 0;
  const std::string suffix = single ? "f" : std::string(dialect_.double_suffix);
  const std::string low = is_signed ? "-" + power_of_two(bits - 1, single) : "0.0" + suffix;
  const std::string name = unit_.helpers.use("to_int", {to->kind, from},
                                             {{"low", low},
                                              {"high", power_of_two(is_signed ? bits - 1 : bits, single)},
                                              {"least", literal(to, least).text},
                                              {"most", literal(to, most).text}});
  return call(name, {e});
}

Expr KernelWriter::to_half(const Inst* at, const Type* to, const Type* from, const Expr& e) {
  const bool is_f16 = to->kind == TypeKind::kF16;
  if (is_half(from)) return narrowed(to, widened(from, e));
  if (from->kind == TypeKind::kF32) return narrowed(to, e);
  if (from->kind == TypeKind::kF64)
    return call(unit_.helpers.use(is_f16 ? "f16_of_f64" : "bf16_of_f64"), {e});
  // Integers beyond the 24 bits of a float are infinite as half: rounding them first changes nothing.
  if (is_f16 || from->size < 4) return narrowed(to, cast(TypeKind::kF32, e));
  (void)at;
  return call(unit_.helpers.use("bf16_of_" + std::string(ir::name(from->kind))), {e});
}

Expr KernelWriter::to_float(const Inst* at, const Type* to, const Type* from, const Expr& e) {
  if (is_half(to)) return to_half(at, to, from, e);
  const Expr in = is_half(from) ? widened(from, e) : e;
  const bool same = is_half(from) && to->kind == TypeKind::kF32;
  if (is_glsl(dialect_) && to->kind == TypeKind::kF64 && from->kind == TypeKind::kU32)
    return call(unit_.helpers.use("f64_of_u32"), {in});
  return same ? in : cast(to->kind, in);
}

Expr KernelWriter::convert(const Inst* i) {
  const Type* to = i->type;
  const Type* from = i->operand(0)->type;
  const Expr e = value(i->operand(0));
  if (to == from) return e;
  if (to->is_bool()) {
    if (is_half(from))
      return {binary(e, "&", {"0x7fffu", kPrimary}, kBitAnd).at(kUnary) + " != 0u", kEquality};
    return binary(e, "!=", literal(from, 0), kEquality);
  }
  if (to->is_float()) return to_float(i, to, from, from->is_bool() ? cast(TypeKind::kI32, e) : e);
  if (from->is_float())
    return to_integer(to, is_half(from) ? TypeKind::kF32 : from->kind, is_half(from) ? widened(from, e) : e);
  if (is_glsl(dialect_) && from->is_signed() && from->size < 8 && to->size == 8 &&
      !unit_.options.native.has(driver::Feature::int64)) {
    const Expr wide = call(unit_.helpers.use("widen"), {e});
    return to->is_signed() ? wide : cast(to->kind, wide);
  }
  const bool same_size = from->is_int() && from->size == to->size;
  return cast(to->kind, same_size && to->size >= 4 && to->is_signed() ? unsigned_value(i->operand(0)) : e);
}

Expr KernelWriter::convert_rounded(const Inst* i) {
  const Type* to = i->type;
  const Type* from = i->operand(0)->type;
  const ir::Rounding mode = i->attr().round;
  Expr e = value(i->operand(0));
  if (is_half(from)) e = widened(from, e);
  const TypeKind in = is_half(from) ? TypeKind::kF32 : from->kind;
  if (!to->is_float()) {
    constexpr std::string_view kFunctions[] = {"rint", "trunc", "ceil", "floor"};
    const std::string name(kFunctions[static_cast<size_t>(mode)]);
    const std::string full = dialect_.is_cpp && in == TypeKind::kF32 ? name + "f"
                             : is_glsl(dialect_) && name == "rint"   ? "roundEven"
                                                                     : name;
    return to_integer(to, in, mode == ir::Rounding::kZero ? e : call(full, {e}));
  }
  if (mode == ir::Rounding::kNearest) return to_float(i, to, unit_.module.types().get(in), e);
  const bool exact = (in == TypeKind::kF32 && to->kind != TypeKind::kF16 && to->kind != TypeKind::kBF16) ||
                     (to->kind == TypeKind::kF64 && from->size < 8);
  if (exact) return cast(to->kind, e);
  constexpr std::string_view kModes[] = {"", "zero", "up", "down"};
  const std::string name(kModes[static_cast<size_t>(mode)]);
  const bool has_double = unit_.has(driver::Feature::fp64);
  const bool is_wide = from->is_int() && from->size == 8;
  if (!has_double || (is_half(to) && is_wide)) {
    refuse(i, message::kRoundsConversion(ir::name(to->kind)));
    return e;
  }
  if (is_wide && to->kind == TypeKind::kF64) return call(unit_.helpers.use("wide_" + name, {in}), {e});
  const Expr wide = is_wide                ? call(unit_.helpers.use("wide_odd", {in}), {e})
                    : in == TypeKind::kF64 ? e
                                           : cast(TypeKind::kF64, e);
  return call(
      is_half(to) ? unit_.helpers.use("half_" + name, {to->kind}) : unit_.helpers.use("narrow_" + name),
      {wide});
}

Expr KernelWriter::bitcast(const Type* to, const Type* from, const Expr& e) {
  if (to == from) return e;
  const bool to_real = to->is_float() && !is_half(to), from_real = from->is_float() && !is_half(from);
  if (to_real == from_real) return cast(to->kind, e);
  const bool wide = to->size == 8;
  if (to_real) {
    const TypeKind in = wide ? TypeKind::kU64 : TypeKind::kU32;
    return call(unit_.helpers.fill(wide ? "@bits_f64" : "@bits_f32"), {from->kind == in ? e : cast(in, e)});
  }
  const Expr bits = call(unit_.helpers.fill(wide ? "@f64_bits" : "@f32_bits"), {e});
  const TypeKind out = wide ? TypeKind::kU64 : TypeKind::kU32;
  return to->kind == out ? Expr{bits.text, kUnary} : cast(to->kind, {bits.text, kUnary});
}

Expr KernelWriter::as_word(const Type* type, const Expr& e) {
  const ir::TypeTable& types = unit_.module.types();
  if (type->is_ptr()) return cast(TypeKind::kU64, e);
  if (type->is_float() && !is_half(type)) {
    const Type* bits = types.get(type->size == 8 ? TypeKind::kU64 : TypeKind::kU32);
    return cast(TypeKind::kU64, bitcast(bits, type, e));
  }
  if (type->is_signed() && type->size < 8) {
    const TypeKind same = type->size == 4 ? TypeKind::kU32 : type->size == 2 ? TypeKind::kU16 : TypeKind::kU8;
    return cast(TypeKind::kU64, cast(same, e));
  }
  return cast(TypeKind::kU64, e);
}

Expr KernelWriter::from_word(const Type* type, const Expr& e) {
  const ir::TypeTable& types = unit_.module.types();
  if (type->is_float() && !is_half(type)) {
    const Type* bits = types.get(type->size == 8 ? TypeKind::kU64 : TypeKind::kU32);
    return bitcast(type, bits, type->size == 8 ? e : cast(TypeKind::kU32, e));
  }
  return type->kind == TypeKind::kU64 ? e : cast(type->kind, e);
}

}  // namespace quern::target::cstyle
