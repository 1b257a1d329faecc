// Floating-point operations. Half and bfloat16 are computed in float and rounded, which is exact for + - * /
// and sqrt.
#include "lang/ir/float_bits.hpp"
#include "target/cstyle/kernel_writer.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;

namespace {

bool is_half(const Type* t) { return t->kind == TypeKind::kF16 || t->kind == TypeKind::kBF16; }

std::string_view mode_name(ir::Rounding mode) {
  return mode == ir::Rounding::kZero ? "zero" : mode == ir::Rounding::kUp ? "up" : "down";
}

std::string_view cuda_mode(ir::Rounding mode) {
  constexpr std::string_view kModes[] = {"rn", "rz", "ru", "rd"};
  return kModes[static_cast<size_t>(mode)];
}

Op plain(Op rounded) {
  switch (rounded) {
    case Op::kAddR: return Op::kAdd;
    case Op::kMulR: return Op::kMul;
    case Op::kDivR: return Op::kDiv;
    case Op::kFmaR: return Op::kFma;
    default: return Op::kSqrt;
  }
}

bool makes_whole(Op op) { return op == Op::kFloor || op == Op::kCeil || op == Op::kTrunc || op == Op::kRint; }

Expr all(const std::string& function, const std::vector<Expr>& in) {
  if (in.size() == 3) return call(function, {in[0], in[1], in[2]});
  return in.size() == 2 ? call(function, {in[0], in[1]}) : call(function, {in[0]});
}

}  // namespace

Expr KernelWriter::real(const Inst* i) {
  const Type* t = i->operand(0)->type;
  if (is_half(t)) return half(i);
  std::vector<Expr> in;
  for (const ir::Value* v : i->operands) in.push_back(value(v));
  return real_op(i, t->kind, in);
}

// GLSL compilers fold x * 0 to 0 whatever x is; nothing if no factor is a constant 0.
std::optional<Expr> KernelWriter::times_zero(const Inst* i, TypeKind kind, const std::vector<Expr>& in) {
  for (const size_t k : {size_t{0}, size_t{1}}) {
    const ir::Const* c = is_glsl(dialect_) ? ir::as_const(i->operand(k)) : nullptr;
    if (c == nullptr || c->type->size < 4 || ir::float_value(c) != 0) continue;
    const Expr e = call(unit_.helpers.use("times_zero", {kind}), {in[1 - k]});
    return ir::format_of(c->type->kind).is_negative(c->bits) ? unary("-", e) : e;
  }
  return {};
}

Expr KernelWriter::real_op(const Inst* i, TypeKind kind, const std::vector<Expr>& in) {
  const bool single = kind == TypeKind::kF32;
  switch (i->op) {
    case Op::kAdd: return binary(in[0], "+", in[1], kSum);
    case Op::kSub: return binary(in[0], "-", in[1], kSum);
    case Op::kMul:
      if (const std::optional<Expr> zero = times_zero(i, kind, in)) return *zero;
      if (is_glsl(dialect_) && i->type->size >= 4 && unit_.options.math == driver::Math::exact &&
          !unit_.in_library && (known_.may_be_zero(i->operand(0)) || known_.may_be_zero(i->operand(1))))
        return call(unit_.helpers.use("product", {kind}), {in[0], in[1]});
      return binary(in[0], "*", in[1], kProduct);
    case Op::kDiv:
      if (dialect_.language == Language::kCuda && single && i->attr().fast) return all("__fdividef", in);
      return binary(in[0], "/", in[1], kProduct);
    case Op::kNeg: return unary("-", in[0]);
    case Op::kAbs:
      if (is_glsl(dialect_)) return call("abs", {in[0]});
      return call(dialect_.is_cpp && single ? "fabsf" : "fabs", {in[0]});
    case Op::kMin:
    case Op::kMax: {
      const bool is_min = i->is(Op::kMin);
      if (dialect_.language == Language::kCuda)
        return call(std::string(is_min ? "fmin" : "fmax") + (single ? "f" : ""), {in[0], in[1]});
      return call(unit_.helpers.use(is_min ? "min" : "max", {kind}), {in[0], in[1]});
    }
    case Op::kIsNan:
      if (is_glsl(dialect_)) return call(unit_.helpers.use("is_nan", {kind}), {in[0]});
      return {"isnan(" + in[0].text + ") != 0", kEquality};
    case Op::kIsInf:
      if (is_glsl(dialect_)) return call(unit_.helpers.use("is_inf", {kind}), {in[0]});
      return {"isinf(" + in[0].text + ") != 0", kEquality};
    case Op::kSignBit: {
      const std::string bits = unit_.helpers.fill(single ? "@f32_bits" : "@f64_bits");
      const std::string zero = single ? "0u" : "0" + std::string(dialect_.unsigned_long_suffix);
      return {"(" + call(bits, {in[0]}).text + " >> " + (single ? "31" : "63") + ") != " + zero, kEquality};
    }
    case Op::kIlogb: return call(unit_.helpers.use("ilogb", {kind}), {in[0]});
    case Op::kLogb: return call(unit_.helpers.use("logb", {kind}), {in[0]});
    case Op::kSinpi:
    case Op::kCospi:
      if (dialect_.is_cpp || is_glsl(dialect_)) return real_function(i, kind, in);
      return call(unit_.helpers.use(i->is(Op::kSinpi) ? "sinpi" : "cospi", {kind}), {in[0]});
    default: return real_function(i, kind, in);
  }
}

