#include "lang/pass/forward.hpp"
#include "lang/pass/pass.hpp"

namespace quern::pass {

// Each round can enable the next one (an address no longer taken, a condition now constant). Two or three
// rounds are typical; the bound only guards against a pair of rewrites that undo each other.
void simplify(ir::Module& module, ir::Function& function) {
  constexpr int kMaxRounds = 64;
  for (int round = 0; round < kMaxRounds; ++round) {
    const Simplified forward = forward_simplify(module, function);
    const bool dead = remove_dead(module, function, forward.ids);
    if (!forward.changed && !dead) break;
  }
}

void simplify(ir::Module& module) {
  for (ir::Function* function : module.functions) simplify(module, *function);
}

}  // namespace quern::pass
