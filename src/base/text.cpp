#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/parse_real.hpp"

namespace quern::base {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <typename Part>
std::string join_parts(std::span<const Part> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) text += separator;
    text += parts[i];
  }
  return text;
}

template <typename Float>
std::string format_shortest(Float value) {
  std::array<char, 64> buffer;
  const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return failure == std::errc() ? std::string(buffer.data(), end) : std::string("?");
}

// One mistake in three letters; beyond that a suggestion is more likely noise.
std::size_t tolerance(std::size_t length) { return std::max<std::size_t>(1, length / 3); }

template <typename Candidate>
std::optional<std::string_view> nearest_of(std::string_view name, std::span<const Candidate> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = tolerance(name.size()) + 1;
  const std::string folded_name = to_lower(name);
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate == name) continue;
    const bool same_but_case = to_lower(candidate) == folded_name;
    const std::size_t distance = same_but_case ? 1 : edit_distance(name, candidate, best_distance - 1);
    // Suggestions that share no letter with the input are rejected.
    if (distance >= best_distance ||
        (!same_but_case && distance >= std::max(name.size(), candidate.size()))) {
      continue;
    }
    best = candidate;
    best_distance = distance;
    if (best_distance <= 1 && same_but_case) break;
  }
  return best;
}

}  // namespace

std::string format_va(const char* pattern, std::va_list arguments) {
  std::va_list measured;
  va_copy(measured, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, measured);
  va_end(measured);
  if (length <= 0) return {};
  std::string text(static_cast<std::size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, arguments);
  return text;
}

std::string format(const char* pattern, ...) {
  std::va_list arguments;
  va_start(arguments, pattern);
  std::string text = format_va(pattern, arguments);
  va_end(arguments);
  return text;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<std::string_view> split_lines(std::string_view text) {
  if (text.empty()) return {};
  if (text.back() == '\n') text.remove_suffix(1);
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  }
  return lines;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::string to_lower(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  return lowered;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) return std::string(text);
  std::string replaced;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t found = text.find(from, begin);
    replaced += text.substr(begin, found - begin);
    if (found == std::string_view::npos) return replaced;
    replaced += to;
    begin = found + from.size();
  }
}

std::optional<std::uint64_t> parse_uint(std::string_view text) {
  int radix = 10;
  if (text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x') radix = 16;
  if (text.size() > 2 && text[0] == '0' && lower(text[1]) == 'b') radix = 2;
  if (radix != 10) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value, radix);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const std::optional<std::uint64_t> magnitude = parse_uint(text);
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (!magnitude || *magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<double> parse_double(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) return std::nullopt;
  }
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x';
  if (hexadecimal) text.remove_prefix(2);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = parse_real(text.data(), end, value, hexadecimal);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return negative ? -value : value;
}

std::string format_double(double value) { return format_shortest(value); }
std::string format_float(float value) { return format_shortest(value); }

std::string format_count(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t from_end = 3; from_end < digits.size(); from_end += 4) {
    digits.insert(digits.size() - from_end, 1, ',');
  }
  return digits;
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return format("%llu B", static_cast<unsigned long long>(bytes));
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double scaled = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (scaled >= 1023.95 && unit + 1 < kUnits.size()) {
    scaled /= 1024;
    ++unit;
  }
  return format("%.1f %s", scaled, kUnits[unit]);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  const auto scaled = [](double value, const char* unit) {
    return format(value < 1 ? "%.2f %s" : value < 10 ? "%.1f %s" : "%.0f %s", value, unit);
  };
  if (seconds < 0.9995e-6) return format("%.0f ns", seconds * 1e9);
  if (seconds < 99.95e-6) return scaled(seconds * 1e6, "µs");
  if (seconds < 0.9995) return scaled(seconds * 1e3, "ms");
  if (seconds < 59.5) return scaled(seconds, "s");
  const auto whole = static_cast<unsigned long long>(std::min(seconds + 0.5, 1e15));
  if (whole < 3600) return format("%llu min %llu s", whole / 60, whole % 60);
  return format("%llu h %llu min", whole / 3600, whole % 3600 / 60);
}

std::string format_plural(std::uint64_t count, std::string_view noun) {
  return format_count(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() < b.size()) std::swap(a, b);
  if (a.size() - b.size() > limit) return limit + 1;
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t row_minimum = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substitution, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      row_minimum = std::min(row_minimum, row[j]);
    }
    if (row_minimum > limit) return limit + 1;
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> candidates) {
  return nearest_of(name, candidates);
}

std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string> candidates) {
  return nearest_of(name, candidates);
}

}  // namespace quern::base
