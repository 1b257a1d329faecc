// What a kernel demands of whoever runs it.
#include "lang/pass/waiting_loops.hpp"
#include "lang/pass/walk.hpp"
#include "target/llvm/plan.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

Demand demand(const ir::Function& kernel) {
  Demand d;
  pass::traverse(kernel.body, [&](const Inst* i) {
    switch (i->op) {
      case Op::kShuffle:
      case Op::kVoteAny:
      case Op::kVoteAll:
      case Op::kBallot:
      case Op::kMatchAny:
      case Op::kMatchAll:
      case Op::kWarpReduce:
      case Op::kActiveMask:
      case Op::kWarpBarrier: d.warp = true; break;
      case Op::kGridBarrier: d.grid_barrier = true; break;
      default: break;
    }
  });
  d.waits = !pass::waiting_loops(kernel).empty();
  return d;
}

}  // namespace quern::llvm
