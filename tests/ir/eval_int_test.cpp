// Integers: every width compared with 128-bit arithmetic, and edge cases by hand.
#include <array>

#include <gtest/gtest.h>

#include "ir/eval_case.hpp"

namespace quern::ir {
namespace {

__extension__ using Big = __int128;

constexpr std::array<TypeKind, 8> kEvalIntInts = {TypeKind::kI8,  TypeKind::kU8,  TypeKind::kI16,
                                                  TypeKind::kU16, TypeKind::kI32, TypeKind::kU32,
                                                  TypeKind::kI64, TypeKind::kU64};

struct Int {
  const Type* type;
  explicit Int(TypeKind kind) : type(test_types().get(kind)) {}
  uint32_t width() const { return type->bits(); }
  Big value(uint64_t bits) const {
    const Big raw = bits;
    const bool negative = type->is_signed() && (bits >> (width() - 1)) != 0;
    return negative ? raw - (Big{1} << width()) : raw;
  }
  uint64_t cut(Big number) const {
    return static_cast<uint64_t>(number) & (width() >= 64 ? ~uint64_t{0} : (uint64_t{1} << width()) - 1);
  }
};

Big reference(Op op, const Int& t, Big a, Big b) {
  switch (op) {
    case Op::kAdd: return a + b;
    case Op::kSub: return a - b;
    case Op::kMul:
      return static_cast<Big>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
    case Op::kDiv: return b == 0 ? 0 : a / b;
    case Op::kRem: return b == 0 ? a : a % b;
    case Op::kMin: return a < b ? a : b;
    case Op::kMax: return a < b ? b : a;
    case Op::kAnd: return a & b;
    case Op::kOr: return a | b;
    default: return t.type->is_void() ? 0 : a ^ b;
  }
}

TEST(EvalInt, BinaryOperationsAtEveryWidth) {
  for (const TypeKind kind : kEvalIntInts) {
    const Int t(kind);
    BitSource source(static_cast<uint64_t>(kind));
    for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kMin, Op::kMax, Op::kAnd,
                        Op::kOr, Op::kXor}) {
      for (int i = 0; i < 2000; ++i) {
        const uint64_t a = source.bits(t.width());
        const uint64_t b = source.bits(t.width());
        ASSERT_EQ(eval(op, kind, {a, b}), t.cut(reference(op, t, t.value(a), t.value(b))))
            << info(op).name << " " << name(kind) << " " << a << " " << b;
      }
    }
  }
}

TEST(EvalInt, EveryPairOfBytes) {
  for (const TypeKind kind : {TypeKind::kI8, TypeKind::kU8}) {
    const Int t(kind);
    for (uint64_t a = 0; a < 256; ++a) {
      for (uint64_t b = 0; b < 256; b += 3) {
        ASSERT_EQ(eval(Op::kDiv, kind, {a, b}), t.cut(reference(Op::kDiv, t, t.value(a), t.value(b))));
        ASSERT_EQ(eval(Op::kRem, kind, {a, b}), t.cut(reference(Op::kRem, t, t.value(a), t.value(b))));
        ASSERT_EQ(eval(Op::kMulHi, kind, {a, b}),
                  t.cut((static_cast<int64_t>(t.value(a)) * static_cast<int64_t>(t.value(b))) >> 8));
      }
    }
  }
}

