// Tree to IR: variables become `var`s, references become addresses, control flow becomes regions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include "lang/ir/ir.hpp"
#include "lang/sema/sema.hpp"

namespace quern::lang {

// A kernel that device code launches.
struct LaunchedKernel {
  FunctionDecl* function = nullptr;
  std::string name;
};

// Lowers the kernels and everything they call into `module` (Sema::complete_body completes functions when
// they are first used). `names[i]` is the IR name of kernels[i]. A kernel with errors is left out; the errors
// are in sema.diagnostics.
// Returns, for each kernel, why it was left out: its first error, or that of a function it calls. Empty: the
// kernel is in the module. `more` returns further kernels, as long as there are any: those that the lowered
// functions launch. Their reasons follow.
std::vector<std::string> lower(Sema& sema, std::span<FunctionDecl* const> kernels,
                               std::span<const std::string> names, ir::Module& module,
                               const std::function<std::vector<LaunchedKernel>()>& more = {});

// The IR type of a C++ type, and the IR struct of a class (bases are fields named after them, padding is
// implicit).
const ir::Type* lower_type(Sema& sema, ir::Module& module, QualType type);

}  // namespace quern::lang
