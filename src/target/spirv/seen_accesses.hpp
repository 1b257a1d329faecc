// In Vulkan's memory model an access is of no concern to other threads unless it says so.
#pragma once

#include "target/spirv/words.hpp"

namespace quern::target::spirv {

// The functions with all loads and stores of memory that threads share marked so; `globals` has the types.
Words with_seen_accesses(const Words& globals, const Words& functions);

}  // namespace quern::target::spirv
