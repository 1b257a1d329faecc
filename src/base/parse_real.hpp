// std::from_chars for floating point; Apple's C++ library has it for integers only.
#pragma once

#include <charconv>
#include <type_traits>

#if defined(__APPLE__) && !defined(__cpp_lib_to_chars)
#define QUERN_NO_REAL_FROM_CHARS
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>

#include <xlocale.h>
#endif

namespace quern::base {

// Hexadecimal digits have no prefix.
template <typename T>
std::from_chars_result parse_real(const char* first, const char* last, T& value, bool is_hexadecimal) {
#if !defined(QUERN_NO_REAL_FROM_CHARS)
  return std::from_chars(first, last, value,
                         is_hexadecimal ? std::chars_format::hex : std::chars_format::general);
#else
  if (first == last || *first == '+' || std::isspace(static_cast<unsigned char>(*first)) != 0)
    return {first, std::errc::invalid_argument};
  const std::string text = (is_hexadecimal ? "0x" : "") + std::string(first, last);
  char* end = nullptr;
  errno = 0;
  T parsed = 0;
  if constexpr (std::is_same_v<T, float>) {
    parsed = ::strtof_l(text.c_str(), &end, nullptr);  // null: the C locale
  } else {
    parsed = ::strtod_l(text.c_str(), &end, nullptr);
  }
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* const stop = first + (end - text.c_str()) - (is_hexadecimal ? 2 : 0);
  if (errno == ERANGE) return {stop, std::errc::result_out_of_range};
  value = parsed;
  return {stop, std::errc()};
#endif
}

}  // namespace quern::base
