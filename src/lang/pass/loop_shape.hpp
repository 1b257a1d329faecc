// Loops that are not really loops: constant conditions, bodies that never repeat.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

inline constexpr size_t kLoopHead = 0;
inline constexpr size_t kLoopBody = 1;
inline constexpr size_t kLoopStep = 2;

struct LoopShape {
  bool changed = false;
  bool ends = true;          // a condition may be false: the loop can end without an exit
  ir::Inst* made = nullptr;  // a construct that was created by the rewrite
};

// Removes conditions that are always true and turns a loop that runs at most once into a scope. Exits of the
// loop stay valid. `runs_once`: control never reaches the step from the body.
LoopShape tidy_loop(ir::Module& module, ir::Inst* loop, bool runs_once, bool has_continues);

// The condition at the end of a loop's head or step; nullptr if there is none.
inline ir::Inst* yield_of(const ir::Block* block) {
  return block->last != nullptr && block->last->is(ir::Op::kYield) ? block->last : nullptr;
}

}  // namespace quern::pass
