#include "driver/cpu/listing.hpp"

#include "driver/cpu/module.hpp"

namespace quern::cpu {

base::Result<std::string> llvm_listing(const ir::Module& module, const ir::Function& kernel,
                                       const ListingOptions& options) {
  const llvm::Demand demand = llvm::demand(kernel);
  const uint32_t usual = fitting_lanes(usual_lanes(options.processor), demand, options.block);
  const uint32_t width = options.width != 0 ? options.width : usual;
  llvm::Options o = usual_options(options.processor, width, demand, options.block);
  o.is_fused = options.is_fused;
  o.is_fast = options.is_fast;
  o.has_comments = options.has_comments;
  QUERN_TRY_ASSIGN(llvm::Code code, llvm::emit(module, kernel, o));
  if (code.is_better_alone && !demand.warp) {
    QUERN_TRY_ASSIGN(code, llvm::emit(module, kernel, alone(o)));
  }
  return std::move(code.text);
}

base::Result<std::string> assembly_listing(const ir::Module& module, const ir::Function& kernel,
                                           const ListingOptions& options) {
  QUERN_TRY_ASSIGN(const std::string text, llvm_listing(module, kernel, options));
  return compile_object(text, options.processor, Effort::kFull, Form::kAssembly);
}

}  // namespace quern::cpu
