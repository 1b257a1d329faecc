// Rounding in the four modes: f32 and f64 compared with the host's arithmetic under fesetround, the halves
// compared with a search through all their values.
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>

#include <gtest/gtest.h>

#include "ir/eval_case.hpp"
#include "lang/ir/soft_float.hpp"

namespace quern::ir {
namespace {

constexpr std::array<Rounding, 4> kModes = {Rounding::kNearest, Rounding::kZero, Rounding::kUp,
                                            Rounding::kDown};

class HostMode {
 public:
  explicit HostMode(Rounding mode) {
    constexpr std::array<int, 4> kHost = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    std::fesetround(kHost[static_cast<size_t>(mode)]);
  }
  ~HostMode() { std::fesetround(FE_TONEAREST); }
  HostMode(const HostMode&) = delete;
  HostMode& operator=(const HostMode&) = delete;
};

// The host's result; volatile keeps the operation between the changes of mode.
template <typename Float>
Float host(Op op, Rounding mode, Float a, Float b, Float c) {
  volatile Float x = a;
  volatile Float y = b;
  volatile Float z = c;
  volatile Float r = 0;
  const HostMode set(mode);
  switch (op) {
    case Op::kAddR: r = x + y; break;
    case Op::kMulR: r = x * y; break;
    case Op::kDivR: r = x / y; break;
    case Op::kSqrtR: r = std::sqrt(x); break;
    default: r = std::fma(x, y, z); break;
  }
  return r;
}

template <typename Float, typename Bits>
void compare_with_host(TypeKind kind) {
  const FloatFormat format = format_of(kind);
  BitSource source(static_cast<uint64_t>(kind) + 100);
  for (const Op op : {Op::kAddR, Op::kMulR, Op::kDivR, Op::kSqrtR, Op::kFmaR}) {
    for (int i = 0; i < 4000; ++i) {
      std::array<uint64_t, 3> in{};
      for (uint64_t& bits : in) bits = i % 2 == 0 ? source.near(format) : source.bits(sizeof(Float) * 8);
      if (op == Op::kFmaR && i % 4 == 0) {
        // c close to -a*b: everything cancels but the last bits.
        const Float product =
            std::bit_cast<Float>(static_cast<Bits>(in[0])) * std::bit_cast<Float>(static_cast<Bits>(in[1]));
        in[2] = std::bit_cast<Bits>(-product);
      }
      const Float a = std::bit_cast<Float>(static_cast<Bits>(in[0]));
      const Float b = std::bit_cast<Float>(static_cast<Bits>(in[1]));
      const Float c = std::bit_cast<Float>(static_cast<Bits>(in[2]));
      const auto arity = static_cast<size_t>(info(op).arity);
      for (const Rounding mode : kModes) {
        const Float want = host(op, mode, a, b, c);
        const uint64_t got = eval(op, kind, {in.begin(), in.begin() + static_cast<ptrdiff_t>(arity)}, mode);
        const uint64_t wanted = std::isnan(want) ? format.nan() : uint64_t{std::bit_cast<Bits>(want)};
        ASSERT_EQ(got, wanted) << info(op).name << " " << name(mode) << " " << a << " " << b << " " << c;
      }
    }
  }
}

TEST(Rounding, FloatLikeTheHost) { compare_with_host<float, uint32_t>(TypeKind::kF32); }
TEST(Rounding, DoubleLikeTheHost) { compare_with_host<double, uint64_t>(TypeKind::kF64); }

// All finite values of a 16-bit format in order, with their bits.
struct Grid {
  std::vector<std::pair<double, uint16_t>> values;
  FloatFormat format;

  explicit Grid(TypeKind kind) : format(format_of(kind)) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      if (format.is_nan(bits) || format.is_inf(bits) || bits == format.sign()) continue;
      values.emplace_back(float_from_bits(kind, bits), static_cast<uint16_t>(bits));
    }
    std::sort(values.begin(), values.end());
  }

