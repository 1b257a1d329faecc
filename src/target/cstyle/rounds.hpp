// Loops whose rounds a compiler of CUDA C++ could count if signed numbers did not wrap here: `i < n; i += 32`
// may go past the largest number, so it cannot tell, and does not unroll. Told the number of rounds up to
// there it does.
#pragma once

#include <optional>

#include "lang/ir/ir.hpp"

namespace quern::target::cstyle {

struct Rounds {
  const ir::Value* counter = nullptr;  // its value in the loop's condition
  const ir::Value* bound = nullptr;    // the same in every round
  bool reaches_bound = false;          // `<=`
  uint64_t step = 0;
};

// Nothing where the compiler can count by itself, or nobody can.
std::optional<Rounds> uncounted_rounds(const ir::Inst* loop);

}  // namespace quern::target::cstyle
