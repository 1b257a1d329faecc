// Short forms for tests of evaluate().
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "lang/ir/eval.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::ir {

inline TypeTable& test_types() {
  static TypeTable types;
  return types;
}

inline uint64_t eval_typed(Op op, TypeKind result, const std::vector<TypeKind>& kinds,
                           const std::vector<uint64_t>& in, Rounding mode = Rounding::kNearest) {
  std::vector<const Type*> types;
  for (const TypeKind kind : kinds) types.push_back(test_types().get(kind));
  Attr attr;
  attr.round = mode;
  uint64_t out = 0;
  EXPECT_TRUE(evaluate(op, test_types().get(result), types, in, attr, out)) << info(op).name;
  return out;
}

// All operands and the result of one kind.
inline uint64_t eval(Op op, TypeKind kind, const std::vector<uint64_t>& in,
                     Rounding mode = Rounding::kNearest) {
  return eval_typed(op, kind, std::vector<TypeKind>(in.size(), kind), in, mode);
}

inline uint64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

inline double eval_f64(Op op, double a) {
  return std::bit_cast<double>(eval(op, TypeKind::kF64, {bits_of(a)}));
}
inline double eval_f64(Op op, double a, double b) {
  return std::bit_cast<double>(eval(op, TypeKind::kF64, {bits_of(a), bits_of(b)}));
}
inline float eval_f32(Op op, float a) {
  return std::bit_cast<float>(static_cast<uint32_t>(eval(op, TypeKind::kF32, {bits_of(a)})));
}
inline float eval_f32(Op op, float a, float b) {
  return std::bit_cast<float>(static_cast<uint32_t>(eval(op, TypeKind::kF32, {bits_of(a), bits_of(b)})));
}

// A small generator of interesting values: any bits, small numbers, and the neighborhood of powers of two.
class BitSource {
 public:
  explicit BitSource(uint64_t seed) : state_(seed) {}
  uint64_t raw() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = state_;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    return x ^ (x >> 29);
  }
  uint64_t bits(uint32_t width) {
    uint64_t value = raw();
    switch (raw() % 4) {
      case 0: value = uint64_t{0} - (value & 7) + 3; break;
      case 1: value = (uint64_t{1} << (raw() % width)) + (value & 3) - 1; break;
      default: break;
    }
    return width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
  }
  // Bits of a float with an exponent near the middle, so that operands interact.
  uint64_t near(FloatFormat format) {
    const uint64_t field = static_cast<uint64_t>(format.bias()) - 4 + raw() % 8;
    const uint64_t fraction = raw() & ((uint64_t{1} << format.fraction) - 1);
    const uint64_t simple =
        raw() % 3 == 0 ? fraction & ~((uint64_t{1} << (format.fraction - 3)) - 1) : fraction;
    return ((raw() & 1) != 0 ? format.sign() : 0) | (field << format.fraction) | simple;
  }

 private:
  uint64_t state_;
};

}  // namespace quern::ir
