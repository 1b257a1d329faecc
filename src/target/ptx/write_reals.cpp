// Floats. Operations are written with an explicit rounding, so that nothing is fused; if fusing is allowed
// they are written without one, and the assembler fuses products with sums.
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;

namespace {

std::string_view mode_name(ir::Rounding mode) {
  constexpr std::string_view kModes[] = {".rn", ".rz", ".rp", ".rm"};
  return kModes[static_cast<size_t>(mode)];
}

constexpr const char* kLog2OfE = "0f3FB8AA3B";
constexpr const char* kLog2Of10 = "0f40549A78";
constexpr const char* kLogOf2 = "0f3F317218";
constexpr const char* kLog10Of2 = "0f3E9A209B";

}  // namespace

Reg Writer::real(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const bool single = t->kind == TypeKind::kF32;
  const bool is_fast = single && (i->attr().fast || unit_.is_fast());
  const Class c = class_of(t);
  const std::string flush = single && unit_.is_fast() ? ".ftz" : "";
  const std::string width = flush + (single ? ".f32" : ".f64");
  const std::string nearest = unit_.is_exact() ? ".rn" : "";
  const auto a = [&] { return operand(i->operand(0)); };
  const auto one = [&](const std::string& code) { return make(c, code + width, {a()}); };
  const auto two = [&](const std::string& code) {
    const Reg x = a(), y = operand(i->operand(1));
    return make(c, code + width, {x, y});
  };
  switch (i->op) {
    case Op::kAdd: return two("add" + nearest);
    case Op::kSub: return two("sub" + nearest);
    case Op::kMul: return two("mul" + nearest);
    case Op::kDiv: return two(!is_fast ? "div.rn" : i->attr().fast ? "div.approx" : "div.full");
    case Op::kSqrt: return one(is_fast ? "sqrt.approx" : "sqrt.rn");
    case Op::kRsqrt: return single ? one("rsqrt.approx") : Reg();
    case Op::kFma: {
      const Reg x = a(), y = operand(i->operand(1)), z = operand(i->operand(2));
      return make(c, "fma.rn" + width, {x, y, z});
    }
    case Op::kNeg: return one("neg");
    case Op::kAbs: return one("abs");
    case Op::kMin: return two("min");
    case Op::kMax: return two("max");
    case Op::kFloor: return make(c, "cvt.rmi" + width + (single ? ".f32" : ".f64"), {a()});
    case Op::kCeil: return make(c, "cvt.rpi" + width + (single ? ".f32" : ".f64"), {a()});
    case Op::kTrunc: return make(c, "cvt.rzi" + width + (single ? ".f32" : ".f64"), {a()});
    case Op::kRint: return make(c, "cvt.rni" + width + (single ? ".f32" : ".f64"), {a()});
    case Op::kCopysign: {  // PTX names the sign first
      const Reg x = a(), sign = operand(i->operand(1));
      return make(c, single ? "copysign.f32" : "copysign.f64", {sign, x});
    }
    case Op::kIsNan:
    case Op::kIsInf:
    case Op::kSignBit: return class_test(i);
    case Op::kAddR:
    case Op::kMulR:
    case Op::kDivR:
    case Op::kFmaR:
    case Op::kSqrtR: return rounded(i);
    default: return is_fast ? approximate(i) : Reg();
  }
}

Reg Writer::class_test(const Inst* i) {
  const Type* t = i->operand(0)->type;
  const std::string width = t->size == 8 ? ".f64" : ".f32";
  const Reg x = reg(i->operand(0));
  switch (i->op) {
    case Op::kIsNan: return test("setp.nan" + width, {x, x});
    case Op::kIsInf: return test("testp.infinite" + width, {x});
    default: return test(t->size == 8 ? "setp.lt.s64" : "setp.lt.s32", {x, "0"});
  }
}

Reg Writer::rounded(const Inst* i) {
  const Type* t = i->type;
  const std::string end = std::string(mode_name(i->attr().round)) + (t->size == 8 ? ".f64" : ".f32");
  const Class c = class_of(t);
  const Reg x = operand(i->operand(0));
  if (i->is(Op::kSqrtR)) return make(c, "sqrt" + end, {x});
  const Reg y = operand(i->operand(1));
  switch (i->op) {
    case Op::kAddR: return make(c, "add" + end, {x, y});
    case Op::kMulR: return make(c, "mul" + end, {x, y});
    case Op::kDivR: return make(c, "div" + end, {x, y});
    default: return make(c, "fma" + end, {x, y, operand(i->operand(2))});
  }
}

// Float functions, if the hardware approximation is requested.
Reg Writer::approximate(const Inst* i) {
  const std::string width = unit_.is_fast() ? ".ftz.f32" : ".f32";
  const auto call = [&](const char* code, const Reg& x) { return word(code + width, {x}); };
  const auto times = [&](const Reg& x, const Reg& y) { return word("mul.rn" + width, {x, y}); };
  const Reg x = operand(i->operand(0));
  switch (i->op) {
    case Op::kExp2: return call("ex2.approx", x);
    case Op::kExp: return call("ex2.approx", times(x, kLog2OfE));
    case Op::kExp10: return call("ex2.approx", times(x, kLog2Of10));
    case Op::kLog2: return call("lg2.approx", x);
    case Op::kLog: return times(call("lg2.approx", x), kLogOf2);
    case Op::kLog10: return times(call("lg2.approx", x), kLog10Of2);
    case Op::kSin: return call("sin.approx", x);
    case Op::kCos: return call("cos.approx", x);
    case Op::kTan: {
      const Reg sine = call("sin.approx", x), cosine = call("cos.approx", x);
      return word("div.approx" + width, {sine, cosine});
    }
    case Op::kTanh: return word("tanh.approx.f32", {x});
    case Op::kPow: {
      const Reg y = operand(i->operand(1));
      return call("ex2.approx", times(y, call("lg2.approx", x)));
    }
    default: return {};
  }
}

// Half and bfloat16: the remaining operations (native.cpp).
Reg Writer::half(const Inst* i) {
  const std::string nearest = unit_.is_exact() ? ".rn" : "";
  const Reg x = operand(i->operand(0));
  const auto two = [&](const char* code) {
    return make(Class::kB16, code + nearest + ".f16", {x, operand(i->operand(1))});
  };
  switch (i->op) {
    case Op::kNeg: return make(Class::kB16, "xor.b16", {x, "0x8000"});
    case Op::kAbs: return make(Class::kB16, "and.b16", {x, "0x7fff"});
    case Op::kAdd: return two("add");
    case Op::kSub: return two("sub");
    case Op::kMul: return two("mul");
    case Op::kFma: {
      const Reg y = operand(i->operand(1)), z = operand(i->operand(2));
      return make(Class::kB16, i->type->kind == TypeKind::kF16 ? "fma.rn.f16" : "fma.rn.bf16", {x, y, z});
    }
    default: return {};
  }
}

}  // namespace quern::target::ptx
