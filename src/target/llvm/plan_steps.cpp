// Loops whose bundles are interleaved, and whose step adds the same amount to an index that all threads of
// the block share (split_indices has removed the rest): the step is executed once for the block, and the
// index is a register.
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/walk.hpp"
#include "target/llvm/plan.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {

bool lies_in(const Inst* inst, const Inst* construct) {
  for (const Inst* c = inst->parent->owner; c != nullptr; c = c->parent->owner) {
    if (c == construct) return true;
  }
  return false;
}

// Computed from values that are uniform in the block, and from loads in the step itself; all of it can be
// recomputed.
bool is_same_for_block(const ir::Value* value, const ir::Block* step, int depth) {
  const Inst* i = ir::as_inst(value);
  if (i == nullptr) return true;
  if (depth > 8) return false;
  switch (i->op) {
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim: return true;
    case Op::kLoad:
      return i->parent == step && ir::as_inst(i->operand(0)) != nullptr &&
             ir::as_inst(i->operand(0))->is(Op::kVar);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kShl:
    case Op::kShr:
    case Op::kConvert: break;
    default: return false;
  }
  for (const ir::Value* v : i->operands) {
    if (!is_same_for_block(v, step, depth + 1)) return false;
  }
  return i->type->is_int();
}

struct Access {
  const Inst* inst;
  size_t operand;
};
using Accesses = std::unordered_map<const Inst*, std::vector<Access>>;  // by variable

// A variable with one value for the block while it is in the loop, which is not used elsewhere.
bool is_index_of(const Inst* var, const Inst* loop, const std::vector<Access>& accesses,
                 const pass::Uniformity& block) {
  const ir::Block* step = loop->blocks[pass::kLoopStep];
  if (!var->attr().type->is_int()) return false;
  for (const Access& a : accesses) {
    const Inst* i = a.inst;
    if (i->is(Op::kLoad)) {
      if (i->type != var->attr().type || i->attr().is_volatile || !lies_in(i, loop)) return false;
    } else if (i->is(Op::kStore) && a.operand == 0) {
      const bool begins = i->parent == loop->parent && block.is_uniform(i->operand(1));
      const bool steps = i->parent == step && is_same_for_block(i->operand(1), step, 0);
      if (i->operand(1)->type != var->attr().type || i->attr().is_volatile || (!begins && !steps))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

void Plan::find_steps(const ir::Function& kernel) {
  if (group_.empty()) return;
  Accesses accesses;
  pass::traverse(kernel.body, [&](const Inst* i) {
    for (size_t k = 0; k < i->operands.size(); ++k) {
      const Inst* var = ir::as_inst(i->operand(k));
      if (var != nullptr && var->is(Op::kVar)) accesses[var].push_back({i, k});
    }
  });
  for (const Inst* loop : group_) {
    if (!loop->is(Op::kLoop)) continue;
    const ir::Block* step = loop->blocks[pass::kLoopStep];
    bool fits = step->first != nullptr && pass::yield_of(step) == nullptr;
    std::vector<const Inst*> indices;
    for (const Inst* i : *step) {
      const Inst* var = i->operands.empty() ? nullptr : ir::as_inst(i->operand(0));
      const bool is_var = var != nullptr && var->is(Op::kVar);
      if (i->is(Op::kStore) || i->is(Op::kLoad)) {
        fits = fits && is_var && is_index_of(var, loop, accesses[var], *block_);
        indices.push_back(var);
      } else {
        fits = fits && i->blocks.empty() && (ir::has(i->op, ir::kPure) || i->is(Op::kThreadId));
      }
    }
    if (!fits) continue;
    stepping_once_.insert(loop);
    block_vars_.insert(indices.begin(), indices.end());
  }
}

namespace {

bool asks(const ir::Block* block, Op op) {
  bool found = false;
  pass::traverse(const_cast<ir::Block*>(block), [&](const Inst* i) { found = found || i->is(op); });
  return found;
}

}  // namespace

// Loops over a grid (`i += blockDim.x * gridDim.x`), in kernels whose blocks need no register state of each
// other: no result of a barrier, no early exit.
void Plan::find_abreast(const ir::Function& kernel) {
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (i->is(Op::kVar) && is_block_var(i)) ordered_block_vars_.push_back(i);
  });
  if (options_.is_thread || options_.is_quick) return;
  bool fits = true;
  pass::traverse(kernel.body, [&](const Inst* i) {
    const bool is_end = i->is(Op::kReturn) && i->parent == kernel.body;
    if (i->is(Op::kReturn) && !is_end && is_group_block(i->parent) && !turns_off(i)) fits = false;
    if (i->is(Op::kBarrierCount) || i->is(Op::kBarrierAnd) || i->is(Op::kBarrierOr)) fits = false;
    if (i->is(Op::kGridBarrier) || i->is(Op::kClusterBarrier) || i->is(Op::kMapShared)) fits = false;
    if (i->is(Op::kIsSpace)) fits = false;
  });
  for (const Inst* loop : stepping_once_) {
    if (fits && is_woven(loop) && loop->parent == kernel.body &&
        asks(loop->blocks[pass::kLoopStep], Op::kGridDim))
      abreast_.insert(loop);
  }
}

}  // namespace quern::llvm
