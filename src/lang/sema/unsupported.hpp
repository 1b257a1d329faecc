// Names of CUDA and the standard library that kernels use elsewhere and that are not available: each has its
// reason instead of a generic error.
#pragma once

#include <string_view>

namespace quern::lang {

// One clause, or empty if the name is not listed.
std::string_view unsupported_name(std::string_view name);

}  // namespace quern::lang
