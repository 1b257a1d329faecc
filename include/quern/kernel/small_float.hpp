// half and bfloat16 for the host compiler: 16-bit floats with one rounding per operation, as in the kernel
// language.
#pragma once

#pragma GCC system_header  // names are reserved for the implementation

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace quern::kernel {

namespace host {

// A float with 1 sign bit, Exponent exponent bits and Fraction fraction bits.
template <int Fraction, int Exponent>
class SmallFloat {
  using Self = SmallFloat;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr int kLowest = 1 - kBias - Fraction;  // exponent of the last bit of a subnormal
  static constexpr std::uint32_t kInfinity = ((1u << Exponent) - 1) << Fraction;
  static constexpr std::uint32_t kSign = 1u << (Fraction + Exponent);

 public:
  SmallFloat() = default;
  template <typename T>
  requires std::is_arithmetic_v<T>
  constexpr SmallFloat(T v) : bits_(narrow(static_cast<double>(v))) {}
  template <int F, int E>
  explicit constexpr SmallFloat(SmallFloat<F, E> v) : SmallFloat(static_cast<double>(v)) {}
  constexpr operator float() const { return static_cast<float>(widen()); }
  explicit constexpr operator double() const { return widen(); }

  friend constexpr Self operator+(Self a) { return a; }
  friend constexpr Self operator-(Self a) {
    a.bits_ ^= static_cast<std::uint16_t>(kSign);
    return a;
  }
  constexpr Self& operator++() { return *this = *this + Self(1); }
  constexpr Self& operator--() { return *this = *this - Self(1); }
  constexpr Self operator++(int) {
    const Self old = *this;
    ++*this;
    return old;
  }
  constexpr Self operator--(int) {
    const Self old = *this;
    --*this;
    return old;
  }

// An integer operand is converted to half; with a float or double operand, half is converted to that type.
#define QUERN_SMALL_FLOAT_OPERATOR_(op)                                                      \
  friend constexpr Self operator op(Self a, Self b) { return Self(a.widen() op b.widen()); } \
  template <std::integral T>                                                                 \
  friend constexpr Self operator op(Self a, T b) {                                           \
    return a op Self(b);                                                                     \
  }                                                                                          \
  template <std::integral T>                                                                 \
  friend constexpr Self operator op(T a, Self b) {                                           \
    return Self(a) op b;                                                                     \
  }                                                                                          \
  template <std::floating_point T>                                                           \
  friend constexpr T operator op(Self a, T b) {                                              \
    return static_cast<T>(a.widen()) op b;                                                   \
  }                                                                                          \
  template <std::floating_point T>                                                           \
  friend constexpr T operator op(T a, Self b) {                                              \
    return a op static_cast<T>(b.widen());                                                   \
  }                                                                                          \
  template <typename T>                                                                      \
  constexpr Self& operator op##=(T v) {                                                      \
    return *this = Self(*this op v);                                                         \
  }
  QUERN_SMALL_FLOAT_OPERATOR_(+)
  QUERN_SMALL_FLOAT_OPERATOR_(-)
  QUERN_SMALL_FLOAT_OPERATOR_(*)
  QUERN_SMALL_FLOAT_OPERATOR_(/)
#undef QUERN_SMALL_FLOAT_OPERATOR_

  friend constexpr bool operator==(Self a, Self b) { return a.widen() == b.widen(); }
  friend constexpr std::partial_ordering operator<=>(Self a, Self b) { return a.widen() <=> b.widen(); }
  template <typename T>
  requires std::is_arithmetic_v<T>
  friend constexpr bool operator==(Self a, T b) { return a.widen() == same(b); }
  template <typename T>
  requires std::is_arithmetic_v<T>
  friend constexpr std::partial_ordering operator<=>(Self a, T b) { return a.widen() <=> same(b); }

 private:
  // The type in which numbers are compared.
  template <typename T>
  static constexpr double same(T v) {
    if constexpr (std::is_integral_v<T>)
      return Self(v).widen();
    else
      return static_cast<double>(v);
  }

  constexpr double widen() const {
    const std::uint32_t magnitude = bits_ & (kSign - 1);
    const std::uint32_t field = magnitude >> Fraction;
    const std::uint32_t fraction = magnitude & ((1u << Fraction) - 1);
    double value = 0;
    if (magnitude >= kInfinity) {
      value =
          std::bit_cast<double>((std::uint64_t{0x7ff} << 52) | (std::uint64_t{fraction} << (52 - Fraction)));
    } else if (field == 0) {
      value = fraction * power(kLowest);
    } else {
      value = ((1u << Fraction) + fraction) * power(static_cast<int>(field) - kBias - Fraction);
    }
    return (bits_ & kSign) != 0 ? -value : value;
  }

  static constexpr double power(int exponent) {  // power of two, within the normal range of double
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }

  static constexpr std::uint16_t narrow(double value) {  // to nearest, ties to even
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint32_t sign = (bits >> 63) != 0 ? kSign : 0;
    const int field = static_cast<int>(bits >> 52) & 0x7ff;
    std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
    if (field == 0x7ff && mantissa != 0)
      return static_cast<std::uint16_t>(kInfinity | (1u << (Fraction - 1)));
    if (field == 0x7ff) return static_cast<std::uint16_t>(sign | kInfinity);
    if (field == 0) return static_cast<std::uint16_t>(sign);  // subnormal doubles are far below the range
    mantissa |= std::uint64_t{1} << 52;
    const int from = field - 1075;
    const int last = from + 52 - Fraction > kLowest ? from + 52 - Fraction : kLowest;
    const int shift = last - from;
    if (shift > 54) return static_cast<std::uint16_t>(sign);
    const std::uint64_t kept = mantissa >> shift;
    const std::uint64_t rest = mantissa & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    std::uint64_t out = (static_cast<std::uint64_t>(last - kLowest) << Fraction) + kept;
    if (rest > half || (rest == half && (kept & 1) != 0)) ++out;
    if (out > kInfinity) out = kInfinity;
    return static_cast<std::uint16_t>(sign | out);
  }

  std::uint16_t bits_;
};

template <typename T>
inline constexpr bool is_small_float = false;
template <int F, int E>
inline constexpr bool is_small_float<SmallFloat<F, E>> = true;

}  // namespace host

using __half = host::SmallFloat<10, 5>;
using half = __half;
using __nv_bfloat16 = host::SmallFloat<7, 8>;
using nv_bfloat16 = __nv_bfloat16;

}  // namespace quern::kernel
