// Names of CUDA and the standard library that kernels use elsewhere and that are not available: each has its
// reason instead of a generic error.
#pragma once

#include <optional>
#include <string_view>

#include "base/message.hpp"

namespace quern::lang {

// The error for the name; none if the name is not listed.
std::optional<base::MessageText> unsupported_name(std::string_view name);

}  // namespace quern::lang
