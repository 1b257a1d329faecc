// The results of votes, matches and reductions of a warp, exactly as the IR defines them. The CPU driver and
// the simulator both use this implementation.
#pragma once

#include <array>
#include <cstdint>

#include "lang/ir/op.hpp"

namespace quern::ir {

using WarpValues = std::array<uint64_t, 32>;  // by lane

// Operations of OpGroup::kWarp with a mask and a value.
struct WarpOperation {
  Op op;
  Rmw rmw;         // of reductions
  bool is_signed;  // likewise
};

// The results of the lanes in `group`; those of other lanes are undefined. `values` are the bits of their
// operands, zero-extended. Thread-safe.
WarpValues evaluate_warp(const WarpOperation& operation, const WarpValues& values, uint32_t group);

}  // namespace quern::ir
