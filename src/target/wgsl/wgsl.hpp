// WGSL, the language of WebGPU: no pointers, no types of 8, 16 or 64 bits, and its own uniformity analysis
// for barriers.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"

namespace quern::target::wgsl {

// Sets the text, the entries and the refused kernels. Options::version may list the binding of each buffer of
// group 0 ("0,1,0"): pointer parameters, variables, the report. Buffers with the same binding share an array
// of words, which is `read` if all of them are. The default binding of the n-th buffer is n.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

inline constexpr Descriptor kDescriptor = {.kind = driver::CodeKind::kWgsl,
                                           .emit = emit,
                                           .suffixes = {".wgsl"},
                                           .pointers = PointerForm::kBoundBuffer,
                                           .has_atomics64 = false,
                                           .software = {driver::Feature::fp64},
                                           .validator = {"naga"}};

}  // namespace quern::target::wgsl
