/// @file
/// 8-bit floating-point elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace quern::ops {

/// An 8-bit float as in `<cuda_fp8.h>`, with Fraction bits of fraction. With 3 bits (E4M3), there are no
/// infinities, and the largest number is 448. With 2 bits (E5M2), infinities and NaN are as in IEEE 754, and
/// the largest number is 57344.
template <int Fraction>
class Float8 {
  static_assert(Fraction == 3 || Fraction == 2);
  static constexpr int kLowest = Fraction == 3 ? -6 : -14;  // exponent of the smallest normal number
  static constexpr unsigned kLargest = Fraction == 3 ? 0x7e : 0x7b, kInfinity = 0x7c, kNan = 0x7f;

 public:
  Float8() = default;
  /// Rounds to the nearest number, ties to even. Numbers beyond the range become the largest one.
  template <typename T>
  requires std::is_arithmetic_v<T> Float8(T v) : bits_(narrow(static_cast<double>(v))) {}
  /// The number as float.
  operator float() const { return static_cast<float>(widen()); }

 private:
  static std::uint8_t narrow(double v) {
    if (std::isnan(v)) return kNan;
    const double size = std::abs(v);
    unsigned bits = kLargest;
    if (size < 65536) {
      const int exponent = size == 0 ? kLowest : std::max(std::ilogb(size), kLowest);
      const double digits = std::nearbyint(std::ldexp(size, Fraction - exponent));
      bits = (static_cast<unsigned>(exponent - kLowest) << Fraction) + static_cast<unsigned>(digits);
    }
    return static_cast<std::uint8_t>(std::min(bits, kLargest) | (std::signbit(v) ? 0x80u : 0u));
  }
  double widen() const {
    const unsigned size = bits_ & 0x7fu, digits = size & ((1u << Fraction) - 1);
    double v = 0;
    if (size == kNan || (Fraction == 2 && size > kInfinity)) {
      v = std::numeric_limits<double>::quiet_NaN();
    } else if (Fraction == 2 && size == kInfinity) {
      v = std::numeric_limits<double>::infinity();
    } else {
      const bool is_normal = size >> Fraction != 0;
      const int exponent = is_normal ? static_cast<int>(size >> Fraction) - 1 : 0;
      v = std::ldexp(digits + (is_normal ? 1u << Fraction : 0u), exponent + kLowest - Fraction);
    }
    return bits_ >> 7 != 0 ? -v : v;
  }

  std::uint8_t bits_;
};

using float8_e4m3 = Float8<3>;  ///< 4 bits of exponent, 3 bits of fraction.
using float8_e5m2 = Float8<2>;  ///< 5 bits of exponent, 2 bits of fraction.

}  // namespace quern::ops
