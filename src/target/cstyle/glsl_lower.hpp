// Lowers what GLSL lacks before a kernel is written: pointers, functions with guaranteed error bounds, and,
// on devices without them, 64-bit integers.
#pragma once

#include "lang/expand/expand.hpp"
#include "target/cstyle/unit.hpp"

namespace quern::target::cstyle {

// For a module with one kernel. A refusal is the reason why it cannot be expressed; the text follows the
// kernel's name.
base::Result<std::optional<Refusal>> lower_for_glsl(ir::Module& module, const Options& options);

}  // namespace quern::target::cstyle
