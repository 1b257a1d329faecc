// The attribute of the operation `ptx`: constraints and text of an asm statement.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::target {

inline constexpr std::string_view kClobber = "~";  // as the last constraint: memory is changed

struct PtxStatement {
  std::vector<std::string> constraints;  // "=r", "+f", "l", …
  std::string text;                      // with %0, %1, … and %% for %
};
PtxStatement ptx_statement(std::string_view attribute);

// The contents of a C string literal.
std::string c_text(std::string_view ptx);

// The text with its operands replaced.
std::string with_operands(std::string_view ptx, const std::function<std::string(size_t)>& operand);

// "wgmma.mma_async.sync.aligned…": its first instruction.
std::string first_instruction(std::string_view ptx);

// Whether the module has inline PTX.
bool has_inline_ptx(const ir::Module& module);

// Whether a statement of the module needs the features of one architecture only (sm_90a).
bool needs_architecture_features(const ir::Module& module);

}  // namespace quern::target
