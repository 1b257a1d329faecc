// WGSL, the language of WebGPU: no pointers, no types of 8, 16 or 64 bits, and an analysis of its own of
// which threads arrive at a barrier.
#pragma once

#include "base/result.hpp"
#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"
#include "target/target.hpp"

namespace quern::target::wgsl {

// Fills in the text, the entries and what is refused. Options::version may list the binding of each buffer of
// group 0 ("0,1,0"): pointer parameters, variables, the report. Buffers with one binding share an array of
// words, which is `read` if all of them are. Without an entry the binding of the n-th buffer is n.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

}  // namespace quern::target::wgsl
