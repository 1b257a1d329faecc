// Conversions, each with one rounding.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using ir::Rounding;
using ir::TypeKind;

namespace {

bool is_small_float(const ir::Type* type) {
  return type->kind == TypeKind::kF16 || type->kind == TypeKind::kBF16;
}
uint32_t width_of(const ir::Type* type) { return type->is_bool() ? 1 : type->bits(); }

}  // namespace

Emitter::Text Emitter::resize_int(const ir::Type* from, const ir::Type* to, const Text& x, bool v) {
  if (width_of(from) == width_of(to)) return x;
  const char* op = width_of(to) < width_of(from) ? "trunc " : from->is_signed() ? "sext " : "zext ";
  return def(op + typed(from, v) + " " + x + " to " + typed(to, v));
}

Emitter::Text Emitter::widen(const ir::Type* from, const Text& x, bool v) {
  if (from->kind == TypeKind::kF16)
    return def("fpext " + typed(from, v) + " " + x + " to " + typed(scalar(TypeKind::kF32), v));
  const ir::Type* u32 = scalar(TypeKind::kU32);
  const Text wide = def("zext " + typed(from, v) + " " + x + " to " + typed(u32, v));
  const Text up = def("shl " + typed(u32, v) + " " + wide + ", " + (v ? splat("i32", "16") : Text("16")));
  return def("bitcast " + typed(u32, v) + " " + up + " to " + typed(scalar(TypeKind::kF32), v));
}

Emitter::Text Emitter::narrow(const ir::Type* to, const Text& x, bool v) {
  const ir::Type* f32 = scalar(TypeKind::kF32);
  if (to->kind == TypeKind::kF16) return def("fptrunc " + typed(f32, v) + " " + x + " to " + typed(to, v));
  // Add half of the last kept place, minus one if that is even; NaN stays NaN.
  const Text t = typed(scalar(TypeKind::kU32), v);
  const auto number = [&](const Text& n) { return v ? splat("i32", n) : n; };
  const Text bits = def("bitcast " + typed(f32, v) + " " + x + " to " + t);
  const Text odd =
      def("and " + t + " " + def("lshr " + t + " " + bits + ", " + number("16")) + ", " + number("1"));
  const Text half = def("add " + t + " " + odd + ", " + number("32767"));
  const Text rounded = def("add " + t + " " + bits + ", " + half);
  const Text is_nan = def("fcmp uno " + typed(f32, v) + " " + x + ", " + x);
  const Text kept = def("select " + (v ? vec(Text("i1")) : Text("i1")) + " " + is_nan + ", " + t + " " +
                        number("2143289344") + ", " + t + " " + rounded);
  return def("trunc " + t + " " + def("lshr " + t + " " + kept + ", " + number("16")) + " to " +
             typed(to, v));
}

Emitter::Text Emitter::int_to_float(const ir::Type* from, const ir::Type* to, const Text& x, bool v) {
  const Text op = from->is_signed() ? "sitofp " : "uitofp ";
  if (!is_small_float(to)) return def(op + typed(from, v) + " " + x + " to " + typed(to, v));
  // Up to 24 bits are exact in float.
  const Text r = def(op + typed(from, v) + " " + x + " to " + typed(scalar(TypeKind::kF32), v));
  return narrow(to, r, v);
}

Emitter::Text Emitter::float_to_int(const ir::Type* from, const ir::Type* to, const Text& x, bool v) {
  const ir::Type* source = is_small_float(from) ? scalar(TypeKind::kF32) : from;
  const Text wide = is_small_float(from) ? widen(from, x, v) : x;
  const Text name =
      Text(to->is_signed() ? "fptosi" : "fptoui") + ".sat." + vec_suffix(to, v) + "." + vec_suffix(source, v);
  return intrinsic(name, typed(to, v), {typed(source, v)}, {wide});
}

Emitter::Text Emitter::float_to_float(const ir::Type* from, const ir::Type* to, const Text& x, bool v) {
  if (from->kind == to->kind) return x;
  const ir::Type* f32 = scalar(TypeKind::kF32);
  if (is_small_float(from)) return float_to_float(f32, to, widen(from, x, v), v);
  if (is_small_float(to)) return narrow(to, x, v);
  return def((to->size < from->size ? "fptrunc " : "fpext ") + typed(from, v) + " " + x + " to " +
             typed(to, v));
}

Emitter::Text Emitter::convert_text(const ir::Type* from, const ir::Type* to, const Text& x, bool v) {
  if (from->kind == to->kind) return x;
  if (from->is_float()) {
    if (to->is_float()) return float_to_float(from, to, x, v);
    if (!to->is_bool()) return float_to_int(from, to, x, v);
    const bool is_small = is_small_float(from);
    const ir::Type* type = is_small ? scalar(TypeKind::kF32) : from;
    return def("fcmp une " + typed(type, v) + " " + (is_small ? widen(from, x, v) : x) + ", " +
               (v ? Text("zeroinitializer") : Text("0.0")));
  }
  if (to->is_float()) return int_to_float(from, to, x, v);
  if (to->is_bool())
    return def("icmp ne " + typed(from, v) + " " + x + ", " + (v ? Text("zeroinitializer") : Text("0")));
  return resize_int(from, to, x, v);
}

