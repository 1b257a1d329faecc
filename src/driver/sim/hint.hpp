// What to write instead, read off the user's own text.
#pragma once

#include <string>

#include "driver/sim/sim.hpp"

namespace quern::sim {

// The atomic that does what the statement at `pos` does in two steps: "write atomicAdd(&bins[i], 1)". Without
// the text (or when it is not understood) only the name of the atomic; empty when there is none for the type.
std::string atomic_hint(const ir::Module& module, const ir::Pos& pos, ir::Op op, const ir::Type* type);

// The line of text that a position points into; empty when there is none.
std::string_view source_line(const ir::Module& module, const ir::Pos& pos);

}  // namespace quern::sim
