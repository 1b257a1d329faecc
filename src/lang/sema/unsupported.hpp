// Names of CUDA's world that kernels use elsewhere and that we do not have: each gets its reason instead of a
// riddle.
#pragma once

#include <string_view>

namespace quern::lang {

// One clause, or empty when the name is not on the list.
std::string_view unsupported_name(std::string_view name);

}  // namespace quern::lang
