// Listings of a kernel's code for this processor or another one, without running it.
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
  uint32_t width = 0;  // 0: the device's choice for blocks of that shape
  bool is_fused = false;
  bool is_fast = false;
  bool has_comments = false;  // LLVM IR: with the source lines as comments
};

// `kernel` of the lowered module, as LLVM IR.
base::Result<std::string> llvm_listing(const ir::Module& module, const ir::Function& kernel,
                                       const ListingOptions& options);
// As assembly of full code. kNotFound: LLVM is not installed.
base::Result<std::string> assembly_listing(const ir::Module& module, const ir::Function& kernel,
                                           const ListingOptions& options);

}  // namespace quern::cpu
