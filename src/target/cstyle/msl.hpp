// A whole program in the Metal Shading Language.
#pragma once

#include "target/cstyle/cstyle.hpp"

namespace quern::target::cstyle {

base::Result<void> emit_msl(const ir::Module& module, const Options& options, driver::Code& code);

}  // namespace quern::target::cstyle
