// C-like text from IR: CUDA C++, HIP C++, OpenCL C. One emitter with a table per language.
#pragma once

#include "base/result.hpp"
#include "target/target.hpp"

namespace quern::target::cstyle {

// Sets the text, the entry names and the report sites; kernels and variables have been described already.
base::Result<void> emit(const ir::Module& module, const Options& options, driver::Code& code);

}  // namespace quern::target::cstyle
