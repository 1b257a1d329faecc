#include "lang/text/literal.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/parse_real.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/utf8.hpp"

namespace quern::lang {

namespace {

using Problem = std::optional<base::MessageText>;

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Digit separators are allowed only between digits.
bool remove_separators(std::string_view spelling, std::string& out) {
  for (size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '\'') {
      out += spelling[i];
      continue;
    }
    const bool between = i != 0 && digit_value(spelling[i - 1]) < 16 && i + 1 < spelling.size() &&
                         digit_value(spelling[i + 1]) < 16;
    if (!between) return false;
  }
  return true;
}

bool parse_integer_suffix(std::string_view suffix, NumberLiteral& number) {
  while (!suffix.empty()) {
    const char c = lower(suffix.front());
    if (c == 'u' && !number.is_unsigned) {
      number.is_unsigned = true;
    } else if (c == 'z' && !number.is_size && number.longs == 0) {
      number.is_size = true;
    } else if (c == 'l' && number.longs == 0 && !number.is_size) {
      number.longs = suffix.size() > 1 && suffix[1] == suffix[0] ? 2 : 1;
      suffix.remove_prefix(number.longs - 1u);
    } else {
      return false;
    }
    suffix.remove_prefix(1);
  }
  return true;
}

void parse_integer(std::string_view text, unsigned base, NumberLiteral& number) {
  size_t i = 0;
  for (; i < text.size() && digit_value(text[i]) < (base == 8 ? 10 : static_cast<int>(base)); ++i) {
    const auto digit = static_cast<unsigned>(digit_value(text[i]));
    if (digit >= base) {
      number.error = message::kNotOctalDigit(text.substr(i, 1));
      return;
    }
    number.overflow |= number.value > (std::numeric_limits<uint64_t>::max() - digit) / base;
    number.value = number.value * base + digit;
  }
  const std::string_view suffix = text.substr(i);
  if (i == 0) {
    number.error = message::kDigitsMissing();
  } else if (!parse_integer_suffix(suffix, number)) {
    number.error = message::kIntegerSuffix(suffix);
  }
}

// Whether a number that is out of range is too large (rather than too small): by the position of its first
// digit.
bool is_large(std::string_view digits, bool hex) {
  const size_t exponent_at = digits.find_first_of(hex ? "pP" : "eE");
  const std::string_view mantissa = digits.substr(0, exponent_at);
  long exponent =
      exponent_at == std::string_view::npos ? 0 : std::strtol(&digits[exponent_at + 1], nullptr, 10);
  const size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return false;
  const size_t point = mantissa.find('.') == std::string_view::npos ? mantissa.size() : mantissa.find('.');
  const long places = static_cast<long>(point) - static_cast<long>(first);
  return exponent > 0 || (exponent == 0 && places > 0) || exponent > -places * (hex ? 4 : 1);
}

template <typename T>
double parse_rounded(const std::string& digits, bool hex, bool& overflow) {
  T value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = base::parse_real(digits.data(), end, value, hex);
  if (parsed.ec != std::errc::result_out_of_range) return static_cast<double>(value);
  overflow = is_large(digits, hex);
  return overflow ? std::numeric_limits<double>::infinity() : 0.0;
}

// The length of the digits, point and exponent of a floating literal; 0 if it is malformed.
size_t float_extent(std::string_view text, bool hex, bool& has_exponent) {
  size_t i = 0;
  size_t digits = 0;
  size_t points = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.') {
      ++points;
    } else if (digit_value(text[i]) < (hex ? 16 : 10)) {
      ++digits;
    } else {
      break;
    }
  }
  if (digits == 0 || points > 1) return 0;
  has_exponent = i < text.size() && lower(text[i]) == (hex ? 'p' : 'e');
  if (!has_exponent) return i;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  const size_t first = i;
  while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
  return i == first ? 0 : i;
}

void parse_float(std::string_view text, bool hex, NumberLiteral& number) {
  number.is_float = true;
  bool has_exponent = false;
  const size_t extent = float_extent(text, hex, has_exponent);
  if (extent == 0) {
    number.error = message::kFloatIncomplete();
    return;
  }
  if (hex && !has_exponent) {
    number.error = message::kFloatExponentMissing();
    return;
  }
  const std::string_view suffix = text.substr(extent);
  if (suffix == "f" || suffix == "F") {
    number.is_float_suffix = true;
  } else if (suffix == "l" || suffix == "L") {
    number.longs = 1;
  } else if (!suffix.empty()) {
    number.error = message::kFloatSuffix(suffix);
    return;
  }
  std::string digits(text.substr(0, extent));
  const size_t plus = digits.find('+');
  if (plus != std::string::npos) digits.erase(plus, 1);  // from_chars does not accept it
  number.real = number.is_float_suffix ? parse_rounded<float>(digits, hex, number.overflow)
                                       : parse_rounded<double>(digits, hex, number.overflow);
}

bool looks_like_float(std::string_view text, bool hex) {
  return text.find_first_of(hex ? ".pP" : ".eE") != std::string_view::npos;
}

LiteralPrefix take_prefix(std::string_view& text) {
  const auto take = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  if (take("u8")) return LiteralPrefix::kUtf8;
  if (take("u")) return LiteralPrefix::kUtf16;
  if (take("U")) return LiteralPrefix::kUtf32;
  if (take("L")) return LiteralPrefix::kWide;
  return LiteralPrefix::kNone;
}

struct Element {
  uint32_t value = 0;
  bool is_byte = false;  // \x and octal escapes: the code unit itself, not a character
};

