// A small assembler, so that tests of SPIR-V need no tool: one instruction per line, as spirv-as takes them.
// Names of operations are the reader's own table; of the other names only those that tests use are known.
// `%name` stands for an id, `"…"` for text, `0f…` for the bits of a float, anything else for a number. Behind
// `;` is a comment.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace quern::test {

// Fails the running test on what it does not understand.
std::vector<uint32_t> assemble(std::string_view text);

}  // namespace quern::test
