#include "target/llvm/plan.hpp"

#include <algorithm>

#include "base/round_up.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/waiting_loops.hpp"
#include "lang/pass/walk.hpp"
#include "target/llvm/abi.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;
using pass::traverse;

namespace {

bool is_jump(Op op) { return op == Op::kExit || op == Op::kContinue || op == Op::kReturn; }

}  // namespace

Plan::Plan(ir::Function& kernel, const Options& options, const std::vector<const Inst*>& stepping)
    : options_(options), width_(options.width) {
  sink_rests(kernel);
  const uint32_t same = options.shape == Shape::kGeneral ? 0 : kSameThreadIds;
  const uint32_t line = options.shape == Shape::kLine ? width_ : 0;
  lanes_ = std::make_unique<pass::Uniformity>(kernel, pass::Uniformity::Group::kVector, same, line);
  block_ = std::make_unique<pass::Uniformity>(kernel);
  if (options.is_thread) waiting_ = pass::waiting_loops(kernel);
  traverse(kernel.body, [&](const Inst* i) {
    may_miss_lanes_ = may_miss_lanes_ || (width_ > 1 && is_warp_op(i->op) && !lanes_->is_converged(i));
  });
  find_groups(kernel);
  find_woven(stepping);
  find_jumps(kernel);
  number_runs(kernel.body);
  find_outliving(kernel);
  find_steps(kernel);
  find_abreast(kernel);
  find_vars(kernel);
  find_merged(kernel);
  measure(kernel.body);
  is_by_rows_ =
      options.shape == Shape::kRows && width_ > 1 && !options.is_thread && !options.is_quick && !has_groups_;
  traverse(kernel.body, [&](const Inst* i) {
    if (i->is(Op::kLoop) || is_warp_op(i->op)) is_by_rows_ = false;
  });
}

bool Plan::is_barrier(Op op) {
  switch (op) {
    case Op::kBarrier:
    case Op::kBarrierCount:
    case Op::kBarrierAnd:
    case Op::kBarrierOr:
    case Op::kGridBarrier:
    case Op::kClusterBarrier: return true;
    default: return false;
  }
}

namespace {

bool holds_barrier(const ir::Block* block) {
  bool found = false;
  traverse(const_cast<ir::Block*>(block), [&](Inst* i) { found |= Plan::is_barrier(i->op); });
  return found;
}

// Moves the code after `branch` in its block into the branch that does not leave.
void sink_rest(Inst* branch) {
  ir::Block* to = branch->blocks[branch->blocks[0]->terminated() ? 1 : 0];
  for (Inst* i = branch->next; i != nullptr;) {
    Inst* next = i->next;
    branch->parent->remove(i);
    to->append(i);
    i = next;
  }
}

}  // namespace

// `if (i >= n) return; rest` as `if (i >= n) return; else rest`: a full bundle then runs the rest without a
// mask.
void Plan::sink_rests(ir::Function& kernel) {
  std::vector<Inst*> branches;
  traverse(kernel.body, [&](Inst* i) {
    if (!i->is(Op::kIf) || i->next == nullptr) return;
    if (i->blocks[0]->terminated() != i->blocks[1]->terminated()) branches.push_back(i);
  });
  for (Inst* branch : branches) {
    if (branch->next == nullptr || branch->next->is(Op::kYield)) continue;
    bool may_move = !holds_barrier(branch->parent);
    if (branch->parent->last->is(Op::kYield)) may_move = false;  // it must stay the block's last
    if (may_move) sink_rest(branch);
  }
}

Target Plan::target_of(const Inst* jump) {
  if (jump->is(Op::kReturn)) return {};
  return {jump->attr().target, jump->is(Op::kContinue)};
}

