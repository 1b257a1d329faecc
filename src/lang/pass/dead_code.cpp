// Mark and sweep. Instructions with effects are live, and everything that live instructions use; a store to a
// local variable is live only once something live uses the variable other than by storing to it.
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/forward.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Value;

class DeadCode {
 public:
  DeadCode(ir::Module& module, ir::Function& function, uint32_t ids)
      : module_(module), function_(function), ids_(ids) {}

  bool run() {
    collect();
    propagate();
    sweep();
    return changed_;
  }

 private:
  void collect() {
    live_.assign(ids_, false);
    root_.assign(ids_, kNone);
    first_write_.assign(ids_, kNone);
    traverse(function_.body, [this](Inst* i) { classify(i); });
  }

  void classify(Inst* inst) {
    if (has_property(inst->op, ir::kTerminator) && leads_on(inst)) {
      inst->parent->remove(inst);
      changed_ = true;
      return;
    }
    if (inst->is(Op::kVar)) root_[inst->id] = inst->id;
    const bool derives = inst->is(Op::kOffset) || inst->is(Op::kFieldPtr) || inst->is(Op::kSpaceCast);
    if (derives) root_[inst->id] = root_of(inst->operand(0));
    if (is_plain_write(inst)) {
      const uint32_t var = root_of(inst->operand(0));
      if (var != kNone) {
        writes_.push_back({inst, first_write_[var]});
        first_write_[var] = static_cast<uint32_t>(writes_.size() - 1);
        return;
      }
    }
    // Loops are kept: removing one would change whether the kernel terminates.
    const bool is_hollow = inst->is(Op::kIf) || inst->is(Op::kSwitch) || inst->is(Op::kScope);
    const bool is_fixed = inst->is(Op::kLoad) && pass::is_volatile(inst);
    if ((has_property(inst->op, ir::kWrites) && !is_hollow) || is_fixed) mark(inst);
  }

  static bool is_plain_write(const Inst* inst) {
    if (inst->is(Op::kStore)) return !pass::is_volatile(inst);
    return inst->is(Op::kMemSet) || inst->is(Op::kMemCopy);
  }

  uint32_t root_of(const Value* v) const {
    const Inst* i = ir::as_inst(v);
    return i != nullptr ? root_[i->id] : kNone;
  }

  void mark(Inst* inst) {
    if (live_[inst->id]) return;
    live_[inst->id] = true;
    work_.push_back(inst);
  }

  void propagate() {
    while (!work_.empty()) {
      Inst* inst = work_.back();
      work_.pop_back();
      for (Value* v : inst->operands) {
        if (Inst* used = ir::as_inst(v)) mark(used);
      }
      if (Inst* around = inst->parent->owner) mark(around);
      if (inst->attr_ != nullptr && inst->attr_->target != nullptr) mark(inst->attr_->target);
      if (!inst->is(Op::kVar)) continue;
      for (uint32_t w = first_write_[inst->id]; w != kNone; w = writes_[w].next) mark(writes_[w].inst);
    }
  }

  void sweep() {
    std::vector<Inst*> dead;
    traverse(
        function_.body,
        [&](Inst* i) {
          if (!live_[i->id]) dead.push_back(i);
        },
        [this](Inst* i) {
          if (i->is(Op::kIf) && live_[i->id]) hollow_.push_back(i);
        });
    for (Inst* i : dead) {
      const bool bares_end = i->next == nullptr && i->prev != nullptr && !i->prev->blocks.empty();
      changed_ |= bares_end || matters(i);  // a jump in there may now lead to where control continues anyway
      i->parent->remove(i);
    }
    for (Inst* i : hollow_) tidy_if(i);
  }

  // Whether the forward pass may find more without it: it held an address of a variable that still exists.
  bool matters(const Inst* inst) const {
    const Value* address = inst->is(Op::kStore) ? inst->operand(1) : inst->type->is_ptr() ? inst : nullptr;
    const uint32_t var = address != nullptr ? root_of(address) : kNone;
    return (var != kNone && live_[var]) || inst->is(Op::kMemCopy) || inst->is(Op::kMemSet);
  }

  // An if that is live only because of nested code has at most one empty side.
  void tidy_if(Inst* branch) {
    if (branch->parent == nullptr) return;
    Block* then = branch->blocks[0];
    Block* otherwise = branch->blocks[1];
    if (then->first != nullptr) return;
    changed_ = true;  // the condition may be dead now
    if (otherwise->first == nullptr) {
      branch->parent->remove(branch);
      return;
    }
    ir::Builder builder(module_);
    builder.at(branch->parent, branch);
    builder.pos(branch->pos);
    branch->operands[0] = builder.unary(Op::kNot, branch->operand(0));
    std::swap(branch->blocks[0], branch->blocks[1]);
  }

  // An exit, continue or return to where control continues anyway.
  static bool leads_on(const Inst* inst) {
    if (inst->is(Op::kReturn)) return inst->operands.empty() && reaches_end_of(inst, nullptr) != nullptr;
    if (!inst->is(Op::kExit) && !inst->is(Op::kContinue)) return false;
    const Inst* target = inst->attr().target;
    const Block* end = reaches_end_of(inst, target);
    if (end == nullptr) return false;
    return inst->is(Op::kContinue) ? end == target->blocks[kLoopBody] : !target->is(Op::kLoop);
  }

  // The block of `owner` at whose end control arrives when it continues after `inst`; nullptr if something is
  // in between.
  static const Block* reaches_end_of(const Inst* inst, const Inst* owner) {
    for (;;) {
      if (inst->next != nullptr) return nullptr;
      const Block* block = inst->parent;
      if (block->owner == owner) return block;
      inst = block->owner;
      if (inst == nullptr || inst->is(Op::kLoop)) return nullptr;
    }
  }

  struct Write {
    Inst* inst;
    uint32_t next;
  };

  ir::Module& module_;
  ir::Function& function_;
  const uint32_t ids_;
  std::vector<bool> live_;
  std::vector<uint32_t> root_;         // by id: the var that a pointer is derived from
  std::vector<uint32_t> first_write_;  // by id of a var: list in writes_
  std::vector<Write> writes_;
  std::vector<Inst*> work_;
  std::vector<Inst*> hollow_;  // live ifs, inner before outer
  bool changed_ = false;
};

}  // namespace

bool remove_dead(ir::Module& module, ir::Function& function, uint32_t ids) {
  return DeadCode(module, function, ids).run();
}

}  // namespace quern::pass
