#include "target/llvm/leave_early.hpp"

#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::llvm {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

bool is_block_wide(Op op) {
  return op == Op::kBarrier || op == Op::kBarrierCount || op == Op::kBarrierAnd || op == Op::kBarrierOr;
}

bool has_barrier(Block* block) {
  bool found = false;
  pass::traverse(block, [&](const Inst* i) { found = found || is_block_wide(i->op); });
  return found;
}

// The only side of a final `if` that has barriers; nullptr: none, or both.
Block* side_with_barriers(const Block* body) {
  Inst* last = body->last;
  if (last == nullptr || !last->is(Op::kIf)) return nullptr;
  Block* found = nullptr;
  for (Block* side : last->blocks) {
    if (!has_barrier(side)) continue;
    if (found != nullptr) return nullptr;
    found = side;
  }
  return found;
}

}  // namespace

void leave_early(ir::Module& module, ir::Function& kernel) {
  if (!has_barrier(kernel.body)) return;
  const pass::Uniformity uniformity(kernel);
  ir::Builder builder(module);
  Block* body = kernel.body;
  for (Block* side = side_with_barriers(body); side != nullptr; side = side_with_barriers(body)) {
    Inst* branch = body->last;
    if (uniformity.is_uniform_branch(branch)) {
      body = side;
      continue;
    }
    for (Block* other : branch->blocks) {
      if (other == side || other->terminated()) continue;
      builder.at(other);
      builder.ret(nullptr);
    }
    pass::splice(side, body, nullptr);
  }
}

}  // namespace quern::llvm
