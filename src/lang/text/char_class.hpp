// The character classes of each byte, as one table: the lexer's inner loops look it up once per byte.
#pragma once

#include <array>
#include <cstdint>

namespace quern::lang {

enum CharClass : uint8_t {
  kCharIdentStart = 1,  // letters, '_', and '$' as in gcc
  kCharDigit = 2,
  kCharBlank = 4,     // white space except newline; NUL bytes are harmless
  kCharQuote = 8,     // " and '
  kCharHigh = 16,     // not ASCII
  kCharSkipStop = 32  // where a skipped line may stop being plain text: newline, quotes, '/', NUL
};

inline constexpr std::array<uint8_t, 256> kCharTable = [] {
  std::array<uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = kCharIdentStart;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] = kCharIdentStart;
  table['_'] = table['$'] = kCharIdentStart;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] = kCharDigit;
  table[' '] = table['\t'] = table['\r'] = table['\v'] = table['\f'] = kCharBlank;
  table['"'] = table['\''] = kCharQuote | kCharSkipStop;
  table['\n'] = table['/'] = kCharSkipStop;
  table['\0'] = kCharBlank | kCharSkipStop;
  for (size_t c = 0x80; c < 0x100; ++c) table[c] = kCharHigh;
  return table;
}();

inline bool is_char(char c, int classes) {
  return (kCharTable[static_cast<unsigned char>(c)] & classes) != 0;
}

}  // namespace quern::lang
