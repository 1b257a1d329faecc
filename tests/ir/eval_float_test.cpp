// Floats: edge cases of every operation, conversions, and the functions that libm does not have.
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ir/eval_case.hpp"

namespace quern::ir {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::array<TypeKind, 4> kEvalFloatFloats = {TypeKind::kF16, TypeKind::kBF16, TypeKind::kF32,
                                                      TypeKind::kF64};

// A double through an operation of any float kind.
double through(Op op, TypeKind kind, std::initializer_list<double> in) {
  std::vector<uint64_t> bits;
  for (const double value : in) bits.push_back(float_to_bits(kind, value));
  return float_from_bits(kind, eval(op, kind, bits));
}

TEST(EvalFloat, NothingIsContracted) {
  // With a fused multiply-add this would be -2^-60, not 0.
  const double a = 1.0 + 0x1p-30;
  const double b = 1.0 - 0x1p-30;
  const double product = eval_f64(Op::kMul, a, b);
  EXPECT_EQ(eval_f64(Op::kSub, product, 1.0), 0.0);
  EXPECT_EQ(std::bit_cast<double>(eval(Op::kFma, TypeKind::kF64, {bits_of(a), bits_of(b), bits_of(-1.0)})),
            -0x1p-60);
  // This file itself must be built with -ffp-contract=off, like the whole project.
  volatile double va = a;
  volatile double vb = b;
  const double x = va;
  const double y = vb;
  EXPECT_EQ(x * y - 1.0, 0.0);
}

TEST(EvalFloat, MinAndMax) {
  for (const TypeKind kind : kEvalFloatFloats) {
    EXPECT_EQ(through(Op::kMin, kind, {1, 2}), 1);
    EXPECT_EQ(through(Op::kMax, kind, {1, 2}), 2);
    EXPECT_EQ(through(Op::kMin, kind, {kNan, 2}), 2);
    EXPECT_EQ(through(Op::kMax, kind, {2, kNan}), 2);
    EXPECT_TRUE(std::isnan(through(Op::kMin, kind, {kNan, kNan})));
    EXPECT_TRUE(std::signbit(through(Op::kMin, kind, {0.0, -0.0})));
    EXPECT_TRUE(std::signbit(through(Op::kMin, kind, {-0.0, 0.0})));
    EXPECT_FALSE(std::signbit(through(Op::kMax, kind, {0.0, -0.0})));
    EXPECT_FALSE(std::signbit(through(Op::kMax, kind, {-0.0, 0.0})));
    EXPECT_EQ(through(Op::kMin, kind, {-kInf, 2}), -kInf);
  }
}

TEST(EvalFloat, SignsAreBits) {
  for (const TypeKind kind : kEvalFloatFloats) {
    const FloatFormat format = format_of(kind);
    EXPECT_EQ(eval(Op::kNeg, kind, {format.nan()}), format.nan() | format.sign());
    EXPECT_EQ(eval(Op::kNeg, kind, {0}), format.sign());
    EXPECT_EQ(eval(Op::kAbs, kind, {format.nan() | format.sign()}), format.nan());
    EXPECT_EQ(eval(Op::kCopysign, kind, {format.infinity(), format.sign()}),
              format.infinity() | format.sign());
    const auto test = [&](Op op, uint64_t bits) { return eval_typed(op, TypeKind::kBool, {kind}, {bits}); };
    EXPECT_EQ(test(Op::kSignBit, format.sign()), 1u);
    EXPECT_EQ(test(Op::kSignBit, 0), 0u);
    EXPECT_EQ(test(Op::kIsNan, format.nan()), 1u);
    EXPECT_EQ(test(Op::kIsNan, format.infinity()), 0u);
    EXPECT_EQ(test(Op::kIsInf, format.infinity() | format.sign()), 1u);
    EXPECT_EQ(test(Op::kIsInf, format.largest()), 0u);
  }
}

TEST(EvalFloat, NanResultsAreAlwaysTheSameBits) {
  for (const TypeKind kind : kEvalFloatFloats) {
    const FloatFormat format = format_of(kind);
    const uint64_t inf = format.infinity();
    EXPECT_EQ(eval(Op::kSub, kind, {inf, inf}), format.nan());
    EXPECT_EQ(eval(Op::kDiv, kind, {0, 0}), format.nan());
    EXPECT_EQ(eval(Op::kSqrt, kind, {format.sign() | inf}), format.nan());
    EXPECT_EQ(eval(Op::kAdd, kind, {format.nan() | format.sign() | 1, 0}), format.nan());
    EXPECT_EQ(eval(Op::kRem, kind, {inf, inf}), format.nan());
    EXPECT_EQ(eval(Op::kLog, kind, {format.sign() | inf}), format.nan());
  }
}

TEST(EvalFloat, ComparesAreOrderedExceptNe) {
  for (const TypeKind kind : kEvalFloatFloats) {
    const auto test = [&](Op op, double a, double b) {
      return eval_typed(op, TypeKind::kBool, {kind, kind},
                        {float_to_bits(kind, a), float_to_bits(kind, b)}) != 0;
    };
    for (const Op op : {Op::kEq, Op::kLt, Op::kLe, Op::kGt, Op::kGe})
      EXPECT_FALSE(test(op, kNan, 1)) << info(op).name;
    EXPECT_FALSE(test(Op::kEq, kNan, kNan));
    EXPECT_TRUE(test(Op::kNe, kNan, kNan));
    EXPECT_TRUE(test(Op::kEq, 0.0, -0.0));
    EXPECT_FALSE(test(Op::kLt, -0.0, 0.0));
    EXPECT_TRUE(test(Op::kLt, -1, 1));
    EXPECT_TRUE(test(Op::kGe, kInf, 1));
  }
}

TEST(EvalFloat, RoundsToWholeNumbers) {
  struct Row {
    double value, floor, ceil, trunc, round, rint;
  };
  for (const TypeKind kind : kEvalFloatFloats) {
    for (const Row& row : {Row{0.5, 0, 1, 0, 1, 0}, Row{1.5, 1, 2, 1, 2, 2}, Row{2.5, 2, 3, 2, 3, 2},
                           Row{-0.5, -1, -0.0, -0.0, -1, -0.0}, Row{-2.5, -3, -2, -2, -3, -2},
                           Row{7, 7, 7, 7, 7, 7}, Row{kInf, kInf, kInf, kInf, kInf, kInf}}) {
      EXPECT_EQ(through(Op::kFloor, kind, {row.value}), row.floor);
      EXPECT_EQ(through(Op::kCeil, kind, {row.value}), row.ceil);
      EXPECT_EQ(through(Op::kTrunc, kind, {row.value}), row.trunc);
      EXPECT_EQ(through(Op::kRound, kind, {row.value}), row.round);
      EXPECT_EQ(through(Op::kRint, kind, {row.value}), row.rint);
    }
    EXPECT_TRUE(std::signbit(through(Op::kCeil, kind, {-0.5})));
  }
  EXPECT_EQ(eval_f32(Op::kRound, 0.49999997f), 0.0f);
}

TEST(EvalFloat, RemainderNextafterFdim) {
  EXPECT_EQ(eval_f32(Op::kRem, 5.5f, -2.0f), 1.5f);
  EXPECT_EQ(eval_f32(Op::kRem, -5.5f, 2.0f), -1.5f);
  EXPECT_TRUE(std::signbit(eval_f32(Op::kRem, -4.0f, 2.0f)));
  EXPECT_TRUE(std::isnan(eval_f32(Op::kRem, 1.0f, 0.0f)));
  EXPECT_EQ(eval_f32(Op::kRem, 3.0f, kInf), 3.0f);
  EXPECT_EQ(eval_f32(Op::kRemainder, 5.5f, 2.0f), -0.5f);
  EXPECT_EQ(eval_f32(Op::kNextafter, 1.0f, 2.0f), std::nextafterf(1.0f, 2.0f));
  EXPECT_EQ(eval_f32(Op::kNextafter, 0.0f, -1.0f), -0x1p-149f);
  EXPECT_EQ(eval_f32(Op::kNextafter, -0x1p-149f, 1.0f), -0.0f);
  EXPECT_EQ(eval_f32(Op::kNextafter, kInf, 0.0f), std::numeric_limits<float>::max());
  EXPECT_EQ(eval_f64(Op::kNextafter, -1.0, -2.0), std::nextafter(-1.0, -2.0));
  EXPECT_EQ(eval(Op::kNextafter, TypeKind::kF16, {0x3c00, 0x4000}), 0x3c01u);
  EXPECT_TRUE(std::isnan(eval_f32(Op::kNextafter, kNan, 0.0f)));
  EXPECT_EQ(eval_f32(Op::kFdim, 3.0f, 1.0f), 2.0f);
  EXPECT_EQ(eval_f32(Op::kFdim, 1.0f, 3.0f), 0.0f);
  EXPECT_TRUE(std::isnan(eval_f32(Op::kFdim, kNan, 3.0f)));
}

TEST(EvalFloat, Exponents) {
  for (const TypeKind kind : kEvalFloatFloats) {
    const FloatFormat format = format_of(kind);
    const auto ilogb = [&](uint64_t bits) {
      return static_cast<int32_t>(eval_typed(Op::kIlogb, TypeKind::kI32, {kind}, {bits}));
    };
    EXPECT_EQ(ilogb(float_to_bits(kind, 1)), 0);
    EXPECT_EQ(ilogb(float_to_bits(kind, -0.75)), -1);
    EXPECT_EQ(ilogb(1), format.lowest());
    EXPECT_EQ(ilogb(0), INT32_MIN);
    EXPECT_EQ(ilogb(format.nan()), INT32_MIN);
    EXPECT_EQ(ilogb(format.infinity()), INT32_MAX);
    EXPECT_EQ(through(Op::kLogb, kind, {12}), 3);
    EXPECT_EQ(through(Op::kLogb, kind, {0}), -kInf);
    EXPECT_EQ(through(Op::kLogb, kind, {-kInf}), kInf);
    const auto ldexp = [&](uint64_t bits, int32_t n) {
      return eval_typed(Op::kLdexp, kind, {kind, TypeKind::kI32}, {bits, static_cast<uint32_t>(n)});
    };
    const uint64_t one = float_to_bits(kind, 1);
    EXPECT_EQ(ldexp(one, 3), float_to_bits(kind, 8));
    EXPECT_EQ(ldexp(one, format.lowest()), 1u);
    EXPECT_EQ(ldexp(one, format.lowest() - 1), 0u);  // half of the smallest: to even
    EXPECT_EQ(ldexp(float_to_bits(kind, 1.5), format.lowest() - 1), 1u);
    EXPECT_EQ(ldexp(1, -format.lowest()), one);
    EXPECT_EQ(ldexp(one, INT32_MAX), format.infinity());
    EXPECT_EQ(ldexp(one | format.sign(), INT32_MIN), format.sign());
  }
}

TEST(EvalFloat, ToIntegersSaturates) {
  const auto convert = [](TypeKind to, double value) {
    return eval_typed(Op::kConvert, to, {TypeKind::kF64}, {bits_of(value)});
  };
  struct Row {
    TypeKind kind;
    double low, high;
    uint64_t low_bits, high_bits;
  };
  for (const Row& row :
       {Row{TypeKind::kI8, -128, 127, 0x80, 0x7f}, Row{TypeKind::kU8, 0, 255, 0, 0xff},
        Row{TypeKind::kI16, -32768, 32767, 0x8000, 0x7fff}, Row{TypeKind::kU16, 0, 65535, 0, 0xffff},
        Row{TypeKind::kI32, -0x1p31, 0x1p31 - 1, 0x80000000, 0x7fffffff},
        Row{TypeKind::kU32, 0, 0x1p32 - 1, 0, 0xffffffff},
        Row{TypeKind::kI64, -0x1p63, 0x1p63, uint64_t{1} << 63, ~uint64_t{0} >> 1},
        Row{TypeKind::kU64, 0, 0x1p64, 0, ~uint64_t{0}}}) {
    EXPECT_EQ(convert(row.kind, row.low), row.low_bits);
    EXPECT_EQ(convert(row.kind, row.high), row.high_bits);
    EXPECT_EQ(convert(row.kind, row.low - 1000), row.low_bits);
    EXPECT_EQ(convert(row.kind, row.high + 1000), row.high_bits);
    EXPECT_EQ(convert(row.kind, -1e300), row.low_bits);
    EXPECT_EQ(convert(row.kind, 1e300), row.high_bits);
    EXPECT_EQ(convert(row.kind, double{-kInf}), row.low_bits);
    EXPECT_EQ(convert(row.kind, double{kInf}), row.high_bits);
    EXPECT_EQ(convert(row.kind, double{kNan}), 0u);
    EXPECT_EQ(convert(row.kind, 2.99), 2u);
    EXPECT_EQ(convert(row.kind, -0.99), 0u);
  }
  EXPECT_EQ(convert(TypeKind::kI32, -2.99), static_cast<uint32_t>(-2));
  EXPECT_EQ(convert(TypeKind::kI64, 0x1p53 + 2), (uint64_t{1} << 53) + 2);
  EXPECT_EQ(convert(TypeKind::kBool, 0.0), 0u);
  EXPECT_EQ(convert(TypeKind::kBool, -0.0), 0u);
  EXPECT_EQ(convert(TypeKind::kBool, 1e-320), 1u);
  EXPECT_EQ(convert(TypeKind::kBool, double{kNan}), 1u);
}

TEST(EvalFloat, BetweenFloats) {
  const auto convert = [](TypeKind to, TypeKind from, uint64_t bits) {
    return eval_typed(Op::kConvert, to, {from}, {bits});
  };
  EXPECT_EQ(convert(TypeKind::kF32, TypeKind::kF64, bits_of(0.1)), bits_of(0.1f));
  EXPECT_EQ(convert(TypeKind::kF64, TypeKind::kF32, bits_of(0.1f)), bits_of(double{0.1f}));
  EXPECT_EQ(convert(TypeKind::kF64, TypeKind::kF32, 1), bits_of(0x1p-149));
  EXPECT_EQ(convert(TypeKind::kF32, TypeKind::kF64, bits_of(1e300)), bits_of(kInf));
  EXPECT_EQ(convert(TypeKind::kF32, TypeKind::kF64, bits_of(1e-300)), 0u);
  EXPECT_EQ(convert(TypeKind::kF16, TypeKind::kF32, bits_of(1.0f + 0x1p-11f)), 0x3c00u);
  EXPECT_EQ(convert(TypeKind::kF16, TypeKind::kF32, bits_of(1.0f + 0x1p-11f + 0x1p-23f)), 0x3c01u);
  EXPECT_EQ(convert(TypeKind::kF16, TypeKind::kF64, bits_of(1.0 + 0x1p-11 + 0x1p-50)), 0x3c01u);
  EXPECT_EQ(convert(TypeKind::kBF16, TypeKind::kF16, 0x3c01), 0x3f80u);
  EXPECT_EQ(convert(TypeKind::kF16, TypeKind::kBF16, 0x7f7f), 0x7c00u);
  EXPECT_EQ(convert(TypeKind::kF16, TypeKind::kF32, bits_of(kNan) | 0x80000001), 0x7e00u);
  EXPECT_EQ(eval_typed(Op::kBitcast, TypeKind::kF32, {TypeKind::kI32}, {0xffc01234}), 0xffc01234u);
}

int64_t ulps(double a, double b) {
  const auto ordered = [](double x) {
    const auto bits = std::bit_cast<int64_t>(x);
    return bits < 0 ? INT64_MIN - bits : bits;
  };
  return std::abs(ordered(a) - ordered(b));
}

TEST(EvalMath, SinpiAndCospiAreExactAtHalves) {
  for (int i = -20; i <= 20; ++i) {
    const double x = i * 0.5;
    const int quadrant = ((i % 4) + 4) % 4;
    const double sine = quadrant == 1 ? 1 : quadrant == 3 ? -1 : 0;
    const double cosine = quadrant == 0 ? 1 : quadrant == 2 ? -1 : 0;
    EXPECT_EQ(eval_f64(Op::kSinpi, x), sine) << x;
    EXPECT_EQ(eval_f64(Op::kCospi, x), cosine) << x;
    EXPECT_EQ(eval_f32(Op::kSinpi, static_cast<float>(x)), static_cast<float>(sine));
  }
  EXPECT_TRUE(std::signbit(eval_f64(Op::kSinpi, -3.0)));
  EXPECT_FALSE(std::signbit(eval_f64(Op::kSinpi, 3.0)));
  EXPECT_EQ(eval_f64(Op::kCospi, 1e300), 1.0);
  EXPECT_TRUE(std::isnan(eval_f64(Op::kSinpi, double{kInf})));
  for (double x = -3; x < 3; x += 0.0371) {
    EXPECT_NEAR(eval_f64(Op::kSinpi, x), std::sin(x * M_PI), 1e-14);
    EXPECT_NEAR(eval_f64(Op::kCospi, x), std::cos(x * M_PI), 1e-14);
  }
}

TEST(EvalMath, InversesUndoTheirFunctions) {
  for (double x = -5; x <= 5; x += 0.0173) {
    const double y = std::erf(x);
    if (std::fabs(y) < 0.999) {
      EXPECT_NEAR(eval_f64(Op::kErfinv, y), x, 1e-13 * std::max(1.0, std::fabs(x))) << x;
    }
    const double z = std::erfc(x);
    if (z < 1.999) {
      EXPECT_NEAR(eval_f64(Op::kErfcinv, z), x, 1e-13 * std::max(1.0, std::fabs(x))) << x;
    }
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    if (p < 0.999) {
      EXPECT_NEAR(eval_f64(Op::kNormcdfinv, p), x, 1e-12) << x;
    }
    if (x > -1) {
      EXPECT_LE(ulps(eval_f64(Op::kNormcdf, x), p), 4) << x;
    }
  }
  for (double x = 5; x < 26; x += 0.5) EXPECT_NEAR(eval_f64(Op::kErfcinv, std::erfc(x)), x, 1e-13 * x) << x;
  EXPECT_EQ(eval_f64(Op::kErfinv, 1.0), double{kInf});
  EXPECT_EQ(eval_f64(Op::kErfinv, -1.0), double{-kInf});
  EXPECT_TRUE(std::isnan(eval_f64(Op::kErfinv, 1.5)));
  EXPECT_EQ(eval_f64(Op::kErfinv, 0.0), 0.0);
  EXPECT_TRUE(std::signbit(eval_f64(Op::kErfinv, -0.0)));
  EXPECT_EQ(eval_f64(Op::kErfcinv, 0.0), double{kInf});
  EXPECT_EQ(eval_f64(Op::kErfcinv, 2.0), double{-kInf});
  EXPECT_EQ(eval_f64(Op::kErfcinv, 1.0), 0.0);
  EXPECT_EQ(eval_f64(Op::kNormcdfinv, 0.5), 0.0);
  EXPECT_EQ(eval_f64(Op::kNormcdfinv, 0.0), double{-kInf});
  EXPECT_EQ(eval_f64(Op::kNormcdfinv, 1.0), double{kInf});
  // Known values.
  EXPECT_LE(ulps(eval_f64(Op::kErfinv, 0.5), 0.47693627620446987338), 2);
  EXPECT_LE(ulps(eval_f64(Op::kErfcinv, 1e-10), 4.5728249673894852787), 2);
  EXPECT_LE(ulps(eval_f64(Op::kErfcinv, 1e-300), 26.209469960516124), 4);
  EXPECT_LE(ulps(eval_f64(Op::kNormcdfinv, 0.975), 1.9599639845400542355), 4);
}

TEST(EvalMath, Erfcx) {
  EXPECT_LE(ulps(eval_f64(Op::kErfcx, 0.0), 1.0), 0);
  EXPECT_LE(ulps(eval_f64(Op::kErfcx, 1.0), 0.42758357615580700442), 4);
  EXPECT_LE(ulps(eval_f64(Op::kErfcx, 5.0), 0.11070463773306862637), 16);
  EXPECT_LE(ulps(eval_f64(Op::kErfcx, 20.0), 0.02817434874105132), 8);
  EXPECT_LE(ulps(eval_f64(Op::kErfcx, 1e10), 5.6418958354775628695e-11), 2);
  EXPECT_EQ(eval_f64(Op::kErfcx, double{kInf}), 0.0);
  EXPECT_EQ(eval_f64(Op::kErfcx, double{-kInf}), double{kInf});
  EXPECT_NEAR(eval_f64(Op::kErfcx, 9.999999), eval_f64(Op::kErfcx, 10.000001), 2e-8);
}

TEST(EvalMath, TheRestIsCloseToLibm) {
  EXPECT_EQ(eval_f64(Op::kRsqrt, 4.0), 0.5);
  EXPECT_EQ(eval_f64(Op::kRcbrt, 8.0), 0.5);
  EXPECT_EQ(eval_f64(Op::kRcbrt, -0.0), double{-kInf});
  EXPECT_EQ(eval_f64(Op::kRhypot, 3.0, 4.0), 0.2);
  EXPECT_EQ(eval_f64(Op::kExp10, 3.0), 1000.0);
  EXPECT_EQ(eval_f64(Op::kExp2, -3.0), 0.125);
  EXPECT_EQ(eval_f64(Op::kLgamma, 3.0), std::log(2.0));
  EXPECT_EQ(eval_f64(Op::kTgamma, 5.0), 24.0);
  EXPECT_EQ(eval_f64(Op::kPow, -2.0, 3.0), -8.0);
  EXPECT_EQ(eval_f64(Op::kHypot, double{kInf}, double{kNan}), double{kInf});
  EXPECT_EQ(eval_f32(Op::kExp, 100.0f), kInf);
  EXPECT_EQ(eval_f32(Op::kSin, 1.0f), static_cast<float>(std::sin(1.0)));
  EXPECT_EQ(eval_f64(Op::kJ0, 0.0), 1.0);
  EXPECT_EQ(eval_f64(Op::kY0, 0.0), double{-kInf});
  EXPECT_EQ(eval_f64(Op::kAtan2, 1.0, 1.0), std::atan2(1.0, 1.0));
}

TEST(EvalMath, HalvesAreRoundedOnce) {
  for (uint64_t bits = 0; bits < 0x7c00; bits += 7) {
    const double x = f16_to_f64(static_cast<uint16_t>(bits));
    ASSERT_EQ(eval(Op::kExp, TypeKind::kF16, {bits}), f64_to_f16(std::exp(x)));
    ASSERT_EQ(eval(Op::kLog, TypeKind::kF16, {bits}), f64_to_f16(std::log(x)));
  }
}

}  // namespace
}  // namespace quern::ir
