// A whole program in GLSL. Each kernel is a separate text; several are combined with `#ifdef ENTRY`, and the
// compilation defines the entry that it needs.
#pragma once

#include "target/cstyle/cstyle.hpp"

namespace quern::target::cstyle {

base::Result<void> emit_glsl(const ir::Module& module, const Options& options, driver::Code& code);

}  // namespace quern::target::cstyle
