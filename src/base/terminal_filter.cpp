#include "base/terminal_filter.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace quern::base {
namespace {

constexpr std::size_t kLongestColour = 16;
constexpr std::string_view kEscape = "\x1b[";

bool is_control(char32_t c) {
  const bool is_direction = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e ||
                            c == 0x200f || c == 0x061c;
  const bool is_separator = c == 0x2028 || c == 0x2029;
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || is_direction || is_separator;
}

// "", "0", "1", "2", "1;31", "48;5;200": the codes that Quern uses.
bool is_own_colour(std::string_view codes) {
  if (codes.starts_with("48;5;")) return parse_uint(codes.substr(5)).value_or(256) < 256;
  const auto parts = split(codes, ';');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    const std::uint64_t code = parse_uint(part).value_or(99);
    return code <= 2 || (code >= 31 && code <= 36);
  });
}

enum class Match : std::uint8_t { kNone, kPart, kWhole };

// Whether `text`, which starts with ESC, starts with one of Quern's color sequences, and its length.
std::pair<Match, std::size_t> match_colour(std::string_view text) {
  if (text.size() < kEscape.size()) return {Match::kPart, 0};
  if (!text.starts_with(kEscape)) return {Match::kNone, 0};
  const std::size_t end = text.find_first_not_of("0123456789;", kEscape.size());
  if (end == std::string_view::npos) return {text.size() < kLongestColour ? Match::kPart : Match::kNone, 0};
  const std::string_view codes = text.substr(kEscape.size(), end - kEscape.size());
  const bool is_ours = text[end] == 'm' && end < kLongestColour && is_own_colour(codes);
  return {is_ours ? Match::kWhole : Match::kNone, end + 1};
}

// Whether more bytes could complete a valid character.
bool is_cut_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() >= wanted) return false;
  return std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
}

}  // namespace

std::string TerminalFilter::feed(std::string_view text) {
  pending_ += text;
  return filter(false);
}

std::string TerminalFilter::finish() { return filter(true); }

std::string TerminalFilter::filter(bool is_last) {
  std::string out;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    // Plain text in one piece: the common case.
    const auto* const end = std::find_if_not(
        rest.begin(), rest.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; });
    const auto plain = static_cast<std::size_t>(end - rest.begin());
    out += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    const bool is_return = rest.front() == '\r';
    if (is_return && rest.size() == 1 && !is_last) break;
    if (is_return && rest.size() > 1 && rest[1] == '\n') {
      out += "\r\n";
      rest.remove_prefix(2);
      continue;
    }
    if (rest.front() == '\x1b') {
      const auto [match, length] = match_colour(rest);
      if (match == Match::kPart && !is_last) break;
      if (match == Match::kWhole) {
        out += rest.substr(0, length);
        rest.remove_prefix(length);
        continue;
      }
    }
    if (!is_last && is_cut_character(rest)) break;
    const Decoded c = decode_utf8(rest);
    if (!c.valid) {
      append_utf8(out, kReplacementCharacter);
    } else if (is_control(c.code_point)) {
      out += format("\\u%04x", static_cast<unsigned>(c.code_point));
    } else {
      out += rest.substr(0, c.length);
    }
    rest.remove_prefix(c.length);
  }
  pending_ = std::string(rest);
  return out;
}

}  // namespace quern::base
