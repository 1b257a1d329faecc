#include "target/target.hpp"

#include "target/describe.hpp"

namespace quern::target {

using base::Error;
using base::ErrorKind;

bool can_emit(driver::CodeKind kind) { return kind == driver::CodeKind::kIr; }

base::Result<driver::Code> emit(const std::shared_ptr<const ir::Module>& module, const std::string& name,
                                const Options& options) {
  driver::Code code;
  code.kind = options.kind;
  code.name = name;
  for (const ir::Function* f : module->functions) {
    if (f->is_kernel) code.kernels.push_back(describe(*module, *f));
  }
  code.variables = describe_variables(*module);
  switch (options.kind) {
    case driver::CodeKind::kIr: code.module = module; return code;
    default:
      return Error(ErrorKind::kUnsupported,
                   "kernels cannot be written as " + std::string(driver::name(options.kind)));
  }
}

}  // namespace quern::target