  // The exact number `value`, rounded by comparing its neighbors.
  uint64_t rounded(double value, Rounding mode) const {
    if (std::isnan(value)) return format.nan();
    const uint64_t sign = std::signbit(value) ? format.sign() : 0;
    if (std::isinf(value)) return sign | format.infinity();
    if (value == 0) return sign;
    const auto above = std::lower_bound(values.begin(), values.end(), std::make_pair(value, uint16_t{0}));
    if (above != values.end() && above->first == value) return with_sign(above->second, sign);
    const double step =
        values.back().first - (values.end() - 2)->first;  // beyond the largest, as if the range continued
    const double up = above == values.end() ? values.back().first + step : above->first;
    const double down = above == values.begin() ? values.front().first - step : (above - 1)->first;
    bool take_up = mode == Rounding::kUp || (mode == Rounding::kZero && value < 0);
    if (mode == Rounding::kNearest) {
      if (value - down == up - value) {
        const uint64_t lower = above == values.begin() ? 0 : (above - 1)->second;
        take_up = above == values.begin() ? false : (lower & 1) != 0;
      } else {
        take_up = up - value < value - down;
      }
    }
    if (take_up && above == values.end()) return format.infinity();
    if (!take_up && above == values.begin()) return format.sign() | format.infinity();
    return with_sign(take_up ? above->second : (above - 1)->second, sign);
  }

 private:
  uint64_t with_sign(uint16_t bits, uint64_t sign) const { return bits == 0 ? sign : bits; }
};

const Grid& grid(TypeKind kind) {
  static const Grid f16(TypeKind::kF16);
  static const Grid bf16(TypeKind::kBF16);
  return kind == TypeKind::kF16 ? f16 : bf16;
}

constexpr std::array<TypeKind, 2> kHalves = {TypeKind::kF16, TypeKind::kBF16};

TEST(Rounding, NarrowingFromDoubleByNeighbours) {
  for (const TypeKind kind : kHalves) {
    BitSource source(5);
    for (int i = 0; i < 40000; ++i) {
      double value = std::bit_cast<double>(source.near(kF64Format));
      if (i % 3 == 0) value = std::ldexp(value, static_cast<int>(source.raw() % 80) - 50);
      if (i % 5 == 0) value = float_from_bits(kind, source.raw() & 0x7fff) * 1.5;
      if (i % 7 == 0) value = std::bit_cast<double>(source.raw());
      for (const Rounding mode : kModes) {
        const uint64_t want = grid(kind).rounded(value, mode);
        ASSERT_EQ(narrow(format_of(kind), bits_of(value), mode), want) << value << " " << name(mode);
        ASSERT_EQ(convert_rounded(format_of(kind), kF64Format, bits_of(value), mode), want)
            << value << " " << name(mode);
      }
    }
  }
}

TEST(Rounding, MidpointsOfEveryHalfGoToEven) {
  for (const TypeKind kind : kHalves) {
    const auto& values = grid(kind).values;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      const double middle = values[i].first / 2 + values[i + 1].first / 2;
      const uint64_t got = narrow(format_of(kind), bits_of(middle));
      ASSERT_EQ(got & 1, 0u) << middle;
      // A double next to the midpoint must not be rounded to it: rounding through float would do that.
      const double below = std::nextafter(middle, -INFINITY);
      const double above = std::nextafter(middle, INFINITY);
      ASSERT_EQ(narrow(format_of(kind), bits_of(below)), grid(kind).rounded(below, Rounding::kNearest))
          << below;
      ASSERT_EQ(narrow(format_of(kind), bits_of(above)), grid(kind).rounded(above, Rounding::kNearest))
          << above;
    }
  }
}

TEST(Rounding, EveryHalfWidensAndRoundTrips) {
  for (const TypeKind kind : kHalves) {
    const FloatFormat format = format_of(kind);
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = float_from_bits(kind, bits);
      if (format.is_nan(bits)) {
        ASSERT_TRUE(std::isnan(value));
        continue;
      }
      ASSERT_EQ(float_to_bits(kind, value), bits);
      ASSERT_EQ(std::signbit(value), format.is_negative(bits));
    }
  }
  EXPECT_EQ(f16_to_f32(0x3c00), 1.0f);
  EXPECT_EQ(f16_to_f32(0x0001), 0x1p-24f);
  EXPECT_EQ(f16_to_f64(0x7bff), 65504.0);
  EXPECT_EQ(bf16_to_f32(0x3f80), 1.0f);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(f32_to_bf16(1.00390625f), 0x3f80);
  EXPECT_EQ(f64_to_f16(1e300, Rounding::kZero), 0x7bff);
  EXPECT_EQ(f64_to_f32(1e300, Rounding::kDown), 3.40282347e38f);
}

