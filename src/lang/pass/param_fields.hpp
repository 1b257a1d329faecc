// Pointers inside of struct parameters.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// The way from a parameter to the member that `inst` extracts, if it does: member numbers, outermost first.
const ir::Param* param_path(const ir::Inst* inst, std::vector<uint32_t>& path);

// For targets without addresses: each pointer that a kernel takes out of a struct parameter becomes a
// parameter of its own, behind all others. What stays of the struct is as long as it was, and nobody looks at
// those bytes. A pointer that is not taken out by constant members stays where it is.
struct SplitPointer {
  uint32_t param = 0;  // the struct
  uint64_t at = 0;     // the byte of it
};
// In the order of the new parameters.
std::vector<SplitPointer> split_params(ir::Module& module, ir::Function& kernel);

// Whether the kernel uses a pointer inside of a struct parameter, or hands on what contains one.
bool uses_param_fields(const ir::Function& kernel);

}  // namespace quern::pass
