// PTX from the IR: for NVIDIA's driver if no CUDA C++ compiler is installed.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"

namespace quern::target::ptx {

// Options::version is the architecture: "sm_86" (default: sm_75). Code for an older one runs on newer
// devices.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

inline constexpr Descriptor kDescriptor = {.kind = driver::CodeKind::kPtx,
                                           .emit = emit,
                                           .suffixes = {".ptx"},
                                           .has_printf = true,
                                           .has_shuffles = true,
                                           .has_grid_barrier = true,
                                           .is_nvidia = true,
                                           .is_version = is_nvidia_architecture,
                                           .validator = {"ptxas"}};

}  // namespace quern::target::ptx
