// Floats of all four formats. Operations from add to sqrt are computed in double and rounded again: with 53
// >= 2p + 2 bits this is the correctly rounded result of every narrower format of p bits.
#include <cmath>
#include <limits>

#include "lang/ir/eval.hpp"
#include "lang/ir/eval_parts.hpp"
#include "lang/ir/soft_float.hpp"

namespace quern::ir {
namespace {

uint64_t min_max(FloatFormat format, TypeKind kind, bool want_max, uint64_t a, uint64_t b) {
  if (format.is_nan(a)) return format.is_nan(b) ? format.nan() : b;
  if (format.is_nan(b)) return a;
  const double x = float_from_bits(kind, a);
  const double y = float_from_bits(kind, b);
  const bool less = x < y || (x == y && format.is_negative(a));  // -0 before +0
  return less != want_max ? a : b;
}

uint64_t next_after(FloatFormat format, TypeKind kind, uint64_t from, uint64_t to) {
  if (format.is_nan(from) || format.is_nan(to)) return format.nan();
  const double x = float_from_bits(kind, from);
  const double y = float_from_bits(kind, to);
  if (x == y) return to;
  if (x == 0) return (to & format.sign()) | 1;
  const bool grows = (x < y) == (x > 0);
  return grows ? from + 1 : from - 1;
}

// The exponent of a finite nonzero number, subnormals included.
int exponent_of(FloatFormat format, uint64_t bits) {
  const uint64_t wide = format.fraction == 52 ? bits : widen(format, bits);
  const int field = static_cast<int>((wide >> 52) & 0x7ff);
  if (field != 0) return field - 1023;
  return std::bit_width(wide & (kF64Format.sign() - 1)) - 1075;
}

uint64_t ilogb(FloatFormat format, uint64_t bits) {
  if (format.is_inf(bits)) return static_cast<uint32_t>(std::numeric_limits<int32_t>::max());
  if (format.is_nan(bits) || format.is_zero(bits)) return uint64_t{1} << 31;
  return static_cast<uint32_t>(exponent_of(format, bits));
}

double logb(FloatFormat format, uint64_t bits) {
  if (format.is_nan(bits)) return std::numeric_limits<double>::quiet_NaN();
  if (format.is_inf(bits)) return std::numeric_limits<double>::infinity();
  if (format.is_zero(bits)) return -std::numeric_limits<double>::infinity();
  return exponent_of(format, bits);
}

// a * 2^n, rounded once. Beyond +-2200 every format overflows or underflows, whatever the mantissa is.
uint64_t ldexp(FloatFormat format, uint64_t bits, int32_t n) {
  if (format.is_nan(bits)) return format.nan();
  if (format.is_inf(bits) || format.is_zero(bits)) return bits;
  n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
  return scale_rounded(format, bits, n, Rounding::kNearest);
}

// Operations on the bits alone.
bool evaluate_bits(Op op, TypeKind kind, std::span<const uint64_t> in, Rounding mode, uint64_t& out) {
  const FloatFormat format = format_of(kind);
  const uint64_t a = in[0];
  const uint64_t b = in.size() > 1 ? in[1] : 0;
  const uint64_t c = in.size() > 2 ? in[2] : 0;
  switch (op) {
    case Op::kNeg: out = a ^ format.sign(); return true;
    case Op::kAbs: out = a & ~format.sign(); return true;
    case Op::kCopysign: out = (a & ~format.sign()) | (b & format.sign()); return true;
    case Op::kMin: out = min_max(format, kind, false, a, b); return true;
    case Op::kMax: out = min_max(format, kind, true, a, b); return true;
    case Op::kNextafter: out = next_after(format, kind, a, b); return true;
    case Op::kIsNan: out = format.is_nan(a) ? 1 : 0; return true;
    case Op::kIsInf: out = format.is_inf(a) ? 1 : 0; return true;
    case Op::kSignBit: out = format.is_negative(a) ? 1 : 0; return true;
    case Op::kIlogb: out = ilogb(format, a); return true;
    case Op::kLogb: out = float_to_bits(kind, logb(format, a)); return true;
    case Op::kLdexp: out = ldexp(format, a, static_cast<int32_t>(b)); return true;
    case Op::kAddR: out = add_rounded(format, a, b, mode); return true;
    case Op::kMulR: out = mul_rounded(format, a, b, mode); return true;
    case Op::kDivR: out = div_rounded(format, a, b, mode); return true;
    case Op::kFmaR: out = fma_rounded(format, a, b, c, mode); return true;
    case Op::kSqrtR: out = sqrt_rounded(format, a, mode); return true;
    default: return false;
  }
}

uint64_t fused(TypeKind kind, uint64_t a, uint64_t b, uint64_t c) {
  if (kind == TypeKind::kF64) {
    return float_to_bits(
        kind, std::fma(float_from_bits(kind, a), float_from_bits(kind, b), float_from_bits(kind, c)));
  }
  if (kind == TypeKind::kF32) {
    const auto f = [](uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); };
    return float_to_bits(kind, static_cast<double>(std::fma(f(a), f(b), f(c))));
  }
  return fma_rounded(format_of(kind), a, b, c, Rounding::kNearest);
}

double dim(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a > b ? a - b : 0.0;
}

}  // namespace

bool evaluate_float(Op op, TypeKind kind, std::span<const uint64_t> in, Rounding mode, uint64_t& out) {
  if (evaluate_bits(op, kind, in, mode, out)) return true;
  if (op == Op::kFma) {
    out = fused(kind, in[0], in[1], in[2]);
    return true;
  }
  const double a = float_from_bits(kind, in[0]);
  const double b = in.size() > 1 ? float_from_bits(kind, in[1]) : 0.0;
  double r = 0;
  switch (op) {
    case Op::kAdd: r = a + b; break;
    case Op::kSub: r = a - b; break;
    case Op::kMul: r = a * b; break;
    case Op::kDiv: r = a / b; break;
    case Op::kRem: r = std::fmod(a, b); break;
    case Op::kSqrt: r = std::sqrt(a); break;
    case Op::kFloor: r = std::floor(a); break;
    case Op::kCeil: r = std::ceil(a); break;
    case Op::kTrunc: r = std::trunc(a); break;
    case Op::kRound: r = std::round(a); break;
    case Op::kRint: r = std::rint(a); break;
    case Op::kFdim: r = dim(a, b); break;
    default:
      if (!evaluate_math(op, a, b, r)) return false;
  }
  out = float_to_bits(kind, r);
  return true;
}

}  // namespace quern::ir
