// The functions that generated code calls.
#pragma once

#include <string_view>

namespace quern::cpu {

// Returns null if there is no helper with this name.
const void* helper_address(std::string_view name);

}  // namespace quern::cpu
