// What GLSL lacks, before a kernel is written: pointers, functions that keep their bounds, and where the
// device has none, integers of 64 bits.
#pragma once

#include "lang/expand/expand.hpp"
#include "target/cstyle/unit.hpp"

namespace quern::target::cstyle {

// On a module with one kernel. A refusal says why that cannot be said; the reason follows the kernel's name.
base::Result<std::optional<Refusal>> lower_for_glsl(ir::Module& module, const Options& options);

}  // namespace quern::target::cstyle
