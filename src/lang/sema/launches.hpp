// Which instances of template kernels a file wants: read from the launches in its host code.
#pragma once

#include <string_view>
#include <vector>

#include "lang/sema/sema.hpp"

namespace quern::lang {

// The kernels named by `name<args><<<…>>>(…)` and `name<<<…>>>(arguments)` in host functions, each once, in
// order. Host code is only guessed at: what cannot be made out is passed over.
std::vector<FunctionDecl*> launched_instances(Sema& sema);

// A kernel as a user names it: "step", "ns::step", "scan<float, 256>". nullptr: `why` says the reason.
FunctionDecl* find_kernel(Sema& sema, std::string_view name, std::string& why);

// Tries likely template arguments until one instance's body is free of errors; nullptr: none is.
FunctionDecl* likely_instance(Sema& sema, TemplateDecl* kernel);

// "ns::step<float, 256>"
std::string kernel_name(const FunctionDecl* f);
std::string kernel_name(const TemplateDecl* t);

}  // namespace quern::lang
