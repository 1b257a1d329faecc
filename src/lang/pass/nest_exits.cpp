// if (c) { a; exit S } rest   becomes   if (c) { a } else { rest }   if rest is the remainder of S: the form
// that early returns have after inlining. This is more readable, and no target needs a jump or a mask for it.
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

// Each exit nests the rest one level deeper; longer chains are left as they are.
constexpr size_t kMaxExits = 64;

struct ScopeExits {
  size_t count = 0;
  bool crosses = false;  // some exit leaves a loop, switch or inner scope on its way
};

// Everything after `branch` moves to the end of `to`.
void move_rest(Inst* branch, Block* to) {
  Block* from = branch->parent;
  while (Inst* i = branch->next) {
    from->remove(i);
    to->append(i);
  }
}

class ExitNesting {
 public:
  explicit ExitNesting(ir::Function& function) : function_(function) {}

  void run() {
    std::vector<Inst*> scopes;  // outer before inner
    traverse(function_.body, [&](Inst* i) {
      if (i->is(Op::kScope)) scopes.push_back(i);
      if (i->is(Op::kExit)) note(i);
    });
    for (size_t i = scopes.size(); i-- > 0;) {
      const ScopeExits& exits = exits_[scopes[i]];
      if (exits.count > 0 && exits.count <= kMaxExits && !exits.crosses) nest(scopes[i]->blocks[0]);
    }
  }

 private:
  void note(Inst* exit) {
    Inst* target = exit->attr().target;
    if (!target->is(Op::kScope)) return;
    ScopeExits& exits = exits_[target];
    ++exits.count;
    for (Inst* i = exit->parent->owner; i != target; i = i->parent->owner) {
      if (is_breakable(i->op)) {
        exits.crosses = true;
        return;
      }
      leaving_.insert(i);
    }
  }

  void nest(Block* block) {
    std::vector<Block*> work{block};
    while (!work.empty()) {
      Block* at = work.back();
      work.pop_back();
      for (Inst* i = at->first; i != nullptr; i = i->next) {
        if (!i->is(Op::kIf) || !leaving_.contains(i)) continue;
        const bool then_leaves = i->blocks[0]->terminated();
        const bool else_leaves = i->blocks[1]->terminated();
        if (i->next != nullptr && then_leaves == else_leaves) break;
        if (i->next != nullptr) move_rest(i, i->blocks[then_leaves ? 1 : 0]);
        work.insert(work.end(), i->blocks.begin(), i->blocks.end());
      }
    }
  }

  ir::Function& function_;
  std::unordered_map<const Inst*, ScopeExits> exits_;
  std::unordered_set<const Inst*> leaving_;  // ifs with an exit of a scope below them
};

}  // namespace

void nest_exits(ir::Module& module) {
  for (ir::Function* function : module.functions) ExitNesting(*function).run();
}

}  // namespace quern::pass