TEST(EvalInt, DivisionAtTheEdges) {
  for (const TypeKind kind : kEvalIntInts) {
    const Int t(kind);
    const uint64_t ones = t.cut(-1);
    const uint64_t lowest = uint64_t{1} << (t.width() - 1);
    EXPECT_EQ(eval(Op::kDiv, kind, {5, 0}), 0u);
    EXPECT_EQ(eval(Op::kRem, kind, {5, 0}), 5u);
    if (t.type->is_signed()) {
      EXPECT_EQ(eval(Op::kDiv, kind, {lowest, ones}), lowest);
      EXPECT_EQ(eval(Op::kRem, kind, {lowest, ones}), 0u);
      EXPECT_EQ(eval(Op::kAbs, kind, {lowest}), lowest);
      EXPECT_EQ(eval(Op::kNeg, kind, {lowest}), lowest);
      EXPECT_EQ(eval(Op::kAbs, kind, {ones}), 1u);
      EXPECT_EQ(eval(Op::kDiv, kind, {t.cut(-7), 2}), t.cut(-3));
      EXPECT_EQ(eval(Op::kRem, kind, {t.cut(-7), 2}), t.cut(-1));
    } else {
      EXPECT_EQ(eval(Op::kAbs, kind, {ones}), ones);
      EXPECT_EQ(eval(Op::kDiv, kind, {lowest, ones}), 0u);
    }
    EXPECT_EQ(eval(Op::kNeg, kind, {1}), ones);
    EXPECT_EQ(eval(Op::kNot, kind, {0}), ones);
  }
}

TEST(EvalInt, ShiftsCountModuloTheWidth) {
  for (const TypeKind kind : kEvalIntInts) {
    const Int t(kind);
    BitSource source(7);
    for (uint64_t amount = 0; amount < 3 * t.width(); ++amount) {
      const uint64_t a = source.bits(t.width());
      const uint32_t by = static_cast<uint32_t>(amount) % t.width();
      EXPECT_EQ(eval_typed(Op::kShl, kind, {kind, TypeKind::kU8}, {a, amount}),
                t.cut(static_cast<Big>(a) << by));
      EXPECT_EQ(eval_typed(Op::kShr, kind, {kind, TypeKind::kU8}, {a, amount}), t.cut(t.value(a) >> by));
    }
    EXPECT_EQ(eval_typed(Op::kShl, kind, {kind, TypeKind::kI32}, {1, 0xffffffff}),
              uint64_t{1} << (t.width() - 1));
  }
}

TEST(EvalInt, MulHiOfWideIntegers) {
  EXPECT_EQ(eval(Op::kMulHi, TypeKind::kU32, {0xffffffff, 0xffffffff}), 0xfffffffeu);
  EXPECT_EQ(eval(Op::kMulHi, TypeKind::kI32, {0xffffffff, 0xffffffff}), 0u);
  EXPECT_EQ(eval(Op::kMulHi, TypeKind::kI32, {0xffffffff, 1}), 0xffffffffu);
  EXPECT_EQ(eval(Op::kMulHi, TypeKind::kU64, {~uint64_t{0}, ~uint64_t{0}}), ~uint64_t{1});
  EXPECT_EQ(eval(Op::kMulHi, TypeKind::kI64, {uint64_t{1} << 63, uint64_t{1} << 63}), uint64_t{1} << 62);
}

TEST(EvalInt, MulHiIsTheUpperHalfOfTheProduct) {
  // (2^32 x + y) * z by halves, in unsigned arithmetic; the signed form differs by the sign's weight.
  BitSource source(21);
  for (int i = 0; i < 3000; ++i) {
    const uint64_t a = source.bits(64);
    const uint64_t b = source.bits(64);
    const uint64_t low = (a & 0xffffffff) * (b & 0xffffffff);
    const uint64_t cross = (a >> 32) * (b & 0xffffffff) + (low >> 32);
    const uint64_t other = (a & 0xffffffff) * (b >> 32) + (cross & 0xffffffff);
    const uint64_t high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
    ASSERT_EQ(eval(Op::kMulHi, TypeKind::kU64, {a, b}), high);
    const uint64_t corrected = high - ((a >> 63) != 0 ? b : 0) - ((b >> 63) != 0 ? a : 0);
    ASSERT_EQ(eval(Op::kMulHi, TypeKind::kI64, {a, b}), corrected);
    const auto x = static_cast<int32_t>(a);
    const auto y = static_cast<int32_t>(b);
    const auto product = static_cast<uint64_t>(int64_t{x} * y);
    ASSERT_EQ(eval(Op::kMulHi, TypeKind::kI32, {static_cast<uint32_t>(x), static_cast<uint32_t>(y)}),
              product >> 32);
  }
}

