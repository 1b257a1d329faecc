// A small assembler, so that tests of SPIR-V need no tool: one instruction per line, in the syntax of
// spirv-as. Names of operations are those of the reader's table; of the other names only those that tests use
// are known.
// `%name` is an id, `"…"` a string, `0f…` the bits of a float, anything else a number. `;` starts a comment.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace quern::test {

// Fails the running test on unknown input.
std::vector<uint32_t> assemble(std::string_view text);

}  // namespace quern::test
