// Functions on floats, computed in doubles for all lanes at once. A double's error is so small beside a
// float's last place that the rounded result is the simulator's but for few arguments
// (tests/cpu/math_test.cpp allows one in 65,536); ranges need no care, as no float overflows a double. What
// is left over (large angles, powers of what is not positive) goes lane by lane to the device.
#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using ir::TypeKind;

namespace {

constexpr double kMagic = 0x1.8p52;  // a number added to it stands in its last bits, rounded
constexpr double kLog2OfE = 0x1.71547652b82fep+0;
constexpr double kLn2High = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
constexpr double kLog10Of2High = 0x1.34413509f79ffp-2, kLog10Of2Low = -0x1.9dc1da994fd21p-59;
constexpr double kLog10OfE = 0x1.bcb7b1526e50ep-2;
constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kLargestAngle = 0x1p20;

uint64_t bits_of(double x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

}  // namespace

// Words for vectors of doubles, or for one.
struct Emitter::Doubles {
  Emitter& e;
  bool v;
  Text f64, i64, i1;

  Doubles(Emitter& emitter, bool is_vector)
      : e(emitter),
        v(is_vector && emitter.width_ > 1),
        f64(v ? e.vec(Text("double")) : Text("double")),
        i64(v ? e.vec(Text("i64")) : Text("i64")),
        i1(v ? e.vec(Text("i1")) : Text("i1")) {}

  Text spread(const Text& type, const Text& all, const Text& x) const {
    if (!v) return x;
    const Text one = e.def("insertelement " + all + " poison, " + type + " " + x + ", i32 0");
    return e.def("shufflevector " + all + " " + one + ", " + all + " poison, <" + std::to_string(e.width_) +
                 " x i32> zeroinitializer");
  }
  Text real(double x) const {
    return spread("double", f64, base::format("0x%016llX", static_cast<unsigned long long>(bits_of(x))));
  }
  Text whole(uint64_t x) const { return spread("i64", i64, std::to_string(static_cast<int64_t>(x))); }
  Text op(const char* name, const Text& a, const Text& b) const {
    return e.def(Text(name) + " " + f64 + " " + a + ", " + b);
  }
  Text add(const Text& a, const Text& b) const { return op("fadd", a, b); }
  Text sub(const Text& a, const Text& b) const { return op("fsub", a, b); }
  Text mul(const Text& a, const Text& b) const { return op("fmul", a, b); }
  Text bit_op(const char* name, const Text& a, const Text& b) const {
    return e.def(Text(name) + " " + i64 + " " + a + ", " + b);
  }
  Text fma(const Text& a, const Text& b, const Text& c) const {
    return e.intrinsic(Text("fma.") + (v ? "v" + std::to_string(e.width_) : "") + "f64", f64, {f64, f64, f64},
                       {a, b, c});
  }
  Text abs(const Text& a) const {
    return e.intrinsic(Text("fabs.") + (v ? "v" + std::to_string(e.width_) : "") + "f64", f64, {f64}, {a});
  }
  Text compare(const char* how, const Text& a, const Text& b) const {
    return e.def(Text("fcmp ") + how + " " + f64 + " " + a + ", " + b);
  }
  Text pick(const Text& c, const Text& a, const Text& b) const {
    return e.def("select " + i1 + " " + c + ", " + f64 + " " + a + ", " + f64 + " " + b);
  }
  Text to_bits(const Text& a) const { return e.def("bitcast " + f64 + " " + a + " to " + i64); }
  Text from_bits(const Text& a) const { return e.def("bitcast " + i64 + " " + a + " to " + f64); }

  Text polynomial(const Text& x, std::initializer_list<double> coefficients) const {
    Text sum;
    for (const double c : coefficients) sum = sum.empty() ? real(c) : fma(sum, x, real(c));
    return sum;
  }
  Text clamped(const Text& x, double low, double high) const {  // a NaN stays
    const Text most = real(high), least = real(low);
    const Text below = pick(compare("ogt", x, most), most, x);
    return pick(compare("olt", below, least), least, below);
  }