void Plan::find_groups(const ir::Function& kernel) {
  traverse(kernel.body, [&](const Inst* i) {
    if (!is_barrier(i->op)) return;
    has_groups_ = true;
    for (const Inst* around = i->parent->owner; around != nullptr; around = around->parent->owner) {
      if (!group_.insert(around).second) break;
    }
  });
  if (!has_groups_) return;
  // Jumps out of group constructs, under conditions that are uniform in the block: they stay real branches.
  for (bool changed = true; changed;) {
    changed = false;
    traverse(kernel.body, [&](const Inst* i) {
      if (!is_jump(i->op) || !is_group_target(target_of(i))) return;
      const Inst* outermost = nullptr;  // the construct directly in a group block
      bool agrees = true;
      for (const Inst* c = i->parent->owner; c != nullptr && !is_group(c); c = c->parent->owner) {
        outermost = c;
        agrees = agrees && c->is(Op::kIf) && block_->is_uniform_branch(c) && block_->is_converged(c);
      }
      if (outermost == nullptr || !agrees) return;
      for (const Inst* c = i->parent->owner; c != nullptr && !is_group(c); c = c->parent->owner)
        group_.insert(c);
      changed = true;
    });
  }
}

namespace {

bool lies_in(const Inst* inst, const Inst* construct) {
  for (const Inst* c = inst->parent->owner; c != nullptr; c = c->parent->owner) {
    if (c == construct) return true;
  }
  return false;
}

}  // namespace

// Of the loops that step over other threads' elements, those that are in code of the whole block, and that
// only their condition ends.
void Plan::find_woven(const std::vector<const Inst*>& stepping) {
  for (const Inst* loop : stepping) {
    const Inst* around = loop->parent->owner;
    bool fits =
        width_ > 1 && (around == nullptr || (is_group(around) && !is_woven(around))) && !is_group(loop);
    bool touches = false;
    for (const ir::Block* b : loop->blocks) {
      traverse(const_cast<ir::Block*>(b), [&](const Inst* i) {
        const bool leaves = is_jump(i->op) && (i->is(Op::kReturn) || !lies_in(i->attr().target, loop));
        fits = fits && !leaves && !is_barrier(i->op);
        touches = touches || ((i->is(Op::kLoad) || i->is(Op::kStore)) &&
                              i->operand(0)->type->space != ir::Space::kLocal);
      });
    }
    if (!fits || !touches) continue;
    group_.insert(loop);
    woven_.insert(loop);
    has_groups_ = true;
  }
}

void Plan::find_jumps(const ir::Function& kernel) {
  std::vector<const Inst*> jumps;
  traverse(kernel.body, [&](const Inst* i) {
    if (is_jump(i->op)) jumps.push_back(i);
  });
  find_group_masks(jumps, kernel);
  while (find_turning_off(jumps)) {
  }
  for (const Inst* jump : jumps) {
    if (!turns_off(jump)) continue;
    const Target target = target_of(jump);
    off_targets_[target] = true;
    for (const Inst* c = jump->parent->owner; c != nullptr && c != target.construct; c = c->parent->owner) {
      std::vector<Target>& all = escapes_[c];
      if (std::find(all.begin(), all.end(), target) == all.end()) all.push_back(target);
    }
  }
}

// Whether lanes may be missing at the jump that are at its target.
bool Plan::parts_before(const Inst* jump) const {
  const Target target = target_of(jump);
  if (target.construct != nullptr && !target.continues && !is_uniform_branch(target.construct)) return true;
  const ir::Block* inside = jump->parent;
  for (const Inst* c = inside->owner; c != target.construct; inside = c->parent, c = c->parent->owner) {
    if (!is_uniform_branch(c)) return true;
    if (c->is(Op::kLoop) && inside == c->blocks[pass::kLoopBody] && has_turning_off({c, true})) return true;
  }
  return target.construct == nullptr && !lanes_->is_converged(jump);
}

