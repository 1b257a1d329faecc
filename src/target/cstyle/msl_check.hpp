// What Metal cannot say, and what it can say only in newer versions.
#pragma once

#include <optional>

#include "target/cstyle/unit.hpp"

namespace quern::target::cstyle {

// The first thing in a kernel that no Metal has: double precision above all.
std::optional<Refusal> refused_by_metal(const ir::Function& kernel);

// Fences, and warp barriers that not all threads of a block reach (when warps are SIMD-groups).
const ir::Inst* first_fence(const ir::Function& kernel, bool has_warps);
// The first barrier of the block, or vote, where not all of its threads may arrive.
const ir::Inst* divergent_barrier(const ir::Function& kernel);
// Whether one of the fences is for more than a block.
bool has_device_fence(const ir::Function& kernel);

// Whether the device's function, or the language's operator, is what the operation means.
bool is_native_in_metal(const ir::Inst& inst, bool fast_math);

}  // namespace quern::target::cstyle
