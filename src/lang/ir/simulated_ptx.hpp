// Instructions of inline PTX that the simulator executes: operations `ptx` whose text begins with
// kSimulatedPtx, then one instruction with its operands as %0, %1, … All operands have 64 bits; registers
// that the instruction changes later are passed by address.
#pragma once

#include <string_view>

namespace quern::ir {

inline constexpr std::string_view kSimulatedPtx = "simulated ";

}  // namespace quern::ir