// \x41, \u00e9, \U0001F600 after their letter; at most `most` digits, `exact` if none may be missing.
uint32_t take_hex(std::string_view& text, size_t most, bool exact, Problem& error) {
  uint64_t value = 0;
  size_t n = 0;
  for (; n < most && n < text.size() && digit_value(text[n]) < 16; ++n) {
    value = value * 16 + static_cast<unsigned>(digit_value(text[n]));
    if (value > 0xFFFFFFFF) value = 0xFFFFFFFF;
  }
  if (n == 0 || (exact && n != most))
    error = exact ? message::kEscapeNeedsCountedDigits(std::to_string(most)) : message::kEscapeNeedsDigits();
  text.remove_prefix(n);
  return static_cast<uint32_t>(value);
}

// One element of a character or string, after its backslash.
Element take_escape(std::string_view& text, Problem& error) {
  constexpr std::string_view kNames = "ntr0abfv\\'\"?e";
  constexpr std::string_view kValues("\n\t\r\0\a\b\f\v\\'\"?\x1b", 13);
  const char c = text.front();
  if (c >= '0' && c <= '7') {
    uint32_t value = 0;
    for (int i = 0; i < 3 && !text.empty() && text.front() >= '0' && text.front() <= '7'; ++i) {
      value = value * 8 + static_cast<unsigned>(text.front() - '0');
      text.remove_prefix(1);
    }
    return {value, true};
  }
  text.remove_prefix(1);
  if (c == 'x') return {take_hex(text, text.size(), false, error), true};
  if (c == 'u') return {take_hex(text, 4, true, error), false};
  if (c == 'U') return {take_hex(text, 8, true, error), false};
  const size_t known = kNames.find(c);
  if (known != std::string_view::npos) return {static_cast<unsigned char>(kValues[known]), false};
  error = message::kEscapeUnknown(std::string_view(&c, 1));
  return {static_cast<unsigned char>(c), false};
}

Element take_element(std::string_view& text, Problem& error) {
  if (text.front() == '\\' && text.size() > 1) {
    text.remove_prefix(1);
    return take_escape(text, error);
  }
  const CodePoint c = decode_utf8(text);
  const Element element{c.bytes != 0 ? c.value : static_cast<unsigned char>(text.front()), c.bytes == 0};
  text.remove_prefix(c.bytes != 0 ? c.bytes : 1);
  return element;
}

bool is_narrow(LiteralPrefix prefix) {
  return prefix == LiteralPrefix::kNone || prefix == LiteralPrefix::kUtf8;
}

void append_element(StringLiteral& string, const Element& element) {
  if (!element.is_byte || !is_narrow(string.prefix)) {
    append_utf8(string.bytes, element.value);
  } else if (element.value <= 0xFF) {
    string.bytes += static_cast<char>(element.value);
  } else {
    string.error = message::kEscapeTooLarge();
  }
}

// R"tag( … )tag" after the R.
void decode_raw(std::string_view text, StringLiteral& string) {
  const size_t open = text.find('(');
  const size_t around = open + 1;  // as long as )tag"
  const std::string close =
      open == std::string_view::npos ? "" : ")" + std::string(text.substr(1, open - 1)) + "\"";
  if (close.empty() || text.size() < 2 * around || !text.ends_with(close)) {
    string.error = message::kRawStringIncomplete();
    return;
  }
  string.bytes = text.substr(around, text.size() - 2 * around);
}

}  // namespace

NumberLiteral decode_number(std::string_view spelling) {
  NumberLiteral number;
  std::string text;
  if (!remove_separators(spelling, text)) {
    number.error = message::kDigitSeparator();
    return number;
  }
  const std::string_view digits = text;
  const char second = digits.size() > 1 && digits[0] == '0' ? lower(digits[1]) : '\0';
  if (second == 'x') {
    number.is_decimal = false;
    const std::string_view rest = digits.substr(2);
    looks_like_float(rest, true) ? parse_float(rest, true, number) : parse_integer(rest, 16, number);
  } else if (second == 'b') {
    number.is_decimal = false;
    parse_integer(digits.substr(2), 2, number);
  } else if (looks_like_float(digits, false)) {
    parse_float(digits, false, number);
  } else {
    const bool octal = second >= '0' && second <= '9';
    number.is_decimal = !octal;
    parse_integer(digits, octal ? 8 : 10, number);
  }
  return number;
}

CharLiteral decode_char(std::string_view spelling) {
  CharLiteral result;
  std::string_view text = spelling;
  result.prefix = take_prefix(text);
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') {
    result.error = message::kCharacterIncomplete();
    return result;
  }
  text = text.substr(1, text.size() - 2);
  if (text.empty()) {
    result.error = message::kCharacterEmpty();
    return result;
  }
  const Element element = take_element(text, result.error);
  result.value = element.value;
  if (result.error) return result;
  if (!text.empty()) {
    result.error = message::kSeveralCharacters(spelling);
  } else if (is_narrow(result.prefix) && element.value > (element.is_byte ? 0xFFu : 0x7Fu)) {
    result.error = message::kCharacterTooLarge(spelling);
  }
  return result;
}

StringLiteral decode_string(std::string_view spelling) {
  StringLiteral result;
  std::string_view text = spelling;
  result.prefix = take_prefix(text);
  if (text.starts_with('R')) {
    decode_raw(text.substr(1), result);
    return result;
  }
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
    result.error = message::kStringIncomplete();
    return result;
  }
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) append_element(result, take_element(text, result.error));
  return result;
}

}  // namespace quern::lang
