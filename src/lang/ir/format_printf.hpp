// Formats the output of device-side printf: C's formats for numbers, characters, pointers and strings. Used
// by every device that formats on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ir/type.hpp"

namespace quern::ir {

struct PrintArgument {
  uint64_t bits;  // as Const::bits; an address for %s and %p
  const Type* type;
};

// The conversion that uses each argument: its letter, or '*' for a width or precision. Arguments that the
// format does not use are not included.
std::string printf_conversions(std::string_view format);

/// The format without %n, which would store to memory. Adds the positions of the arguments that its %n (and
/// their widths) consume to `dropped`, in ascending order.
std::string without_counts(std::string_view format, std::vector<std::size_t>& dropped);

// `read_string` returns the text at an address, for %s.
std::string format_printf(std::string_view format, std::span<const PrintArgument> arguments,
                          const std::function<std::string(uint64_t)>& read_string);

}  // namespace quern::ir
