// What Metal cannot express, and what needs newer versions.
#pragma once

#include <optional>

#include "target/cstyle/unit.hpp"

namespace quern::target::cstyle {

// The first construct in a kernel that no version of Metal supports: mainly double precision.
std::optional<Refusal> refused_by_metal(const ir::Function& kernel);

// Fences, and warp barriers that not all threads of a block reach (when warps are SIMD-groups).
const ir::Inst* first_fence(const ir::Function& kernel, bool has_warps);
// The first block barrier or vote that not all of its threads are guaranteed to reach.
const ir::Inst* divergent_barrier(const ir::Function& kernel);
// Whether one of the fences has a scope wider than a block.
bool has_device_fence(const ir::Function& kernel);

// Whether the function of the device, or the operator of the language, has exactly the operation's semantics.
bool is_native_in_metal(const ir::Inst& inst, bool fast_math);

}  // namespace quern::target::cstyle
