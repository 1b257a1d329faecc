#include "lang/ir/literal.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "lang/ir/float_bits.hpp"

namespace quern::ir {
namespace {

void append_hex(std::string& out, uint64_t value) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  out.append("0x").append(digits.data(), end);
}

// 0x1.8p+1, from the exact double.
void append_hex_float(std::string& out, uint64_t f64_bits) {
  if ((f64_bits >> 63) != 0) out += '-';
  const int field = static_cast<int>((f64_bits >> 52) & 0x7ff);
  uint64_t fraction = f64_bits & ((uint64_t{1} << 52) - 1);
  int exponent = field - 1023;
  if (field == 0) {
    const int up = 53 - std::bit_width(fraction);
    fraction = (fraction << up) & ((uint64_t{1} << 52) - 1);
    exponent = -1022 - up;
  }
  out += "0x1";
  if (fraction != 0) {
    std::string digits;
    for (; fraction != 0; fraction = (fraction << 4) & ((uint64_t{1} << 52) - 1)) {
      digits += "0123456789abcdef"[fraction >> 48];
    }
    out.append(".").append(digits);
  }
  out.append(exponent < 0 ? "p" : "p+").append(std::to_string(exponent));
}

template <typename Float>
std::string shortest(Float value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void append_float(std::string& out, const Type* type, uint64_t bits) {
  const FloatFormat format = format_of(type->kind);
  if (format.is_nan(bits)) {
    out += "nan(";
    append_hex(out, bits);
    out += ')';
    return;
  }
  if (format.is_inf(bits)) {
    out += format.is_negative(bits) ? "-inf" : "inf";
    return;
  }
  // Decimal if the reader is certain to get the same bits back, otherwise hex.
  const double value = float_from_bits(type->kind, bits);
  const std::string decimal =
      type->kind == TypeKind::kF64 ? shortest(value) : shortest(static_cast<float>(value));
  if (parse_number(type, decimal) == bits) {
    out += decimal;
  } else {
    append_hex_float(out, std::bit_cast<uint64_t>(value));
  }
}

// The pieces of a number's text.
struct Cursor {
  std::string_view text;
  bool take(char c) {
    if (text.empty() || text[0] != c) return false;
    text.remove_prefix(1);
    return true;
  }
  bool take_either(char a, char b) { return take(a) || take(b); }
  int digit(int base) {  // -1: not a digit
    if (text.empty()) return -1;
    const char c = text[0];
    const char lower = static_cast<char>(c | 0x20);
    int value = -1;
    if (c >= '0' && c <= '9') value = c - '0';
    if (lower >= 'a' && lower <= 'f') value = lower - 'a' + 10;
    if (value < 0 || value >= base) return -1;
    text.remove_prefix(1);
    return value;
  }
};

// A decimal exponent of at most four digits, with sign; all that remains of the text.
std::optional<int> parse_exponent(Cursor& at) {
  const bool negative = at.take('-');
  if (!negative) at.take('+');
  int value = 0;
  int count = 0;
  for (int digit = at.digit(10); digit >= 0; digit = at.digit(10), ++count) {
    if (count == 4) return std::nullopt;
    value = value * 10 + digit;
  }
  if (count == 0) return std::nullopt;
  return negative ? -value : value;
}

struct Digits {
  uint64_t value = 0;
  int count = 0;
  int after_point = 0;
  bool exact = true;  // all of them are in `value`
};

Digits parse_digits(Cursor& at, uint64_t base, bool allow_point) {
  Digits result;
  bool point = false;
  for (;;) {
    if (allow_point && !point && at.take('.')) {
      point = true;
      continue;
    }
    const int digit = at.digit(static_cast<int>(base));
    if (digit < 0) return result;
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    if (result.value > (most - static_cast<uint64_t>(digit)) / base) result.exact = false;
    if (result.exact) result.value = result.value * base + static_cast<uint64_t>(digit);
    ++result.count;
    if (point) ++result.after_point;
  }
}

std::optional<uint64_t> parse_int(const Type* type, Cursor at) {
  const bool negative = at.take('-');
  uint64_t base = 10;
  if (at.text.size() > 1 && at.text[0] == '0' && (at.text[1] | 0x20) == 'x') {
    at.text.remove_prefix(2);
    base = 16;
  }
  const Digits digits = parse_digits(at, base, false);
  if (digits.count == 0 || !digits.exact || !at.text.empty()) return std::nullopt;
  const uint64_t all = type->size >= 8 ? ~uint64_t{0} : (uint64_t{1} << type->bits()) - 1;
  const uint64_t positive = type->is_signed() ? all >> 1 : all;
  const uint64_t most = negative ? (type->is_signed() ? positive + 1 : 0) : positive;
  if (digits.value > most) return std::nullopt;
  return (negative ? uint64_t{0} - digits.value : digits.value) & all;
}

// value * 2^exponent as a double; nothing if that is not exact.
std::optional<double> scale_exactly(uint64_t value, int exponent) {
  if (value == 0) return 0.0;
  const int cut = std::countr_zero(value);
  value >>= cut;
  exponent += cut;
  const int width = std::bit_width(value);
  if (width > 53 || exponent + width > 1024) return std::nullopt;
  if (exponent < -1074) return std::nullopt;
  if (exponent + width < -1021) return std::bit_cast<double>(value << (exponent + 1074));  // subnormal
  const uint64_t fraction = (value << (53 - width)) & ((uint64_t{1} << 52) - 1);
  return std::bit_cast<double>((static_cast<uint64_t>(exponent + width - 1 + 1023) << 52) | fraction);
}

std::optional<double> parse_hex_float(Cursor at) {
  const Digits digits = parse_digits(at, 16, true);
  if (digits.count == 0 || digits.count > 64 || !digits.exact) return std::nullopt;
  int exponent = 0;
  if (!at.text.empty()) {
    if (!at.take_either('p', 'P')) return std::nullopt;
    const std::optional<int> given = parse_exponent(at);
    if (!given || !at.text.empty()) return std::nullopt;
    exponent = *given;
  }
  return scale_exactly(digits.value, exponent - 4 * digits.after_point);
}

// Decimals whose digits and power of ten are both exact doubles, so that one operation rounds once (Clinger).
std::optional<double> parse_decimal(Cursor at) {
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const Digits digits = parse_digits(at, 10, true);
  if (digits.count == 0 || digits.count > 64 || !digits.exact || digits.value > (uint64_t{1} << 53)) {
    return std::nullopt;
  }
  int exponent = 0;
  if (!at.text.empty()) {
    if (!at.take_either('e', 'E')) return std::nullopt;
    const std::optional<int> given = parse_exponent(at);
    if (!given || !at.text.empty()) return std::nullopt;
    exponent = *given;
  }
  exponent -= digits.after_point;
  if (exponent < -22 || exponent > 22) return digits.value == 0 ? std::optional<double>(0.0) : std::nullopt;
  const auto value = static_cast<double>(digits.value);
  const double power = kPowers[static_cast<size_t>(exponent < 0 ? -exponent : exponent)];
  return exponent < 0 ? value / power : value * power;
}

std::optional<uint64_t> parse_float(const Type* type, Cursor at) {
  const FloatFormat format = format_of(type->kind);
  const uint64_t sign = at.take('-') ? format.sign() : 0;
  if (at.text == "inf") return sign | format.infinity();
  std::optional<double> value;
  if (at.text.size() > 1 && at.text[0] == '0' && (at.text[1] | 0x20) == 'x') {
    at.text.remove_prefix(2);
    value = parse_hex_float(at);
  } else {
    value = parse_decimal(at);
  }
  if (!value) return std::nullopt;
  return sign | float_to_bits(type->kind, *value);
}

}  // namespace

void append_literal(std::string& out, const Type* type, uint64_t bits) {
  if (type->is_bool()) {
    out += bits != 0 ? "true" : "false";
  } else if (type->is_float()) {
    append_float(out, type, bits);
  } else if (type->is_int()) {
    const uint64_t sign = type->is_signed() ? uint64_t{1} << (type->bits() - 1) : 0;
    if ((bits & sign) != 0) {
      out.append("-").append(std::to_string(((sign - 1) & ~bits) + 1));
    } else {
      out += std::to_string(bits);
    }
  } else if (type->is_ptr() && bits != 0) {
    append_hex(out, bits);  // invalid; printed as it is
  } else {
    out += type->is_ptr() ? "null" : "zero";
  }
}

std::optional<uint64_t> parse_number(const Type* type, std::string_view text) {
  if (type->is_int()) return parse_int(type, Cursor{text});
  if (type->is_float()) return parse_float(type, Cursor{text});
  return std::nullopt;
}

}  // namespace quern::ir
