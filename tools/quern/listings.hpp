// Readable code of the cpu device: assembly, or LLVM IR.
#pragma once

#include <string>

#include "base/result.hpp"
#include "command.hpp"
#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"

namespace quern::tool {

// All kernels of the prepared module, according to --target (cpu or llvm), --cpu and --block.
base::Result<std::string> cpu_listings(const ir::Module& module, driver::Math math,
                                       const Arguments& arguments);

}  // namespace quern::tool
