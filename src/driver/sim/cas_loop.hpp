// The first read of a retry loop around a compare-and-swap:
//   old = *p;  do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (old != assumed);
// The CUDA C++ Programming Guide implements missing atomics in this way. The first read need not be atomic: a
// stale value only costs an iteration.
#pragma once

#include "driver/sim/facts.hpp"

namespace quern::sim {

// Whether the load is such a read. Its value is only stored to a variable. All other values of that variable
// are results of compare-and-swaps on the same address whose expected value is the variable. The variable is
// not read before their loop.
bool is_checked_by_cas(const Facts& facts, const ir::Inst* load);

}  // namespace quern::sim
