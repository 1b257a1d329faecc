// The functions that generated code calls.
#pragma once

#include <string_view>

namespace quern::cpu {

// Null: there is none of that name.
const void* helper_address(std::string_view name);

}  // namespace quern::cpu
