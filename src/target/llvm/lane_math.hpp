// Math functions as vector code: straight-line functions of the device library
// (lang/expand/library/math_lanes*.cuh), which the emitter writes for one lane or for all of them.
#pragma once

#include <string>

#include "lang/ir/ir.hpp"
#include "target/llvm/emit.hpp"

namespace quern::llvm {

// Links into `module` the functions for all math operations on floats in `kernel`. Does nothing on a
// processor without fma. Returns the reason when a function does not compile; otherwise an empty string.
std::string link_lane_math(ir::Module& module, ir::Function& kernel, const Options& options);

// The function for an operation, or null. With Options::is_fast, its fast form where there is one.
const ir::Function* lane_function(const ir::Module& module, const ir::Inst& inst, const Options& options);
// The predicate for the arguments for which lane_function() is accurate, or null if it is for all.
const ir::Function* lane_domain(const ir::Module& module, const ir::Inst& inst, const Options& options);

}  // namespace quern::llvm
