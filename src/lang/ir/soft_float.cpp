#include "lang/ir/soft_float.hpp"

#include <bit>
#include <utility>

namespace quern::ir {
namespace {

__extension__ using Wide = unsigned __int128;

int width_of(Wide value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(value));
}

// A finite number: mantissa * 2^exponent, exactly; mantissa 0 is a zero of that sign.
struct Number {
  bool negative;
  Wide mantissa;
  int exponent;
};

Number unpack(FloatFormat format, uint64_t bits) {
  const uint64_t magnitude = bits & ~format.sign();
  const int field = static_cast<int>(magnitude >> format.fraction);
  const uint64_t hidden = uint64_t{1} << format.fraction;
  const uint64_t mantissa = field == 0 ? magnitude : (magnitude & (hidden - 1)) | hidden;
  return {format.is_negative(bits), mantissa, (field == 0 ? 1 : field) - 1 + format.lowest()};
}

// Rounds number, plus something below its last bit if `sticky`. With sticky, the mantissa must be wider than
// the format's.
uint64_t pack(FloatFormat format, const Number& number, bool sticky, Rounding mode) {
  const uint64_t sign = number.negative ? format.sign() : 0;
  if (number.mantissa == 0 && !sticky) return sign;
  const int lead = number.exponent + width_of(number.mantissa) - 1;
  const int last = lead - format.fraction > format.lowest() ? lead - format.fraction : format.lowest();
  if (lead > format.bias()) return sign | overflowed(format, number.negative, mode);
  const int shift = last - number.exponent;
  uint64_t kept = 0;
  bool round_bit = false;
  if (shift <= 0) {
    kept = static_cast<uint64_t>(number.mantissa) << -shift;
  } else if (shift > 128) {
    sticky = true;
  } else {
    kept = shift == 128 ? 0 : static_cast<uint64_t>(number.mantissa >> shift);
    round_bit = ((number.mantissa >> (shift - 1)) & 1) != 0;
    sticky |= (number.mantissa & ((Wide{1} << (shift - 1)) - 1)) != 0;
  }
  // A carry out of the fraction increments the exponent field, which is correct when rounding up to a power
  // of two.
  uint64_t bits = (static_cast<uint64_t>(last - format.lowest()) << format.fraction) + kept;
  bits += rounds_away(mode, number.negative, (kept & 1) != 0, round_bit, sticky) ? 1 : 0;
  if (bits >= format.infinity()) bits = overflowed(format, number.negative, mode);
  return sign | bits;
}

// Shifts the leading bit to bit `to`; the value is unchanged.
Number normalized(Number number, int to) {
  const int up = to + 1 - width_of(number.mantissa);
  number.mantissa <<= up;
  number.exponent -= up;
  return number;
}

bool magnitude_less(const Number& a, const Number& b) {
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa < b.mantissa;
}

// The rounded sum of two numbers of at most 106 bits each.
uint64_t sum(FloatFormat format, Number a, Number b, Rounding mode) {
  const bool zero_sign = mode == Rounding::kDown;  // of an exact zero from operands of different sign
  if (a.mantissa == 0 && b.mantissa == 0) {
    return (a.negative == b.negative ? a.negative : zero_sign) ? format.sign() : 0;
  }
  if (a.mantissa == 0) return pack(format, b, false, mode);
  if (b.mantissa == 0) return pack(format, a, false, mode);
  // Leading bits at 125: room for the carry above and 19 bits below the longest mantissa. Bits are lost only
  // if the smaller operand is shifted further than that, and then at most one leading bit cancels.
  a = normalized(a, 125);
  b = normalized(b, 125);
  if (magnitude_less(a, b)) std::swap(a, b);
  const int distance = a.exponent - b.exponent;
  const bool all_lost = distance > 127;
  const Wide small = all_lost ? 0 : b.mantissa >> distance;
  const bool sticky = all_lost || (small << distance) != b.mantissa;
  Number result = a;
  if (a.negative == b.negative) {
    result.mantissa = a.mantissa + small;
  } else {
    result.mantissa = a.mantissa - small - (sticky ? 1 : 0);
    if (result.mantissa == 0 && !sticky) result.negative = zero_sign;
  }
  return pack(format, result, sticky, mode);
}

bool any_nan(FloatFormat format, uint64_t a, uint64_t b) { return format.is_nan(a) || format.is_nan(b); }

// floor(sqrt(value)), and whether it is exact. value < 2^126.
uint64_t root_of(Wide value, bool& exact) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 62; bit != 0; bit >>= 1) {
    const uint64_t trial = root | bit;
    if (Wide{trial} * trial <= value) root = trial;
  }
  exact = Wide{root} * root == value;
  return root;
}

}  // namespace

uint64_t add_rounded(FloatFormat format, uint64_t a, uint64_t b, Rounding mode) {
  if (any_nan(format, a, b)) return format.nan();
  if (format.is_inf(a)) return format.is_inf(b) && a != b ? format.nan() : a;
  if (format.is_inf(b)) return b;
  return sum(format, unpack(format, a), unpack(format, b), mode);
}