TEST(EvalInt, Compares) {
  for (const TypeKind kind : kEvalIntInts) {
    const Int t(kind);
    BitSource source(3);
    for (int i = 0; i < 500; ++i) {
      const uint64_t a = source.bits(t.width());
      const uint64_t b = i % 5 == 0 ? a : source.bits(t.width());
      const auto test = [&](Op op) { return eval_typed(op, TypeKind::kBool, {kind, kind}, {a, b}) != 0; };
      EXPECT_EQ(test(Op::kEq), a == b);
      EXPECT_EQ(test(Op::kNe), a != b);
      EXPECT_EQ(test(Op::kLt), t.value(a) < t.value(b));
      EXPECT_EQ(test(Op::kLe), t.value(a) <= t.value(b));
      EXPECT_EQ(test(Op::kGt), t.value(a) > t.value(b));
      EXPECT_EQ(test(Op::kGe), t.value(a) >= t.value(b));
    }
  }
}

TEST(EvalInt, Bool) {
  EXPECT_EQ(eval(Op::kNot, TypeKind::kBool, {1}), 0u);
  EXPECT_EQ(eval(Op::kNot, TypeKind::kBool, {0}), 1u);
  EXPECT_EQ(eval(Op::kXor, TypeKind::kBool, {1, 1}), 0u);
  EXPECT_EQ(eval(Op::kAnd, TypeKind::kBool, {1, 0}), 0u);
  EXPECT_EQ(eval(Op::kOr, TypeKind::kBool, {1, 0}), 1u);
  EXPECT_EQ(
      eval_typed(Op::kSelect, TypeKind::kI8, {TypeKind::kBool, TypeKind::kI8, TypeKind::kI8}, {1, 3, 4}), 3u);
  EXPECT_EQ(
      eval_typed(Op::kSelect, TypeKind::kI8, {TypeKind::kBool, TypeKind::kI8, TypeKind::kI8}, {0, 3, 4}), 4u);
  EXPECT_EQ(eval_typed(Op::kLt, TypeKind::kBool, {TypeKind::kBool, TypeKind::kBool}, {0, 1}), 1u);
}

TEST(EvalInt, Bits) {
  const auto count = [](Op op, TypeKind kind, uint64_t a) {
    return eval_typed(op, TypeKind::kI32, {kind}, {a});
  };
  EXPECT_EQ(count(Op::kPopc, TypeKind::kU32, 0xf0f0), 8u);
  EXPECT_EQ(count(Op::kPopc, TypeKind::kI64, ~uint64_t{0}), 64u);
  EXPECT_EQ(count(Op::kClz, TypeKind::kI32, 0), 32u);
  EXPECT_EQ(count(Op::kClz, TypeKind::kI32, 1), 31u);
  EXPECT_EQ(count(Op::kClz, TypeKind::kU64, 0), 64u);
  EXPECT_EQ(count(Op::kClz, TypeKind::kU64, 1), 63u);
  EXPECT_EQ(count(Op::kCtz, TypeKind::kI32, 0), 32u);
  EXPECT_EQ(count(Op::kCtz, TypeKind::kU64, 0), 64u);
  EXPECT_EQ(count(Op::kCtz, TypeKind::kU64, uint64_t{1} << 40), 40u);
  EXPECT_EQ(eval(Op::kBrev, TypeKind::kU32, {1}), 0x80000000u);
  EXPECT_EQ(eval(Op::kBrev, TypeKind::kI64, {2}), uint64_t{1} << 62);
}

