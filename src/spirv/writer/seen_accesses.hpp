// In Vulkan's memory model an access is of no concern to other threads unless it says so.
#pragma once

#include "spirv/writer/words.hpp"

namespace quern::spirv {

// The functions with all loads and stores of memory that threads share marked so; `globals` has the types.
Words with_seen_accesses(const Words& globals, const Words& functions);

}  // namespace quern::spirv