uint64_t mul_rounded(FloatFormat format, uint64_t a, uint64_t b, Rounding mode) {
  if (any_nan(format, a, b)) return format.nan();
  const uint64_t sign = (a ^ b) & format.sign();
  if (format.is_inf(a) || format.is_inf(b)) {
    return format.is_zero(a) || format.is_zero(b) ? format.nan() : sign | format.infinity();
  }
  const Number x = unpack(format, a);
  const Number y = unpack(format, b);
  return pack(format, {sign != 0, x.mantissa * y.mantissa, x.exponent + y.exponent}, false, mode);
}

uint64_t div_rounded(FloatFormat format, uint64_t a, uint64_t b, Rounding mode) {
  if (any_nan(format, a, b)) return format.nan();
  const uint64_t sign = (a ^ b) & format.sign();
  if (format.is_inf(a)) return format.is_inf(b) ? format.nan() : sign | format.infinity();
  if (format.is_inf(b)) return sign;
  if (format.is_zero(b)) return format.is_zero(a) ? format.nan() : sign | format.infinity();
  if (format.is_zero(a)) return sign;
  const Number x = normalized(unpack(format, a), 126);
  const Number y = normalized(unpack(format, b), 52);  // leaves a quotient of at least 74 bits
  const Number quotient{sign != 0, x.mantissa / y.mantissa, x.exponent - y.exponent};
  return pack(format, quotient, x.mantissa % y.mantissa != 0, mode);
}

uint64_t fma_rounded(FloatFormat format, uint64_t a, uint64_t b, uint64_t c, Rounding mode) {
  if (any_nan(format, a, b) || format.is_nan(c)) return format.nan();
  const uint64_t sign = (a ^ b) & format.sign();
  if (format.is_inf(a) || format.is_inf(b)) {
    if (format.is_zero(a) || format.is_zero(b)) return format.nan();
    const uint64_t product = sign | format.infinity();
    return format.is_inf(c) && c != product ? format.nan() : product;
  }
  if (format.is_inf(c)) return c;
  const Number x = unpack(format, a);
  const Number y = unpack(format, b);
  return sum(format, {sign != 0, x.mantissa * y.mantissa, x.exponent + y.exponent}, unpack(format, c), mode);
}

uint64_t sqrt_rounded(FloatFormat format, uint64_t a, Rounding mode) {
  if (format.is_nan(a)) return format.nan();
  if (format.is_zero(a)) return a;
  if (format.is_negative(a)) return format.nan();
  if (format.is_inf(a)) return a;
  Number x = normalized(unpack(format, a), 124);
  if (x.exponent % 2 != 0) {
    x.mantissa >>= 1;  // the mantissa has at most 53 bits of 125: nothing is lost
    x.exponent += 1;
  }
  bool exact = true;
  const uint64_t root = root_of(x.mantissa, exact);
  return pack(format, {false, root, x.exponent / 2}, !exact, mode);
}

uint64_t scale_rounded(FloatFormat format, uint64_t a, int power, Rounding mode) {
  Number x = unpack(format, a);
  x.exponent += power;
  return pack(format, x, false, mode);
}

uint64_t convert_rounded(FloatFormat to, FloatFormat from, uint64_t bits, Rounding mode) {
  if (from.is_nan(bits)) return to.nan();
  const uint64_t sign = from.is_negative(bits) ? to.sign() : 0;
  if (from.is_inf(bits)) return sign | to.infinity();
  return pack(to, unpack(from, bits), false, mode);
}

uint64_t int_to_float(FloatFormat to, bool negative, uint64_t magnitude, Rounding mode) {
  return magnitude == 0 ? 0 : pack(to, {negative, magnitude, 0}, false, mode);
}

uint64_t float_to_int(FloatFormat from, uint64_t bits, uint32_t width, bool is_signed, Rounding mode) {
  if (from.is_nan(bits)) return 0;
  const bool negative = from.is_negative(bits);
  const uint64_t all = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t largest = negative ? (is_signed ? (all >> 1) + 1 : 0) : (is_signed ? all >> 1 : all);
  uint64_t magnitude = largest;
  if (!from.is_inf(bits)) {
    const Number number = unpack(from, bits);
    const auto mantissa = static_cast<uint64_t>(number.mantissa);
    if (mantissa == 0) return 0;
    if (number.exponent >= 0) {
      const bool fits = number.exponent + std::bit_width(mantissa) <= 64;
      magnitude = fits ? mantissa << number.exponent : ~uint64_t{0};
    } else {
      const int shift = -number.exponent;
      const uint64_t kept = shift > 63 ? 0 : mantissa >> shift;
      const bool round_bit = shift <= 64 && ((mantissa >> (shift - 1)) & 1) != 0;
      const bool sticky = shift > 64 || (mantissa & ((uint64_t{1} << (shift - 1)) - 1)) != 0;
      magnitude = kept + (rounds_away(mode, negative, (kept & 1) != 0, round_bit, sticky) ? 1 : 0);
    }
  }
  if (magnitude > largest) magnitude = largest;
  return (negative ? uint64_t{0} - magnitude : magnitude) & all;
}

}  // namespace quern::ir