Expr KernelWriter::real_function(const Inst* i, TypeKind kind, const std::vector<Expr>& in) {
  const std::string name = math_function(dialect_, i->op, kind, i->attr().fast || unit_.is_fast());
  const bool single = kind == TypeKind::kF32;
  if (!name.empty() && is_glsl(dialect_) && !single && makes_whole(i->op))
    return call(unit_.helpers.use("keep_sign_f64"), {call(name, {in[0]}), in[0]});
  if (!name.empty()) return all(name, in);
  if (is_glsl(dialect_)) return glsl_function(i, kind, in);
  const Expr one = literal(unit_.module.types().get(kind), single ? 0x3f800000u : 0x3ff0000000000000u);
  switch (i->op) {
    case Op::kRsqrt:
      return binary(one, "/", call(math_function(dialect_, Op::kSqrt, kind, false), {in[0]}), kProduct);
    case Op::kRcbrt: return binary(one, "/", call("cbrt", {in[0]}), kProduct);
    case Op::kRhypot: return binary(one, "/", call("hypot", {in[0], in[1]}), kProduct);
    default: break;
  }
  refuse(i, message::kNoFunction(ir::info(i->op).name, dialect_.name));
  return in[0];
}

// Operations that the writer handles if GLSL has no function (glsl_lower.cpp).
Expr KernelWriter::glsl_function(const Inst* i, TypeKind kind, const std::vector<Expr>& in) {
  if (i->is(Op::kFma)) {
    if (const std::optional<Expr> zero = times_zero(i, kind, in)) return binary(*zero, "+", in[2], kSum);
  }
  if (i->is(Op::kFma) && kind == TypeKind::kF32) return all(unit_.helpers.use("fma_f32"), in);
  refuse(i, message::kNoExactFunction(ir::info(i->op).name, dialect_.name));
  return in[0];
}

Expr KernelWriter::half(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const Expr a = value(i->operand(0));
  const auto bits = [&](const Expr& e) { return cast(TypeKind::kU16, e); };
  switch (i->op) {
    case Op::kNeg: return bits(binary(a, "^", {"0x8000u", kPrimary}, kBitXor));
    case Op::kAbs: return bits(binary(a, "&", {"0x7fffu", kPrimary}, kBitAnd));
    case Op::kCopysign:
      return bits(binary(binary(a, "&", {"0x7fffu", kPrimary}, kBitAnd), "|",
                         binary(value(i->operand(1)), "&", {"0x8000u", kPrimary}, kBitAnd), kBitOr));
    case Op::kFma:
      if (t->kind == TypeKind::kBF16 && !unit_.has(driver::Feature::fp64)) {
        refuse(i, message::kFusesBfloat16());
        return a;
      }
      return call(unit_.helpers.use(t->kind == TypeKind::kF16 ? "fma_f16" : "fma_bf16"),
                  {a, value(i->operand(1)), value(i->operand(2))});
    case Op::kNextafter: {
      const bool is_f16 = t->kind == TypeKind::kF16;
      const std::string widen = unit_.helpers.use(is_f16 ? "f32_of_f16" : "f32_of_bf16");
      const std::string name = unit_.helpers.use("nextafter", {t->kind},
                                                 {{"widen", widen}, {"nan", is_f16 ? "0x7e00u" : "0x7fc0u"}});
      return call(name, {a, value(i->operand(1))});
    }
    default: break;
  }
  std::vector<Expr> in;
  for (const ir::Value* v : i->operands)
    in.push_back(is_half(v->type) ? widened(v->type, value(v)) : value(v));
  const Expr e = real_op(i, TypeKind::kF32, in);
  return is_half(i->type) ? narrowed(i->type, e) : e;
}

Expr KernelWriter::rounded(const Inst* i) {
  const Type* t = i->type;
  const ir::Rounding mode = i->attr().round;
  std::vector<Expr> in;
  for (const ir::Value* v : i->operands) in.push_back(value(v));
  if (is_half(t)) {
    refuse(i, message::kRoundsHalf());
    return in[0];
  }
  const bool single = t->kind == TypeKind::kF32;
  const std::string name(ir::info(plain(i->op)).name);
  if (dialect_.native_rounding) {
    const std::string function = i->is(Op::kFmaR) && single ? "fmaf" : (single ? "f" : "d") + name;
    const std::string full = i->is(Op::kFmaR) && !single ? "fma" : function;
    return all("__" + full + "_" + std::string(cuda_mode(mode)), in);
  }
  if (mode == ir::Rounding::kNearest) {
    switch (i->op) {
      case Op::kAddR: return binary(in[0], "+", in[1], kSum);
      case Op::kMulR: return binary(in[0], "*", in[1], kProduct);
      case Op::kDivR: return binary(in[0], "/", in[1], kProduct);
      default: return all(name, in);
    }
  }
  if (!unit_.has(driver::Feature::fp64) || (i->is(Op::kFmaR) && !single)) {
    refuse(i, message::kRounds());
    return in[0];
  }
  return all(unit_.helpers.use(name + "_" + std::string(mode_name(mode)), {t->kind}), in);
}

}  // namespace quern::target::cstyle
