// The IR's text form: printed, and parsed back to the same IR. Positions follow each instruction as
// `@line:col` (in full `@file:line:col+length`; file 0 and length 1 are omitted) and are preserved; the
// source text of the files is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/ir/ir.hpp"

namespace quern::ir {

struct PrintOptions {
  bool positions = true;
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Function& function, const PrintOptions& options = {});
std::string print_declarations(const Module& module);  // everything but its functions

struct ParseError {
  uint32_t line = 0;
  uint32_t column = 0;
  std::string message;
};

// Accepts arbitrary bytes safely. The result is verified.
std::optional<Module> parse(std::string_view text, ParseError& error);

}  // namespace quern::ir