  // e^r * 2^k; `counted` is kMagic + k.
  Text raised(const Text& r, const Text& counted) const {
    const Text p = polynomial(r, {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                  1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
    const Text power = bit_op("add", bit_op("shl", to_bits(counted), whole(52)), whole(bits_of(1.0)));
    return mul(p, from_bits(power));
  }
  Text exp(const Text& given) const {
    const Text x = clamped(given, -160.0, 160.0);
    const Text counted = fma(x, real(kLog2OfE), real(kMagic)), k = sub(counted, real(kMagic));
    const Text r = fma(k, real(-kLn2Low), fma(k, real(-kLn2High), x));
    return raised(r, counted);
  }
  Text exp2(const Text& given) const {
    const Text x = clamped(given, -240.0, 240.0);
    const Text counted = add(x, real(kMagic)), k = sub(counted, real(kMagic));
    return raised(mul(sub(x, k), real(kLn2High)), counted);
  }

  // x = m * 2^k with m from sqrt(1/2) to sqrt(2): the logarithm of m, and k.
  struct Parts {
    Text log, k;
  };
  Parts log_parts(const Text& x) const {
    const Text half = whole(bits_of(0x1.6a09e667f3bcdp-1));
    const Text above = bit_op("sub", to_bits(x), half);
    const Text exponent = bit_op("ashr", above, whole(52));
    const Text m = from_bits(bit_op("sub", to_bits(x), bit_op("shl", exponent, whole(52))));
    const Text k = sub(from_bits(bit_op("add", exponent, whole(bits_of(kMagic)))), real(kMagic));
    const Text one = real(1.0);
    const Text s = op("fdiv", sub(m, one), add(m, one)), z = mul(s, s);
    const Text p = polynomial(
        z, {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3});
    return {fma(mul(s, z), p, add(s, s)), k};
  }
  // Of what has no logarithm as others have.
  Text with_ends(const Text& x, const Text& result) const {
    const Text zero = real(0.0), infinity = real(HUGE_VAL);
    const Text low = pick(compare("oeq", x, zero), real(-HUGE_VAL), real(std::nan("")));
    const Text r = pick(compare("ogt", x, zero), result, low);
    return pick(compare("oeq", x, infinity), infinity, r);
  }
  Text log(const Text& x) const {
    const Parts p = log_parts(x);
    return with_ends(x, fma(p.k, real(kLn2High), fma(p.k, real(kLn2Low), p.log)));
  }
  Text log2(const Text& x) const {
    const Parts p = log_parts(x);
    return with_ends(x, fma(p.log, real(kLog2OfE), p.k));
  }
  Text log10(const Text& x) const {
    const Parts p = log_parts(x);
    const Text small = fma(p.k, real(kLog10Of2Low), mul(p.log, real(kLog10OfE)));
    return with_ends(x, fma(p.k, real(kLog10Of2High), small));
  }

  // The sine of x and `more` quarters of a turn.
  Text sine(const Text& x, uint64_t more) const {
    const Text counted = fma(x, real(kTwoOverPi), real(kMagic)), k = sub(counted, real(kMagic));
    const Text r = fma(k, real(-kHalfPiLow), fma(k, real(-kHalfPiHigh), x)), z = mul(r, r);
    const Text s = polynomial(z, {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                  -1.0 / 5040, 1.0 / 120, -1.0 / 6});
    const Text c = polynomial(z, {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                  1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0});
    Text quarter = to_bits(counted);
    if (more != 0) quarter = bit_op("add", quarter, whole(more));
    const Text odd = e.def("icmp ne " + i64 + " " + bit_op("and", quarter, whole(1)) + ", " + whole(0));
    const Text sign = bit_op("shl", bit_op("and", quarter, whole(2)), whole(62));
    const Text size = pick(odd, c, fma(mul(r, z), s, r));
    return from_bits(bit_op("xor", to_bits(size), sign));
  }
  Text tanh(const Text& x) const {
    const Text z = mul(x, x);
    const Text near = polynomial(z, {-17.0 / 315, 2.0 / 15, -1.0 / 3});
    const Text far = add(exp(add(x, x)), real(1.0));
    const Text r = sub(real(1.0), op("fdiv", real(2.0), far));
    return pick(compare("olt", abs(x), real(0.01)), fma(mul(x, z), near, x), r);
  }
  Text pow(const Text& x, const Text& y) const {
    const Parts p = log_parts(x);
    return exp(mul(y, fma(p.k, real(kLn2High), fma(p.k, real(kLn2Low), p.log))));
  }
};

bool Emitter::is_double_function(Op op) {
  switch (op) {
    case Op::kExp:
    case Op::kExp2:
    case Op::kLog:
    case Op::kLog2:
    case Op::kLog10:
    case Op::kSin:
    case Op::kCos:
    case Op::kTanh:
    case Op::kPow: return true;
    default: return false;
  }
}

Emitter::Text Emitter::double_function(const Inst* i, const Texts& x, bool is_vector) {
  const Doubles d(*this, is_vector);
  switch (i->op) {
    case Op::kExp: return d.exp(x[0]);
    case Op::kExp2: return d.exp2(x[0]);
    case Op::kLog: return d.log(x[0]);
    case Op::kLog2: return d.log2(x[0]);
    case Op::kLog10: return d.log10(x[0]);
    case Op::kSin: return d.sine(x[0], 0);
    case Op::kCos: return d.sine(x[0], 1);
    case Op::kTanh: return d.tanh(x[0]);
    default: return d.pow(x[0], x[1]);
  }
}

Val Emitter::in_doubles(const Inst* i, std::span<const Val> operands) {
  const bool needs_care = i->is(Op::kSin) || i->is(Op::kCos) || i->is(Op::kPow);
  const ir::Type* f32 = scalar(TypeKind::kF32);
  const auto compute = [&](const Texts& x, bool v) {
    const Doubles d(*this, v);
    Texts wide;
    for (const Text& t : x) wide.push_back(def("fpext " + typed(f32, v) + " " + t + " to " + d.f64));
    return def("fptrunc " + d.f64 + " " + double_function(i, wide, v) + " to " + typed(f32, v));
  };
  const auto good = [&](const Texts& x, bool v) {
    const Doubles d(*this, v);
    const Text wide = def("fpext " + typed(f32, v) + " " + x[0] + " to " + d.f64);
    if (!i->is(Op::kPow)) return d.compare("ole", d.abs(wide), d.real(kLargestAngle));
    const Text y = def("fpext " + typed(f32, v) + " " + x[1] + " to " + d.f64);
    const Text finite = d.compare("olt", wide, d.real(HUGE_VAL)),
               positive = d.compare("ogt", wide, d.real(0.0));
    const Text tame = d.compare("ole", d.abs(y), d.real(1e6));
    return def("and " + d.i1 + " " + tame + ", " + def("and " + d.i1 + " " + finite + ", " + positive));
  };
  bool is_vector = false;
  for (const Val& v : operands) is_vector = is_vector || v.rep != Rep::kScalar;
  const auto fast = [&]() -> Val {
    if (is_vector && width_ > 1)
      return call_for_vectors(i->type, operands, [&](const Texts& t) { return compute(t, true); });
    return apply(i->type, operands, compute);
  };
  if (!needs_care) return fast();
  const Val is_good = apply(scalar(TypeKind::kBool), operands, good);
  const Text all_good = is_good.is_scalar() ? is_good.text : all(is_good.text);
  const Text usual = fresh_label("usual"), rare = fresh_label("rare"), both = fresh_label("computed");
  const Text cell = stack_cell(typed(f32, is_vector), 64);
  const auto keep = [&](const Val& v) {
    line("store " + typed(f32, is_vector) + " " + v.text + ", ptr " + cell);
  };
  br_if(all_good, usual, rare);
  label(usual);
  keep(fast());
  br(both);
  label(rare);
  const Mask mask = mask_;
  const Val slow = library_function(i, operands);
  keep(is_good.is_scalar() ? slow : select(is_good, fast(), slow));
  mask_ = mask;
  label(both);
  const Text r = def("load " + typed(f32, is_vector) + ", ptr " + cell);
  return is_vector ? vector_val(i->type, r) : scalar_val(i->type, r);
}

}  // namespace quern::llvm
