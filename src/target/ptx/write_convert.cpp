// Conversions.
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Type;
using ir::TypeKind;

namespace {

std::string held(const Type* integer) {
  return std::string(integer->is_signed() ? ".s" : ".u") + (integer->size == 8 ? "64" : "32");
}

std::string_view spelled(const Type* real) {
  switch (real->kind) {
    case TypeKind::kF16: return ".f16";
    case TypeKind::kBF16: return ".bf16";
    case TypeKind::kF32: return ".f32";
    default: return ".f64";
  }
}

uint64_t one_of(const Type* real) {
  switch (real->kind) {
    case TypeKind::kF16: return 0x3c00;
    case TypeKind::kBF16: return 0x3f80;
    case TypeKind::kF32: return 0x3f800000;
    case TypeKind::kF64: return 0x3ff0000000000000;
    default: return 1;
  }
}

}  // namespace

Reg Writer::convert(const Type* to, const Type* from, const Reg& r) {
  if (to == from) return r;
  if (to->is_bool()) {
    if (is_half(from)) {
      const Reg size = make(Class::kB16, "and.b16", {r, "0x7fff"});
      return test("setp.ne.u16", {size, "0"});
    }
    if (from->is_float())
      return test("setp.neu" + std::string(spelled(from)), {r, constant(from, 0)});  // a NaN is not 0
    return test(from->size == 8 ? "setp.ne.s64" : "setp.ne.s32", {r, "0"});
  }
  if (from->is_bool()) return selected(class_of(to), r, constant(to, one_of(to)), constant(to, 0));
  if (to->is_float()) return to_real(to, from, ".rn", r);
  if (from->is_float()) return to_integer(to, from, ".rzi", r);
  return resized(r, from, to);
}

Reg Writer::resized(const Reg& r, const Type* from, const Type* to) {
  if (from->size == 8 && to->size < 8) return trimmed(to, word("cvt.u32.u64", {r}));
  if (to->size == 8) {
    if (from->size == 8) return r;
    return wide(from->is_signed() ? "cvt.s64.s32" : "cvt.u64.u32", {r});
  }
  const bool fits = to->size > from->size || (to->size == from->size && to->is_signed() == from->is_signed());
  return fits && (to->is_signed() || !from->is_signed()) ? r : trimmed(to, r);
}

Reg Writer::to_real(const Type* to, const Type* from, std::string_view mode, const Reg& r) {
  const std::string m(mode);
  if (from->is_int())
    return make(class_of(to), "cvt" + m + std::string(spelled(to)) + held(from),
                {in_register(class_of(from), r)});
  const Reg x = in_register(class_of(from), r);
  if (from->kind == TypeKind::kBF16) return word("shl.b32", {word("cvt.u32.u16", {x}), "16"});  // to float
  if (to->kind == TypeKind::kBF16) return to_bfloat(x);
  const bool is_exact = to->size > from->size;
  return make(class_of(to),
              "cvt" + (is_exact ? "" : m) + std::string(spelled(to)) + std::string(spelled(from)), {x});
}

Reg Writer::to_bfloat(const Reg& single) {
  if (has(80)) return make(Class::kB16, "cvt.rn.bf16.f32", {single});
  const Reg odd = word("and.b32", {word("shr.u32", {single, "16"}), "1"});
  const Reg sum = word("add.u32", {word("add.u32", {single, "0x7fff"}), odd});
  const Reg bits = word("shr.u32", {sum, "16"});
  const Reg is_nan = test("setp.nan.f32", {single, single});
  return make(Class::kB16, "cvt.u16.u32", {word("selp.b32", {"0x7fff", bits, is_nan})});
}

// Saturates beyond the range, like PTX for 32 and 64 bits; NaN is 0, like PTX from float to 32 bits.
Reg Writer::to_integer(const Type* to, const Type* from, std::string_view mode, const Reg& r) {
  const Reg x = in_register(class_of(from), r);
  const Class c = class_of(to);
  const std::string code = "cvt" + std::string(mode) + held(to) + std::string(spelled(from));
  Reg n = make(c, code, {x});
  if (to->size == 8 || from->size == 8) {
    const Reg is_nan = test("setp.nan" + std::string(spelled(from)), {x, x});
    n = selected(c, is_nan, "0", n);
  }
  if (!is_narrow(to)) return n;
  const int64_t most = (int64_t{1} << (to->bits() - (to->is_signed() ? 1 : 0))) - 1;
  n = word("min" + held(to), {n, std::to_string(most)});
  return to->is_signed() ? word("max.s32", {n, std::to_string(-most - 1)}) : n;
}

Reg Writer::convert_rounded(const Inst* i) {
  const Type* to = i->type;
  const Type* from = i->operand(0)->type;
  const auto mode = static_cast<size_t>(i->attr().round);
  const Reg x = operand(i->operand(0));
  constexpr std::string_view kWhole[] = {".rni", ".rzi", ".rpi", ".rmi"};
  constexpr std::string_view kModes[] = {".rn", ".rz", ".rp", ".rm"};
  if (!to->is_float()) return to_integer(to, from, kWhole[mode], x);
  return to == from ? x : to_real(to, from, kModes[mode], x);
}

Reg Writer::bitcast(const Type* to, const Type* from, const Reg& r) {
  if (is_half(from) && !is_half(to))
    return word(to->is_signed() ? "cvt.s32.s16" : "cvt.u32.u16", {in_register(Class::kB16, r)});
  if (is_half(to) && !is_half(from)) return make(Class::kB16, "cvt.u16.u32", {in_register(Class::kB32, r)});
  if (is_narrow(to)) return trimmed(to, r);
  return r;
}

}  // namespace quern::target::ptx