TEST(Rounding, HalfArithmeticByNeighbours) {
  for (const TypeKind kind : kHalves) {
    const FloatFormat format = format_of(kind);
    BitSource source(11);
    for (int i = 0; i < 20000; ++i) {
      const uint64_t a = i % 2 == 0 ? source.near(format) : source.bits(16);
      const uint64_t b = i % 2 == 0 ? source.near(format) : source.bits(16);
      const double x = float_from_bits(kind, a);
      const double y = float_from_bits(kind, b);
      for (const Rounding mode : kModes) {
        // Products of halves are exact in double; sums too if the exponents are close.
        ASSERT_EQ(eval(Op::kMulR, kind, {a, b}, mode), grid(kind).rounded(x * y, mode)) << x << " * " << y;
        const double sum = x + y;
        const bool exact = std::isfinite(sum) && sum - x == y && sum - y == x && sum != 0;
        if (exact) {
          ASSERT_EQ(eval(Op::kAddR, kind, {a, b}, mode), grid(kind).rounded(sum, mode)) << x << " + " << y;
        }
      }
      ASSERT_EQ(eval(Op::kAdd, kind, {a, b}), eval(Op::kAddR, kind, {a, b}));
      ASSERT_EQ(eval(Op::kMul, kind, {a, b}), eval(Op::kMulR, kind, {a, b}));
      ASSERT_EQ(eval(Op::kDiv, kind, {a, b}), eval(Op::kDivR, kind, {a, b}));
      ASSERT_EQ(eval(Op::kSqrt, kind, {a}), eval(Op::kSqrtR, kind, {a}));
      ASSERT_EQ(eval(Op::kFma, kind, {a, b, a}), eval(Op::kFmaR, kind, {a, b, a}));
    }
  }
}

TEST(Rounding, NearestOperationsAgreeWithTheModeForm) {
  for (const TypeKind kind : {TypeKind::kF32, TypeKind::kF64}) {
    const FloatFormat format = format_of(kind);
    BitSource source(12);
    for (int i = 0; i < 20000; ++i) {
      const uint32_t width = kind == TypeKind::kF32 ? 32 : 64;
      const uint64_t a = i % 2 == 0 ? source.near(format) : source.bits(width);
      const uint64_t b = i % 2 == 0 ? source.near(format) : source.bits(width);
      ASSERT_EQ(eval(Op::kAdd, kind, {a, b}), eval(Op::kAddR, kind, {a, b}));
      ASSERT_EQ(eval(Op::kSub, kind, {a, b}),
                eval(Op::kAddR, kind, {a, format.is_nan(b) ? b : b ^ format.sign()}));
      ASSERT_EQ(eval(Op::kMul, kind, {a, b}), eval(Op::kMulR, kind, {a, b}));
      ASSERT_EQ(eval(Op::kDiv, kind, {a, b}), eval(Op::kDivR, kind, {a, b}));
      ASSERT_EQ(eval(Op::kSqrt, kind, {a}), eval(Op::kSqrtR, kind, {a}));
      ASSERT_EQ(eval(Op::kFma, kind, {a, b, a}), eval(Op::kFmaR, kind, {a, b, a}));
    }
  }
}

TEST(Rounding, ZerosAndInfinities) {
  const uint64_t zero = bits_of(0.0f);
  const uint64_t minus_zero = bits_of(-0.0f);
  const uint64_t one = bits_of(1.0f);
  const uint64_t minus_one = bits_of(-1.0f);
  const uint64_t inf = bits_of(INFINITY);
  for (const Rounding mode : kModes) {
    const uint64_t unlike = mode == Rounding::kDown ? minus_zero : zero;
    EXPECT_EQ(eval(Op::kAddR, TypeKind::kF32, {one, minus_one}, mode), unlike);
    EXPECT_EQ(eval(Op::kAddR, TypeKind::kF32, {zero, minus_zero}, mode), unlike);
    EXPECT_EQ(eval(Op::kAddR, TypeKind::kF32, {minus_zero, minus_zero}, mode), minus_zero);
    EXPECT_EQ(eval(Op::kSqrtR, TypeKind::kF32, {minus_zero}, mode), minus_zero);
    EXPECT_EQ(eval(Op::kDivR, TypeKind::kF32, {minus_one, zero}, mode), bits_of(-INFINITY));
    EXPECT_EQ(eval(Op::kDivR, TypeKind::kF32, {zero, zero}, mode), kF32Format.nan());
    EXPECT_EQ(eval(Op::kMulR, TypeKind::kF32, {inf, zero}, mode), kF32Format.nan());
    EXPECT_EQ(eval(Op::kFmaR, TypeKind::kF32, {inf, one, bits_of(-INFINITY)}, mode), kF32Format.nan());
  }
}

