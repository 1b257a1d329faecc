// Pointers inside of struct parameters.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// The path from a parameter to the member that `inst` extracts, if it does: member numbers, outermost first.
const ir::Param* param_path(const ir::Inst* inst, std::vector<uint32_t>& path);

// For targets without addresses: each pointer that a kernel extracts from a struct parameter becomes a
// separate parameter, after all others. The size of the struct stays the same, and those bytes are unused. A
// pointer that is not extracted by constant members stays where it is.
struct SplitPointer {
  uint32_t param = 0;  // the struct parameter
  uint64_t at = 0;     // the byte offset in it
};
// In the order of the new parameters.
std::vector<SplitPointer> split_params(ir::Module& module, ir::Function& kernel);

// Whether the kernel uses a pointer inside of a struct parameter, or passes on a value that contains one.
bool uses_param_fields(const ir::Function& kernel);

}  // namespace quern::pass
