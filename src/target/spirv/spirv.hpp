// SPIR-V binaries, for Vulkan (the Shader model) and for OpenCL and Level Zero (the Kernel model). For the
// passes that run before, for what is lowered and what is refused, see docs/targets.md.
#pragma once

#include "driver/interface/code.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"

namespace quern::target::spirv {

// Sets the bytes, and the layout of the kernels' arguments.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

/// Cooperative matrices are loaded and stored through addresses.
bool can_be_cooperative_matrices(const ir::Module& module, ir::Function& kernel, const Options& options);

/// The Shader model, for Vulkan.
inline constexpr Descriptor kShader = {
    .kind = driver::CodeKind::kSpirv,
    .emit = emit,
    .suffixes = {".spv"},
    .pointers = PointerForm::kAddressIfPresent,
    .can_be_objects = can_be_cooperative_matrices,
    .usual_native = {driver::Feature::int64, driver::Feature::int8, driver::Feature::int16},
    .validator = {"spirv-val", "vulkan1.2"}};

/// The Kernel model, for OpenCL and Level Zero.
inline constexpr Descriptor kKernel = {.kind = driver::CodeKind::kSpirvKernel,
                                       .emit = emit,
                                       .pointers = PointerForm::kAddressIfPresent,
                                       .validator = {"spirv-val", "opencl2.2"}};

}  // namespace quern::target::spirv
