// The source text of an inline kernel, as passed to the front end.
#pragma once

#include "quern/inline.hpp"
#include "runtime/source.hpp"

namespace quern::detail {

// The kernel and all QUERN_CODE of its file, or of headers, which any file may include.
runtime::Source inline_source(const KernelText& kernel);

// The kernel's name in that text: "saxpy", "scale<float, 4>".
std::string instance_name(const KernelText& kernel);

}  // namespace quern::detail
