// Numbers of the text form: exact both ways, independent of locale and floating-point environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lang/ir/type.hpp"

namespace quern::ir {

// Appends the value of a constant without its type: "5", "-1", "true", "0.5", "0x1.8p+1", "nan(0x7fc00000)",
// "null", "zero".
void append_literal(std::string& out, const Type* type, uint64_t bits);

// Reads a number ("5", "-0x10", "1.5e3", "0x1.8p+1", "inf", "-inf") as the bits of a scalar type. Returns
// nothing if it is not a number, does not fit the integer type, or has more digits than can be read exactly
// (the hex form always can).
std::optional<uint64_t> parse_number(const Type* type, std::string_view text);

}  // namespace quern::ir