TEST(Rounding, ConvertsIntegersInEveryMode) {
  for (const TypeKind from : {TypeKind::kI64, TypeKind::kU64, TypeKind::kI32, TypeKind::kU32}) {
    const Type* type = test_types().get(from);
    BitSource source(13);
    for (int i = 0; i < 4000; ++i) {
      const uint64_t bits = source.bits(type->bits());
      for (const Rounding mode : kModes) {
        volatile float want32 = 0;
        volatile double want64 = 0;
        {
          const HostMode set(mode);
          if (from == TypeKind::kI64) {
            volatile int64_t v = static_cast<int64_t>(bits);
            want32 = static_cast<float>(v);
            want64 = static_cast<double>(v);
          } else if (from == TypeKind::kI32) {
            volatile int32_t v = static_cast<int32_t>(bits);
            want32 = static_cast<float>(v);
            want64 = static_cast<double>(v);
          } else {
            volatile uint64_t v = bits;
            want32 = static_cast<float>(v);
            want64 = static_cast<double>(v);
          }
        }
        ASSERT_EQ(eval_typed(Op::kConvertR, TypeKind::kF32, {from}, {bits}, mode), bits_of(float{want32}))
            << bits;
        ASSERT_EQ(eval_typed(Op::kConvertR, TypeKind::kF64, {from}, {bits}, mode), bits_of(double{want64}))
            << bits;
      }
    }
  }
}

TEST(Rounding, ConvertsIntegersToHalvesOnce) {
  // 2^60 + 2^52 is the midpoint of two bfloat16; one more must round up, even if double would lose the one.
  const uint64_t middle = (uint64_t{1} << 60) + (uint64_t{1} << 52);
  EXPECT_EQ(eval_typed(Op::kConvert, TypeKind::kBF16, {TypeKind::kI64}, {middle}), 0x5d80u);
  EXPECT_EQ(eval_typed(Op::kConvert, TypeKind::kBF16, {TypeKind::kI64}, {middle + 1}), 0x5d81u);
  EXPECT_EQ(eval_typed(Op::kConvert, TypeKind::kF16, {TypeKind::kI32}, {65519}), 0x7bffu);
  EXPECT_EQ(eval_typed(Op::kConvert, TypeKind::kF16, {TypeKind::kI32}, {65520}), 0x7c00u);
  EXPECT_EQ(eval_typed(Op::kConvert, TypeKind::kF16, {TypeKind::kI32}, {static_cast<uint32_t>(-3)}), 0xc200u);
}

TEST(Rounding, FloatToIntegerInEveryMode) {
  const auto to_int = [](double value, Rounding mode) {
    return static_cast<int32_t>(
        eval_typed(Op::kConvertR, TypeKind::kI32, {TypeKind::kF64}, {bits_of(value)}, mode));
  };
  struct Row {
    double value;
    int32_t nearest, zero, up, down;
  };
  for (const Row& row :
       {Row{0.5, 0, 0, 1, 0}, Row{1.5, 2, 1, 2, 1}, Row{2.5, 2, 2, 3, 2}, Row{-0.5, 0, 0, 0, -1},
        Row{-1.5, -2, -1, -1, -2}, Row{1e-300, 0, 0, 1, 0}, Row{-1e-300, 0, 0, 0, -1},
        Row{2147483646.5, 2147483646, 2147483646, 2147483647, 2147483646},
        Row{2147483647.5, 2147483647, 2147483647, 2147483647, 2147483647},
        Row{-2147483648.5, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN},
        Row{1e20, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, Row{NAN, 0, 0, 0, 0},
        Row{-INFINITY, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN}}) {
    EXPECT_EQ(to_int(row.value, Rounding::kNearest), row.nearest) << row.value;
    EXPECT_EQ(to_int(row.value, Rounding::kZero), row.zero) << row.value;
    EXPECT_EQ(to_int(row.value, Rounding::kUp), row.up) << row.value;
    EXPECT_EQ(to_int(row.value, Rounding::kDown), row.down) << row.value;
  }
}

}  // namespace
}  // namespace quern::ir
