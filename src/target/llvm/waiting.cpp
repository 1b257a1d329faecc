// What a kernel demands of whoever runs it.
#include "lang/pass/waiting_loops.hpp"
#include "lang/pass/walk.hpp"
#include "target/llvm/abi.hpp"
#include "target/llvm/plan.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {

bool names_whole_warp(const Inst* i) {
  const ir::Const* mask = i->operands.empty() ? nullptr : ir::as_const(i->operand(0));
  return is_warp_op(i->op) && mask != nullptr && (mask->bits & 0xFFFF'FFFF) == 0xFFFF'FFFF;
}

// Whether two ways of a branch on which lanes part both bring the whole warp together: each waits for the
// other.
bool meets_across_branches(const ir::Function& kernel) {
  const pass::Uniformity lanes(kernel, pass::Uniformity::Group::kVector);
  std::unordered_map<const Inst*, const ir::Block*> ways;
  bool found = false;
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (!names_whole_warp(i)) return;
    const ir::Block* way = i->parent;
    for (const Inst* c = way->owner; c != nullptr; way = c->parent, c = way->owner) {
      if (!c->is(Op::kIf) && !c->is(Op::kSwitch)) continue;
      const auto [at, is_first] = ways.try_emplace(c, way);
      if (!is_first && at->second != way && !lanes.is_uniform_branch(c)) found = true;
    }
  });
  return found;
}

}  // namespace

Demand demand(const ir::Function& kernel) {
  Demand d;
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (is_warp_op(i->op) || i->is(Op::kActiveMask)) d.warp = true;
    if (i->is(Op::kGridBarrier)) d.grid_barrier = true;
    if (i->is(Op::kNanoSleep)) d.sleeps = true;
    if (i->is(Op::kClusterBarrier)) d.clusters = true;
    if (i->is(Op::kMapShared)) d.clusters = d.maps_shared = true;
  });
  d.waits = !pass::waiting_loops(kernel).empty() || (d.warp && meets_across_branches(kernel));
  return d;
}

}  // namespace quern::llvm
