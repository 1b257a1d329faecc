// SPIR-V binaries, for Vulkan (the Shader model) and for OpenCL and Level Zero (the Kernel model). For the
// passes that run before, for what is lowered and what is refused, see docs/targets.md.
#pragma once

#include "driver/interface/code.hpp"
#include "target/target.hpp"

namespace quern::target::spirv {

// Sets the bytes, and the layout of the kernels' arguments.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

}  // namespace quern::target::spirv
