// The text of inline kernels as their author wrote it. A macro argument loses its line breaks and comments,
// and thus all source locations. They are recovered from the program's source file if it can be read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern::detail {

// A use of QUERN_KERNEL, QUERN_TEMPLATE_KERNEL or QUERN_CODE in a file: [begin, end) from the macro's name to
// its closing parenthesis.
struct MacroUse {
  std::string_view macro;
  std::size_t begin = 0, inside = 0, end = 0;  // `inside`: after the opening parenthesis
  std::string arguments;                     // without comments, and without white space outside of literals
  std::optional<std::string> expanded = {};  // replaces the arguments in only()
};

std::vector<MacroUse> find_macro_uses(std::string_view text);

// Text without comments and white space, as in MacroUse::arguments.
std::string condensed(std::string_view text);

// The file with everything blanked except the given uses, so that each keeps its line and column.
std::string only(std::string_view text, const std::vector<MacroUse>& uses);

}  // namespace quern::detail
