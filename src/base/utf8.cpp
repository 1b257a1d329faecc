#include "base/utf8.hpp"

#include <algorithm>
#include <array>

namespace quern::base {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The blocks with combining marks and invisible characters of common scripts; rarer ones count as one column.
constexpr std::array<Range, 17> kZeroWidth = {{{0x0300, 0x036f},
                                               {0x0483, 0x0489},
                                               {0x0591, 0x05bd},
                                               {0x0610, 0x061a},
                                               {0x064b, 0x065f},
                                               {0x0900, 0x0902},
                                               {0x093c, 0x093c},
                                               {0x0941, 0x0948},
                                               {0x0e31, 0x0e31},
                                               {0x0e34, 0x0e3a},
                                               {0x1ab0, 0x1aff},
                                               {0x1dc0, 0x1dff},
                                               {0x200b, 0x200f},
                                               {0x20d0, 0x20ff},
                                               {0xfe00, 0xfe0f},
                                               {0xfe20, 0xfe2f},
                                               {0xfeff, 0xfeff}}};

constexpr std::array<Range, 12> kDoubleWidth = {{{0x1100, 0x115f},
                                                 {0x2e80, 0x303e},
                                                 {0x3041, 0x33ff},
                                                 {0x3400, 0x4dbf},
                                                 {0x4e00, 0x9fff},
                                                 {0xa000, 0xa4cf},
                                                 {0xac00, 0xd7a3},
                                                 {0xf900, 0xfaff},
                                                 {0xfe30, 0xfe6f},
                                                 {0xff00, 0xff60},
                                                 {0xffe0, 0xffe6},
                                                 {0x1f300, 0x1faff}}};

template <std::size_t kCount>
bool contains(const std::array<Range, kCount>& ranges, char32_t code_point) {
  const auto above = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                      [](char32_t value, const Range& range) { return value < range.first; });
  return above != ranges.begin() && code_point <= std::prev(above)->last;
}

std::size_t columns_of(char32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0)) return 0;
  if (code_point < 0x300) return 1;
  if (contains(kZeroWidth, code_point)) return 0;
  const bool wide_plane = code_point >= 0x20000 && code_point <= 0x3fffd;
  return wide_plane || contains(kDoubleWidth, code_point) ? 2 : 1;
}

// The length of a color escape ("\x1b[1;31m") at the start of `text`, or 0.
std::size_t escape_length(std::string_view text) {
  if (text.substr(0, 2) != "\x1b[") return 0;
  const std::size_t end = text.find_first_not_of("0123456789;:", 2);
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

Decoded decode_utf8(std::string_view text) {
  constexpr Decoded kInvalid{kReplacementCharacter, 1, false};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return kInvalid;
  char32_t code_point = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return kInvalid;
    code_point = code_point << 6 | (byte(i) & 0x3fu);
  }
  const char32_t smallest = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (code_point < smallest || surrogate || code_point > 0x10ffff) return kInvalid;
  return {code_point, length, true};
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3f));
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Decoded next = decode_utf8(text);
    if (!next.valid) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    std::size_t length = escape_length(text);
    if (length == 0) {
      const Decoded next = decode_utf8(text);
      width += columns_of(next.code_point);
      length = next.length;
    }
    text.remove_prefix(length);
  }
  return width;
}

std::string fit_width(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string fitted;
  std::size_t width = 0;
  while (!text.empty()) {
    const Decoded next = decode_utf8(text);
    width += columns_of(next.code_point);
    if (width > columns - 1) break;
    fitted += text.substr(0, next.length);
    text.remove_prefix(next.length);
  }
  return fitted + "…";
}

}  // namespace quern::base
