// Which instances of template kernels a file needs: found from the launches in its host code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/sema/sema.hpp"

namespace quern::lang {

// The kernels named by `name<args><<<…>>>(…)` and `name<<<…>>>(arguments)` in host functions, and in the
// instances of host templates that these call, without duplicates, in order (host_launches.cpp).
std::vector<FunctionDecl*> launched_instances(Sema& sema);

// A kernel as a user names it: "step", "ns::step", "scan<float, 256>". nullptr: `why` is the reason.
FunctionDecl* find_kernel(Sema& sema, std::string_view name, base::MessageText& why);

// Tries likely template arguments until the body of one instance has no errors; nullptr: there is none, and
// `why` is the reason for the first one.
FunctionDecl* likely_instance(Sema& sema, TemplateDecl* kernel, std::string& why);

// kernel<<<grid, block, shared, stream>>>(arguments) in device code; `config` has one to four values.
Expr* launch_from_device(Sema& sema, const OverloadSet& kernel, std::vector<Expr*> config,
                         std::vector<Expr*> args, SourceLoc loc);

// "ns::step<float, 256>"
std::string kernel_name(const FunctionDecl* f);
std::string kernel_name(const TemplateDecl* t);

}  // namespace quern::lang
