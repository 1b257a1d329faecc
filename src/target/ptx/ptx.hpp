// PTX from our own IR: what NVIDIA's driver takes where no compiler of CUDA C++ is installed.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"

namespace quern::target::ptx {

// Options::version is the architecture: "sm_86" (if not given, sm_75). Code of an older one runs on newer
// devices.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

inline constexpr Descriptor kDescriptor = {.kind = driver::CodeKind::kPtx,
                                           .emit = emit,
                                           .suffixes = {".ptx"},
                                           .has_printf = true,
                                           .has_shuffles = true,
                                           .is_nvidia = true,
                                           .is_version = is_nvidia_architecture};

}  // namespace quern::target::ptx
