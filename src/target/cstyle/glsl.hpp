// A whole program in GLSL. Each kernel is a text of its own; several stand in one behind `#ifdef ENTRY`, and
// who compiles it defines the entry it wants.
#pragma once

#include "target/cstyle/cstyle.hpp"

namespace quern::target::cstyle {

base::Result<void> emit_glsl(const ir::Module& module, const Options& options, driver::Code& code);

}  // namespace quern::target::cstyle
