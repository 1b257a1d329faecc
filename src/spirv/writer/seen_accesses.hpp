// In Vulkan's memory model, an access is private to its thread unless it is marked otherwise.
#pragma once

#include "spirv/writer/words.hpp"

namespace quern::spirv {

// Returns the functions with all loads and stores of shared or device memory marked as non-private; `globals`
// has the types.
Words with_seen_accesses(const Words& globals, const Words& functions);

}  // namespace quern::spirv
