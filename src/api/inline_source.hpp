// The program text of an inline kernel, as the front end gets it.
#pragma once

#include "quern/inline.hpp"
#include "runtime/source.hpp"

namespace quern::detail {

// The kernel and all that QUERN_CODE declared in its file, or in headers, which any file may include.
runtime::Source inline_source(const KernelText& kernel);

// The kernel's name there: "saxpy", "scale<float, 4>".
std::string instance_name(const KernelText& kernel);

}  // namespace quern::detail