bool Plan::find_turning_off(const std::vector<const Inst*>& jumps) {
  bool changed = false;
  for (const Inst* jump : jumps) {
    if (turns_off(jump)) continue;
    const Target target = target_of(jump);
    const bool to_group = is_group_target(target);
    const bool is_off = to_group ? has_group_masks_ : width_ > 1 && parts_before(jump);
    if (!is_off) continue;
    turning_off_.insert(jump);
    off_targets_[target] = true;
    changed = true;
  }
  return changed;
}

void Plan::find_group_masks(const std::vector<const Inst*>& jumps, const ir::Function& kernel) {
  if (!has_groups_) return;
  has_group_masks_ = options_.is_ragged;
  for (const Inst* jump : jumps) {
    if (!is_group_block(jump->parent) && is_group_target(target_of(jump))) has_group_masks_ = true;
  }
  traverse(kernel.body, [&](const Inst* i) {
    // A woven loop has its own mask; after it all lanes are active again.
    if (is_group(i) && !is_woven(i) && !block_->is_uniform_branch(i)) has_group_masks_ = true;
    if (i->is(Op::kReturn) && is_group_block(i->parent) && i->parent->owner != nullptr &&
        !block_->is_converged(i)) {
      has_group_masks_ = true;
    }
  });
  // A single thread is always uniform.
  if (options_.is_thread && width_ == 1) {
    has_group_masks_ = std::any_of(jumps.begin(), jumps.end(), [&](const Inst* jump) {
      return !is_group_block(jump->parent) && is_group_target(target_of(jump));
    });
  }
}

const std::vector<Target>& Plan::escapes(const Inst* construct) const {
  static const std::vector<Target> kNone;
  const auto at = escapes_.find(construct);
  return at != escapes_.end() ? at->second : kNone;
}

// The same walk as the emitter's: a run extends from one group construct or barrier to the next.
void Plan::number_runs(const ir::Block* block) {
  const bool by_group = is_group_block(block);
  for (const Inst* i : *block) {
    const bool ends_run = by_group && (is_group(i) || is_barrier(i->op));
    if (by_group && !run_is_open_) {
      ++next_run_;
      run_is_open_ = true;
    }
    runs_[i] =
        next_run_;  // a group construct's condition and a barrier's predicate are read in the run before
    if (ends_run) run_is_open_ = false;
    if (is_woven(i)) ++next_run_;  // all of it is one
    for (const ir::Block* b : i->blocks) {
      number_runs(b);
      if (ends_run) run_is_open_ = false;
    }
  }
}

void Plan::find_outliving(const ir::Function& kernel) {
  if (!has_groups_) return;
  traverse(kernel.body, [&](const Inst* i) {
    for (const ir::Value* v : i->operands) {
      const Inst* def = ir::as_inst(v);
      if (def != nullptr && run_of(def) != run_of(i)) outliving_.insert(def);
    }
  });
}

uint64_t Plan::reserve(uint64_t bytes, uint64_t align) {
  align = std::min<uint64_t>(std::max<uint64_t>(align, 1), 64);
  const uint64_t at = base::round_up(record_bytes_, align);
  record_bytes_ = at + bytes;
  return at;
}

uint64_t Plan::measure(const ir::Block* block) {
  uint64_t size = 0;
  for (const Inst* i : *block) {
    ++size;
    if (i->is(Op::kLoad) || i->is(Op::kStore)) {
      const Inst* root = root_of(i->operand(0));
      const bool is_register = root != nullptr && var(root).storage <= Storage::kVector;
      if (!is_register) touching_.insert(block);
    }
    if (i->is(Op::kShuffle)) touching_.insert(block);
    for (const ir::Block* b : i->blocks) {
      size += measure(b);
      if (touching_.count(b) != 0) touching_.insert(block);
    }
  }
  sizes_[block] = size;
  return size;
}

const Inst* Plan::root_of(const ir::Value* pointer) const {
  const Inst* i = ir::as_inst(pointer);
  const auto at = i != nullptr ? roots_.find(i) : roots_.end();
  return at != roots_.end() ? at->second : nullptr;
}

}  // namespace quern::llvm
