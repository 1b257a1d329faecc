// WGSL, the language of WebGPU: no pointers, no types of 8, 16 or 64 bits, and its own uniformity analysis
// for barriers.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"

namespace quern::target::wgsl {

// Sets the text, the entries and the refused kernels.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

inline constexpr Descriptor kDescriptor = {.kind = driver::CodeKind::kWgsl,
                                           .emit = emit,
                                           .suffixes = {".wgsl"},
                                           .pointers = PointerForm::kBoundBuffer,
                                           .validator = {"naga"}};

}  // namespace quern::target::wgsl
