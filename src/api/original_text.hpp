// The text of inline kernels as their author wrote it. A macro's argument loses its line breaks and comments,
// and with them every place a message could name; the program's file still has them, when it can be read.
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

// Text with comments and white space taken out, as MacroUse::arguments has it.
std::string condensed(std::string_view text);

// The file with everything blank except for the given uses, so that each keeps its line and column.
std::string only(std::string_view text, const std::vector<MacroUse>& uses);

}  // namespace quern::detail
