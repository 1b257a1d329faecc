// The part of Unicode that plain text output needs: decoding with defined behavior on invalid bytes, and the
// width of a text on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quern::base {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

struct Decoded {
  char32_t code_point;  // kReplacementCharacter if the bytes are invalid
  std::size_t length;   // bytes consumed; 1 for an invalid byte
  bool valid;
};

// Decodes the first character of `text`, which must not be empty. Overlong forms, surrogates and values
// beyond U+10FFFF are invalid.
Decoded decode_utf8(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

bool is_valid_utf8(std::string_view text);

// Columns on a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks, control
// characters and color escapes.
std::size_t display_width(std::string_view text);

// Truncates to at most `columns`, with "…" as the last column if something was cut.
std::string fit_width(std::string_view text, std::size_t columns);

}  // namespace quern::base
