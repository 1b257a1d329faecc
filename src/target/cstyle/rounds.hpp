// Loops whose trip count a CUDA C++ compiler could compute if signed integers did not wrap here: `i < n; i +=
// 32` may exceed the largest integer, so the compiler cannot compute the count and does not unroll. If the
// count up to that point is given, it does.
#pragma once

#include <optional>

#include "lang/ir/ir.hpp"

namespace quern::target::cstyle {

struct Rounds {
  const ir::Value* counter = nullptr;  // its value in the loop's condition
  const ir::Value* bound = nullptr;    // loop-invariant
  bool reaches_bound = false;          // `<=`
  uint64_t step = 0;
};

// Whether the loop counts by 1 a signed variable that is below its bound, so that the sum does not overflow.
bool counts_below_bound(const ir::Inst* loop);

// Nothing if the compiler can compute the count itself, or if it cannot be computed.
std::optional<Rounds> uncounted_rounds(const ir::Inst* loop);

}  // namespace quern::target::cstyle
