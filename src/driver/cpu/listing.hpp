// The code of a kernel for people: of this processor or another, without running it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "driver/cpu/compiler.hpp"
#include "driver/interface/driver.hpp"
#include "lang/ir/ir.hpp"

namespace quern::cpu {

struct ListingOptions {
  Processor processor;
  driver::Dim3 block{256, 1, 1};
  uint32_t width = 0;  // 0: as many as blocks of that shape have on the device
  bool is_fused = false;
  bool is_fast = false;
  bool has_comments = false;  // LLVM IR: with the lines of the source
};

// `kernel` of the prepared module, as LLVM IR.
base::Result<std::string> llvm_listing(const ir::Module& module, const ir::Function& kernel,
                                       const ListingOptions& options);
// As assembly, full code. kNotFound: there is no LLVM.
base::Result<std::string> assembly_listing(const ir::Module& module, const ir::Function& kernel,
                                           const ListingOptions& options);

}  // namespace quern::cpu
