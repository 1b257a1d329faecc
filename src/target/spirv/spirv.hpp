// SPIR-V as binary, for Vulkan (the Shader model) and for OpenCL and Level Zero (the Kernel model). What runs
// before, what is lowered and what is refused: docs/targets.md.
#pragma once

#include "driver/interface/code.hpp"
#include "target/target.hpp"

namespace quern::target::spirv {

// Fills in the bytes, and what the kernels' arguments look like.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

}  // namespace quern::target::spirv
