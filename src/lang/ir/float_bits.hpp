// Floats as bits: the four formats of the IR, exact widening, and narrowing with one rounding in any of the
// four modes. Free of the floating-point environment; NaN results are always the positive quiet NaN without
// payload.
#pragma once

#include <bit>
#include <cstdint>

#include "lang/ir/op.hpp"
#include "lang/ir/type.hpp"

namespace quern::ir {

struct FloatFormat {
  int fraction;  // explicit bits of the significand
  int exponent;  // bits of the exponent field

  constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
  constexpr int lowest() const { return 1 - bias() - fraction; }  // exponent of the last bit of a subnormal
  constexpr uint64_t sign() const { return uint64_t{1} << (fraction + exponent); }
  constexpr uint64_t infinity() const { return ((uint64_t{1} << exponent) - 1) << fraction; }
  constexpr uint64_t largest() const { return infinity() - 1; }
  constexpr uint64_t nan() const { return infinity() | (uint64_t{1} << (fraction - 1)); }
  constexpr bool is_nan(uint64_t bits) const { return (bits & ~sign()) > infinity(); }
  constexpr bool is_inf(uint64_t bits) const { return (bits & ~sign()) == infinity(); }
  constexpr bool is_zero(uint64_t bits) const { return (bits & ~sign()) == 0; }
  constexpr bool is_negative(uint64_t bits) const { return (bits & sign()) != 0; }
};

inline constexpr FloatFormat kF16Format{10, 5};
inline constexpr FloatFormat kBF16Format{7, 8};
inline constexpr FloatFormat kF32Format{23, 8};
inline constexpr FloatFormat kF64Format{52, 11};

// Of a float kind.
constexpr FloatFormat format_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kF16: return kF16Format;
    case TypeKind::kBF16: return kBF16Format;
    case TypeKind::kF32: return kF32Format;
    default: return kF64Format;
  }
}

// Whether the magnitude is rounded up when `round_bit` (half a unit) and `sticky` (any lower bit) are cut
// off.
constexpr bool rounds_away(Rounding mode, bool negative, bool odd, bool round_bit, bool sticky) {
  switch (mode) {
    case Rounding::kNearest: return round_bit && (sticky || odd);
    case Rounding::kZero: return false;
    case Rounding::kUp: return !negative && (round_bit || sticky);
    case Rounding::kDown: return negative && (round_bit || sticky);
  }
  return false;
}

// The result for a magnitude beyond the largest finite one (without the sign).
constexpr uint64_t overflowed(FloatFormat format, bool negative, Rounding mode) {
  const bool to_infinity = mode == Rounding::kNearest || mode == (negative ? Rounding::kDown : Rounding::kUp);
  return to_infinity ? format.infinity() : format.largest();
}

// The double with these bits, rounded to a narrower format.
constexpr uint64_t narrow(FloatFormat to, uint64_t f64_bits, Rounding mode = Rounding::kNearest) {
  const bool negative = (f64_bits >> 63) != 0;
  const int field = static_cast<int>((f64_bits >> 52) & 0x7ff);
  uint64_t mantissa = f64_bits & ((uint64_t{1} << 52) - 1);
  if (field == 0x7ff && mantissa != 0) return to.nan();
  const uint64_t sign = negative ? to.sign() : 0;
  if (field == 0x7ff) return sign | to.infinity();
  if (field != 0) mantissa |= uint64_t{1} << 52;
  if (mantissa == 0) return sign;
  // value = mantissa * 2^from; a subnormal double is far below every narrower format, so its leading bit may
  // be assumed to be where a normal number has it.
  const int from = (field == 0 ? 1 : field) - 1075;
  const int last = from + 52 - to.fraction > to.lowest() ? from + 52 - to.fraction : to.lowest();
  const int shift = last - from;
  const uint64_t kept = shift > 63 ? 0 : mantissa >> shift;
  const bool round_bit = shift <= 64 && shift > 0 && ((mantissa >> (shift - 1)) & 1) != 0;
  const bool sticky = shift > 64 ? true : (mantissa & ((uint64_t{1} << (shift - 1)) - 1)) != 0;
  uint64_t bits = (static_cast<uint64_t>(last - to.lowest()) << to.fraction) + kept;
  bits += rounds_away(mode, negative, (kept & 1) != 0, round_bit, sticky) ? 1 : 0;
  if (bits >= to.infinity()) bits = overflowed(to, negative, mode);
  return sign | bits;
}

