// Values of number, character and string tokens. The caller reports errors: it knows the position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/message.hpp"

namespace quern::lang {

struct NumberLiteral {
  bool is_float = false;
  bool is_float_suffix = false;  // f or F: single precision
  bool is_unsigned = false;      // u or U
  bool is_size = false;          // z or Z
  bool is_decimal = true;        // integers: written in base 10, which determines the possible types
  uint8_t longs = 0;             // the number of l or L, also on floating literals
  bool overflow = false;         // integers: needs more than 64 bits; floating: too large, real is infinite
  uint64_t value = 0;            // of integers; with overflow: modulo 2^64
  double real = 0;  // of floating literals, correctly rounded once: to float when is_float_suffix
  std::optional<base::MessageText> error;  // none if the spelling is a valid number
};

enum class LiteralPrefix : uint8_t { kNone, kUtf8, kWide, kUtf16, kUtf32 };  // "", u8, L, u, U

struct CharLiteral {
  LiteralPrefix prefix = LiteralPrefix::kNone;
  uint32_t value = 0;  // without prefix: a byte, 0 to 255; with one: a code point
  std::optional<base::MessageText> error;
};

struct StringLiteral {
  LiteralPrefix prefix = LiteralPrefix::kNone;
  std::string bytes;  // escapes resolved; UTF-8 whatever the prefix, without a terminating NUL
  std::optional<base::MessageText> error;
};

NumberLiteral decode_number(std::string_view spelling);  // a kNumber token's text
CharLiteral decode_char(std::string_view spelling);      // a kChar token's text
StringLiteral decode_string(std::string_view spelling);  // a kString token's text, raw or not

}  // namespace quern::lang
