// Capabilities of an output stream: a terminal gets color and redrawing, a file or a pipe gets plain text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace quern::base {

// False also for TERM=dumb.
bool is_terminal(std::FILE* stream);

// As is_terminal, and false if NO_COLOR is set (https://no-color.org).
bool wants_colour(std::FILE* stream);

// Columns of the terminal; 80 if it is not one or the width is not known.
std::size_t terminal_width(std::FILE* stream);

enum class Style : std::uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue };

// Returns the text unchanged if `colour` is false or the style is plain.
std::string paint(std::string_view text, Style style, bool colour);

}  // namespace quern::base