TEST(EvalInt, BytePermFunnelDot4) {
  const auto perm = [](uint64_t s) {
    return eval(Op::kBytePerm, TypeKind::kU32, {0x33221100, 0x77665544, s});
  };
  EXPECT_EQ(perm(0x3210), 0x33221100u);
  EXPECT_EQ(perm(0x7654), 0x77665544u);
  EXPECT_EQ(perm(0x0123), 0x00112233u);
  EXPECT_EQ(perm(0xfffff6b8), 0x77663300u);  // only three bits of each of four nibbles are used
  const auto funnel = [](uint64_t amount) {
    return eval(Op::kFunnel, TypeKind::kU32, {0x89abcdef, 0x01234567, amount});
  };
  EXPECT_EQ(funnel(0), 0x01234567u);
  EXPECT_EQ(funnel(8), 0x23456789u);
  EXPECT_EQ(funnel(32), 0x01234567u);
  EXPECT_EQ(funnel(31), 0xc4d5e6f7u);
  EXPECT_EQ(eval(Op::kDot4, TypeKind::kU32, {0xff010203, 0xff010101, 10}), 65025u + 1 + 2 + 3 + 10);
  EXPECT_EQ(eval(Op::kDot4, TypeKind::kI32, {0xff010203, 0x02010101, 10}),
            static_cast<uint32_t>(-2 + 1 + 2 + 3 + 10));
  EXPECT_EQ(eval(Op::kDot4, TypeKind::kI32, {0, 0, 0x80000000}), 0x80000000u);
}

TEST(EvalInt, ConvertsBetweenIntegers) {
  const auto convert = [](TypeKind to, TypeKind from, uint64_t bits) {
    return eval_typed(Op::kConvert, to, {from}, {bits});
  };
  for (const TypeKind from : kEvalIntInts) {
    for (const TypeKind to : kEvalIntInts) {
      const Int f(from);
      const Int t(to);
      BitSource source(9);
      for (int i = 0; i < 200; ++i) {
        const uint64_t bits = source.bits(f.width());
        ASSERT_EQ(convert(to, from, bits), t.cut(f.value(bits)));
      }
    }
    EXPECT_EQ(convert(TypeKind::kBool, from, 0), 0u);
    EXPECT_EQ(convert(TypeKind::kBool, from, 64), 1u);
    EXPECT_EQ(convert(from, TypeKind::kBool, 1), 1u);
  }
}

TEST(EvalInt, RefusesWhatIsNoPureScalarOperation) {
  const Type* i32 = test_types().get(TypeKind::kI32);
  const Type* ptr = test_types().ptr(Space::kGlobal);
  const std::array<const Type*, 1> ints = {i32};
  const std::array<const Type*, 1> pointers = {ptr};
  const std::array<uint64_t, 1> in = {5};
  uint64_t out = 77;
  EXPECT_FALSE(evaluate(Op::kThreadId, i32, {}, {}, Attr(), out));
  EXPECT_FALSE(evaluate(Op::kLoad, i32, pointers, in, Attr(), out));
  EXPECT_FALSE(evaluate(Op::kPtrToInt, test_types().get(TypeKind::kU64), pointers, in, Attr(), out));
  EXPECT_FALSE(evaluate(Op::kBarrierCount, i32, ints, in, Attr(), out));
  EXPECT_FALSE(evaluate(Op::kExtract, i32, ints, in, Attr(), out));
  EXPECT_EQ(out, 77u);
}

// Every pure operation on scalars is covered; a new one must be added here or there.
TEST(EvalInt, KnowsEveryPureOperation) {
  for (size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    const int arity = info(op).arity;
    if (!has(op, kPure) || arity <= 0) continue;
    switch (op) {
      case Op::kExtract:
      case Op::kInsert:
      case Op::kOffset:
      case Op::kFieldPtr:
      case Op::kPtrDiff:
      case Op::kPtrToInt:
      case Op::kIntToPtr:
      case Op::kSpaceCast:
      case Op::kMapShared:
      case Op::kSharedAddress:
      case Op::kSharedPointer:
      case Op::kParamAddress:
      case Op::kIsSpace: continue;
      default: break;
    }
    bool known = false;
    for (const TypeKind kind : {TypeKind::kI32, TypeKind::kF32, TypeKind::kF16}) {
      const std::vector<const Type*> types(static_cast<size_t>(arity), test_types().get(kind));
      const std::vector<uint64_t> bits(static_cast<size_t>(arity), 0x3c00);
      uint64_t out = 0;
      known |= evaluate(op, test_types().get(kind), types, bits, Attr(), out);
    }
    EXPECT_TRUE(known) << info(op).name;
  }
}

}  // namespace
}  // namespace quern::ir
