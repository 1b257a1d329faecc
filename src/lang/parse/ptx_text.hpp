// Inline PTX translated to the kernel language: one statement for each instruction, made of calls of the
// library's functions __ptx_… (lang/builtin/library/ptx.cuh). Registers are objects that hold bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.hpp"

namespace quern::lang {

// %0, %1, …: the register's kind as in the constraint ('r', 'f', 'h', 'l', 'd', 'n'), and whether it is read
// and written. In the text, an operand is the variable __asm_N.
// The last operand of a statement with clobbers.
inline constexpr char kPtxClobber = '~';

struct PtxOperand {
  char kind = 'r';
  std::optional<int64_t> constant;  // of 'n'
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
  bool is_native = false;       // an instruction is kept as it is for NVIDIA devices
  std::string native;           // … the statement that does so
  uint32_t architecture = 80;   // … from this one on: sm_80
  std::string without_meaning;  // an instruction that has no meaning on other devices; empty: all have
  bool is_simulated = true;     // … but the simulator executes those of `statements`
  std::optional<base::MessageText> error;  // a statement that is not supported
};

// `id`: makes the labels of different statements different.
PtxText translate_ptx(std::string_view ptx, const std::vector<PtxOperand>& operands, size_t id);

}  // namespace quern::lang
