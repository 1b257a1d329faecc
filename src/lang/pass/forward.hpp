// The forward half of simplify: one walk in program order that folds instructions, replaces loads by the
// known contents of variables, and resolves control flow on constants. There are no phis, so every definition
// is visited before all of its uses, and one walk needs no use lists.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::pass {

struct Simplified {
  bool changed = false;
  uint32_t ids = 0;  // instruction ids are unique and below this
};
Simplified forward_simplify(ir::Module& module, ir::Function& function);

// The backward half: removes code without effect: unused results, variables that are only written, empty
// constructs, exits to where control continues anyway. Returns whether it removed something that may let the
// forward half do more.
bool remove_dead(ir::Module& module, ir::Function& function, uint32_t ids);

}  // namespace quern::pass
