// Suggested replacements, derived from the user's source text.
#pragma once

#include <string>

#include "driver/sim/sim.hpp"

namespace quern::sim {

// The atomic that replaces the non-atomic update at `pos`: "write atomicAdd(&bins[i], 1)". Only the name of
// the atomic if the text is missing or not understood; empty if there is none for the type.
std::string atomic_hint(const ir::Module& module, const ir::Pos& pos, ir::Op op, const ir::Type* type);

// The source line of a position; empty if there is none.
std::string_view source_line(const ir::Module& module, const ir::Pos& pos);

}  // namespace quern::sim
