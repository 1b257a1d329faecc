// Translates a lowered kernel to the interpreter's bytecode.
#pragma once

#include <memory>
#include <span>

#include "driver/sim/bytecode.hpp"

namespace quern::sim {

// `variables`: the address of each of the module's globals (0 for shared ones). Fails on unsupported code:
// calls that were not inlined, values and variables beyond the simulator's limits.
Result<std::unique_ptr<Code>> translate(const ir::Module& module, const ir::Function& kernel,
                                        std::span<const Address> variables, uint32_t checks);

}  // namespace quern::sim
