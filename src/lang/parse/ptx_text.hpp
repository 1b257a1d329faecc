// Inline PTX translated to the kernel language: one statement for each instruction, made of calls of the
// library's functions __ptx_… (lang/builtin/library/ptx.cuh). Registers are objects that hold bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.hpp"

namespace quern::lang {

// %0, %1, …: the register's kind as in the constraint ('r', 'f', 'h', 'l', 'd', 'n'), and whether it is read
// and written. In the text, an operand is the variable __asm_N.
struct PtxOperand {
  char kind = 'r';
  bool is_read = true;
  bool is_written = false;
};

struct PtxStatement {
  std::string instruction;  // as the user wrote it, for messages
  std::string function;     // library function, which must exist; empty: none
  std::string text;         // statements in the kernel language
};

struct PtxText {
  std::vector<PtxStatement> statements;
  std::optional<base::MessageText> error;  // a statement that is not supported
};

PtxText translate_ptx(std::string_view ptx, const std::vector<PtxOperand>& operands);

}  // namespace quern::lang
