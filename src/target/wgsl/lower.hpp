// Lowers a kernel to operations that WGSL has, as IR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"
#include "target/refusal.hpp"
#include "target/target.hpp"

namespace quern::target::wgsl {

// `module` contains only this kernel. Afterwards all numbers have 32 bits (smaller ones are held in 32),
// every access is of a whole word, and the kernel calls functions that are in the module too. A printf,
// assert or trap has the index of its site in `sites` as its attr.index, and words as operands.
std::optional<Refusal> lower(ir::Module& module, ir::Function& kernel, const Options& options,
                             std::vector<driver::ReportSite>& sites);

}  // namespace quern::target::wgsl
