// String helpers for all layers: printf-style formatting into a std::string, splitting and joining,
// human-readable numbers, and the nearest name for "did you mean". All functions are pure and thread-safe.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern::base {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);
[[gnu::format(printf, 1, 0)]] std::string format_va(const char* pattern, std::va_list arguments);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);

// Always at least one part; adjacent separators give empty parts. The parts are views of `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
// As split at '\n', with "\r\n" accepted and no empty part after a final newline.
std::vector<std::string_view> split_lines(std::string_view text);

std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);  // ASCII only
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// The whole text as a number, or nothing: no spaces, no trailing characters, no overflow. Integers accept the
// prefixes 0x and 0b, parse_int a sign; doubles may be hexadecimal, "inf" or "nan". Independent of the
// locale.
std::optional<std::int64_t> parse_int(std::string_view text);
std::optional<std::uint64_t> parse_uint(std::string_view text);
std::optional<double> parse_double(std::string_view text);

// The shortest decimal that parses to the same value: "0.1", "1e+300", "nan", "-inf".
std::string format_double(double value);
std::string format_float(float value);

std::string format_count(std::uint64_t value);  // "10,000,000"
std::string format_bytes(std::uint64_t bytes);  // "0 B", "1023 B", "1.0 KiB", "61.2 GiB"
// Two or three digits: "31 ns", "4.3 µs", "0.41 ms", "9.8 s", "2 min 5 s", "1 h 4 min".
std::string format_duration(double seconds);
std::string format_plural(std::uint64_t count, std::string_view noun);  // "1 kernel", "2 kernels"

// Insertions, deletions, substitutions and swaps of neighbors, at cost 1 each (restricted
// Damerau-Levenshtein). Returns `limit` + 1 as soon as the distance is known to exceed `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// The candidate most likely meant by `name`, or nothing if none is close enough. A difference in case alone
// counts as nearly equal. The first of equally near candidates wins.
std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> candidates);
std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace quern::base