// A narrower format's value as the bits of the equal double.
constexpr uint64_t widen(FloatFormat from, uint64_t bits) {
  if (from.is_nan(bits)) return kF64Format.nan();
  const uint64_t sign = from.is_negative(bits) ? kF64Format.sign() : 0;
  if (from.is_inf(bits)) return sign | kF64Format.infinity();
  const uint64_t magnitude = bits & ~from.sign();
  if (magnitude == 0) return sign;
  const int field = static_cast<int>(magnitude >> from.fraction);
  uint64_t fraction = magnitude & ((uint64_t{1} << from.fraction) - 1);
  int exponent = field - from.bias();
  if (field == 0) {  // subnormal: shift the leading bit to the position of the hidden bit
    const int up = from.fraction + 1 - std::bit_width(fraction);
    fraction = (fraction << up) & ((uint64_t{1} << from.fraction) - 1);
    exponent = 1 - from.bias() - up;
  }
  return sign | (static_cast<uint64_t>(exponent + 1023) << 52) | (fraction << (52 - from.fraction));
}

constexpr uint16_t f64_to_f16(double value, Rounding mode = Rounding::kNearest) {
  return static_cast<uint16_t>(narrow(kF16Format, std::bit_cast<uint64_t>(value), mode));
}
constexpr uint16_t f64_to_bf16(double value, Rounding mode = Rounding::kNearest) {
  return static_cast<uint16_t>(narrow(kBF16Format, std::bit_cast<uint64_t>(value), mode));
}
constexpr float f64_to_f32(double value, Rounding mode) {
  return std::bit_cast<float>(
      static_cast<uint32_t>(narrow(kF32Format, std::bit_cast<uint64_t>(value), mode)));
}
constexpr uint16_t f32_to_f16(float value, Rounding mode = Rounding::kNearest) {
  return f64_to_f16(static_cast<double>(value), mode);
}
constexpr uint16_t f32_to_bf16(float value, Rounding mode = Rounding::kNearest) {
  return f64_to_bf16(static_cast<double>(value), mode);
}
constexpr double f16_to_f64(uint16_t bits) { return std::bit_cast<double>(widen(kF16Format, bits)); }
constexpr float f16_to_f32(uint16_t bits) { return static_cast<float>(f16_to_f64(bits)); }
constexpr float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
constexpr double bf16_to_f64(uint16_t bits) { return static_cast<double>(bf16_to_f32(bits)); }

// Bits of a float kind to double (exact) and back (rounded to nearest even).
constexpr double float_from_bits(TypeKind kind, uint64_t bits) {
  switch (kind) {
    case TypeKind::kF16: return f16_to_f64(static_cast<uint16_t>(bits));
    case TypeKind::kBF16: return bf16_to_f64(static_cast<uint16_t>(bits));
    case TypeKind::kF32: return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    default: return std::bit_cast<double>(bits);
  }
}
constexpr uint64_t float_to_bits(TypeKind kind, double value) {
  if (value != value) return format_of(kind).nan();
  switch (kind) {
    case TypeKind::kF16: return f64_to_f16(value);
    case TypeKind::kBF16: return f64_to_bf16(value);
    case TypeKind::kF32: return std::bit_cast<uint32_t>(static_cast<float>(value));
    default: return std::bit_cast<uint64_t>(value);
  }
}

}  // namespace quern::ir