// A wider integer keeps the stride unless active lanes wrap around in the narrow one. Inactive lanes may wrap
// (`a[i - 1]` where i > 0), so the value of the first active lane is extended.
Val Emitter::convert_affine(const Val& v, const ir::Type* to) {
  Val r = v;
  r.type = to;
  if (to->size <= v.type->size || v.type->is_signed() || mask_.is_all()) {
    r.text = resize_int(v.type, to, v.text, false);
    return r;
  }
  const Text first = first_lane();
  const Text own = spelling(v.type), wide = spelling(to);
  const ir::Type* u32 = scalar(TypeKind::kU32);
  const Text steps = def("mul i32 " + first + ", " + std::to_string(v.stride));
  const Text there = def("add " + own + " " + v.text + ", " + resize_int(u32, v.type, steps, false));
  const Text extended = def("zext " + own + " " + there + " to " + wide);
  r.text = def("sub " + wide + " " + extended + ", " +
               (to->size == 8 ? def("sext i32 " + steps + " to i64") : steps));
  return r;
}

Val Emitter::convert(const Val& v, const ir::Type* to) {
  const ir::Type* from = v.type;
  if (v.rep == Rep::kAffine && from->is_int() && to->is_int()) {
    if (to->size >= 4) return convert_affine(v, to);
  }
  const Val x[] = {v};
  const bool needs_lanes =
      (from->is_int() && to->is_float() && from->size == 8 && to->kind != TypeKind::kF64) ||
      (from->kind == TypeKind::kF64 && to->is_float() && is_small_float(to)) ||
      (from->is_int() && from->size == 4 && is_small_float(to));
  if (!needs_lanes) {
    const auto op = [&](const Texts& t, bool is_vector) { return convert_text(from, to, t[0], is_vector); };
    const bool is_heavy = from->is_float() != to->is_float() && from->size != to->size;
    return is_heavy ? apply_heavy(to, x, op) : apply(to, x, op);
  }
  // As vectors these may be done in two steps, each of which rounds.
  return per_lane(to, x, [&](const Texts& t) {
    if (to->kind == TypeKind::kF32) return convert_text(from, to, t[0], false);
    const uint64_t packed = pack_eval(Op::kConvert, to->kind, from->kind, from->kind, Rounding::kNearest);
    return from_bits(to, call("qn_eval", "i64 " + std::to_string(packed) + ", i64 " + to_bits(from, t[0]) +
                                             ", i64 0, i64 0"));
  });
}

Val Emitter::convert_rounded(const Inst* i) {
  const Val v = value(i->operand(0));
  const ir::Type* from = v.type;
  const ir::Type* to = i->type;
  const bool has_function = from->is_float() && to->is_int();
  if (!has_function) {
    const Val x[] = {v};
    return evaluated(i, x);
  }
  const ir::Type* source = is_small_float(from) ? scalar(TypeKind::kF32) : from;
  const Val x[] = {v};
  return apply(to, x, [&](const Texts& t, bool is_vector) {
    const Text wide = is_small_float(from) ? widen(from, t[0], is_vector) : t[0];
    const Text own = typed(source, is_vector);
    const Rounding mode = i->attr().round;
    const char* name = mode == Rounding::kNearest ? "rint."
                       : mode == Rounding::kUp    ? "ceil."
                       : mode == Rounding::kDown  ? "floor."
                                                  : "trunc.";
    return float_to_int(source, to, intrinsic(name + vec_suffix(source, is_vector), own, {own}, {wide}),
                        is_vector);
  });
}

Val Emitter::bitcast(const Val& v, const ir::Type* to) {
  if (Text(spelling(v.type)) == spelling(to)) {
    Val r = v;
    r.type = to;
    return r;
  }
  const Val x[] = {v};
  return apply(to, x, [&](const Texts& t, bool is_vector) {
    return def("bitcast " + typed(v.type, is_vector) + " " + t[0] + " to " + typed(to, is_vector));
  });
}

Emitter::Text Emitter::to_bits(const ir::Type* type, const Text& x) {
  if (type->is_ptr()) return def("ptrtoint ptr " + x + " to i64");
  Text bits = x;
  const Text raw = type->is_bool() ? "i1" : "i" + std::to_string(type->bits());
  if (raw != spelling(type)) bits = def("bitcast " + Text(spelling(type)) + " " + x + " to " + raw);
  return raw == "i64" ? bits : def("zext " + raw + " " + bits + " to i64");
}

Emitter::Text Emitter::from_bits(const ir::Type* type, const Text& x) {
  if (type->is_ptr()) return def("inttoptr i64 " + x + " to ptr");
  const Text raw = type->is_bool() ? "i1" : "i" + std::to_string(type->bits());
  const Text bits = raw == "i64" ? x : def("trunc i64 " + x + " to " + raw);
  return raw == spelling(type) ? bits : def("bitcast " + raw + " " + bits + " to " + spelling(type));
}

}  // namespace quern::llvm
