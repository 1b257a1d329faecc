// A kernel on its way to WGSL: what the language lacks becomes what it has, as IR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/interface/code.hpp"
#include "lang/ir/ir.hpp"
#include "target/target.hpp"

namespace quern::target::wgsl {

struct Refusal {
  ir::Pos pos;
  std::string reason;  // a sentence that begins with the kernel: "does …"
};

// `module` has this kernel alone. Afterwards there are only numbers of 32 bits and smaller ones held in them,
// every access is one of a whole word, and the kernel calls functions that are in the module too. A printf,
// assert or trap has the number of its place in `sites` as its attr.index, and words for operands.
std::optional<Refusal> lower(ir::Module& module, ir::Function& kernel, const Options& options,
                             std::vector<driver::ReportSite>& sites);

}  // namespace quern::target::wgsl
