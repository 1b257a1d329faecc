// UTF-8, one code point at a time. Invalid bytes are reported as such, never guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quern::lang {

struct CodePoint {
  uint32_t value = 0;
  uint32_t bytes = 0;  // 0: the first byte of the text starts no valid sequence
};

CodePoint decode_utf8(std::string_view text);             // the first code point; text must not be empty
void append_utf8(std::string& out, uint32_t code_point);  // values that are not code points become U+FFFD

}  // namespace quern::lang
