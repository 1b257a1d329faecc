// Loops in which a thread waits for an action of another one.
#include "lang/pass/waiting_loops.hpp"

#include "lang/pass/own_progress.hpp"
#include "lang/pass/split_grid.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

const Value* without_casts(const Value* pointer) {
  for (const Inst* i = ir::as_inst(pointer); i != nullptr && i->is(Op::kSpaceCast);
       i = ir::as_inst(pointer)) {
    pointer = i->operand(0);
  }
  return pointer;
}

const Inst* var_of(const Value* pointer) {
  const Inst* i = ir::as_inst(without_casts(pointer));
  return i != nullptr && i->is(Op::kVar) ? i : nullptr;
}

const Inst* loaded_var(const Value* v) {
  const Inst* i = ir::as_inst(v);
  return i != nullptr && i->is(Op::kLoad) ? var_of(i->operand(0)) : nullptr;
}

bool is_same_value(const Value* a, const Value* b) {
  return a == b || (loaded_var(a) != nullptr && loaded_var(a) == loaded_var(b));
}

// Whether a compare-and-swap found the value it expected, which was read before: it fails only if another
// thread has made progress.
bool asks_own_swap(const Inst* i) {
  if (!i->is(Op::kEq) && !i->is(Op::kNe)) return false;
  for (size_t k = 0; k < 2; ++k) {
    const Inst* swap = ir::as_inst(i->operand(k));
    if (swap == nullptr || !swap->is(Op::kAtomicCas)) continue;
    if (ir::as_const(swap->operand(1)) == nullptr && is_same_value(swap->operand(1), i->operand(1 - k)))
      return true;
  }
  return false;
}

bool is_in_shared_memory(const Value* pointer) {
  return without_casts(pointer)->type->space == ir::Space::kShared;
}

// Whether the threads of a block synchronize in every iteration: then each sees what the others did before.
bool meets_in_every_round(const Inst* loop) {
  bool meets = false, continues = false;
  for (const ir::Block* b : loop->blocks) {
    traverse(const_cast<ir::Block*>(b), [&](const Inst* i) {  // only read
      meets = meets || (i->is(Op::kBarrier) && i->parent->owner == loop);
      continues = continues || (i->is(Op::kContinue) && i->attr().target == loop);
    });
  }
  return meets && !continues;
}

// Whether the kernel is split at a grid barrier in the loop's body: each iteration is in another launch.
bool is_split(const Inst* loop) {
  for (const Inst* i : *loop->blocks[1]) {
    if (!i->is(Op::kIf) || !i->blocks[0]->terminated() || !i->blocks[0]->last->is(Op::kReturn)) continue;
    const Inst* const condition = ir::as_inst(i->operand(0));
    if (condition == nullptr) continue;
    for (const Value* v : condition->operands) {
      const Inst* const var = loaded_var(v);
      if (var != nullptr && var->name == kResumeState) return true;
    }
  }
  return false;
}

// Values that change with every iteration of one loop.
class Progress {
 public:
  explicit Progress(const Inst* loop) : loop_(loop) {
    for (const ir::Block* b : loop->blocks) {
      traverse(const_cast<ir::Block*>(b), [&](const Inst* i) { note(i); });  // only read
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Inst* store : stores_) {
        const Inst* var = var_of(store->operand(0));
        const bool moves = depends_on(store->operand(1), var) || is_moving(store->operand(1));
        if (moves) changed = moving_.insert(var).second || changed;
      }
    }
  }

  // Whether the value differs in each iteration, judging from its form.
  bool is_moving(const Value* v) const {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr) return false;
    if (const Inst* var = loaded_var(i)) return moving_.count(var) != 0;
    // Values loaded from a different address each time, such as the indices in a list.
    if (i->is(Op::kLoad)) return !i->attr().is_volatile && is_moving(i->operand(0));
    if (!ir::has(i->op, ir::kPure)) return false;
    for (const Value* operand : i->operands) {
      if (is_moving(operand)) return true;
    }
    return false;
  }

 private:
  // Stores to variables that every further iteration executes.
  void note(const Inst* i) {
    if (i->is(Op::kContinue) && i->attr().target == loop_) has_continued_ = true;
    if (!i->is(Op::kStore) || var_of(i->operand(0)) == nullptr) return;
    const Inst* around = i->parent->owner;
    if (around != loop_ || (has_continued_ && i->parent != loop_->blocks[2])) return;
    stores_.push_back(i);
  }

  static bool depends_on(const Value* v, const Inst* var) {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr || !ir::has(i->op, ir::kPure)) return false;
    for (const Value* operand : i->operands) {
      if (loaded_var(operand) == var || depends_on(operand, var)) return true;
    }
    return false;
  }

  const Inst* loop_;
  bool has_continued_ = false;
  std::vector<const Inst*> stores_;
  std::unordered_set<const Inst*> moving_;  // variables
};

class Waits {
 public:
  explicit Waits(const ir::Function& kernel) : kernel_(kernel) { spread(); }

  std::unordered_set<const Inst*> loops() {
    std::unordered_set<const Inst*> polling;  // loops that poll the same address
    traverse(kernel_.body, [&](const Inst* i) {
      if (!is_poll(i)) return;
      for (const Inst* c = i->parent->owner; c != nullptr; c = c->parent->owner) {
        if (!c->is(Op::kLoop) || is_split(c) || Progress(c).is_moving(i->operand(0))) continue;
        if (!is_in_shared_memory(i->operand(0)) || !meets_in_every_round(c)) polling.insert(c);
      }
    });
    std::unordered_set<const Inst*> found;
    traverse(kernel_.body, [&](const Inst* i) {
      if (i->is(Op::kLoop) && !is_split(i) && waits_for_other_blocks(i)) found.insert(i);
      const bool decides = i->is(Op::kYield) || i->is(Op::kIf) || i->is(Op::kSwitch);
      if (!decides || !is_polled(i->operand(0))) return;
      for (const Inst* c = i->parent->owner; c != nullptr; c = c->parent->owner) {
        if (!c->is(Op::kLoop) || polling.count(c) == 0) continue;
        found.insert(c);
        break;
      }
    });
    return found;
  }

 private:
  bool is_polled(const Value* v) const {
    const Inst* i = ir::as_inst(v);
    return i != nullptr && polled_.count(i) != 0;
  }
  bool follows_poll(const Inst* i) const {
    if (is_poll(i)) return true;
    if (const Inst* var = loaded_var(i)) return polled_.count(var) != 0;
    if (!ir::has(i->op, ir::kPure) || asks_own_swap(i)) return false;
    for (const Value* v : i->operands) {
      if (is_polled(v)) return true;
    }
    return false;
  }
  void spread() {
    for (bool changed = true; changed;) {
      changed = false;
      traverse(kernel_.body, [&](const Inst* i) {
        if (follows_poll(i)) changed = polled_.insert(i).second || changed;
        if (!i->is(Op::kStore) || var_of(i->operand(0)) == nullptr || !is_polled(i->operand(1))) return;
        changed = polled_.insert(var_of(i->operand(0))).second || changed;
      });
    }
  }

  const ir::Function& kernel_;
  std::unordered_set<const Inst*> polled_;  // values that come from a poll, and variables that hold them
};

}  // namespace

std::unordered_set<const Inst*> waiting_loops(const ir::Function& kernel) { return Waits(kernel).loops(); }

void reread_in_waiting_loops(ir::Module& module) {
  for (const ir::Function* f : module.functions) {
    if (f->body == nullptr) continue;
    traverse(f->body, [&](Inst* loop) {
      if (!loop->is(Op::kLoop) || is_split(loop) || !waits_for_other_blocks(loop)) return;
      bool polls = false;
      std::vector<Inst*> reads;
      for (ir::Block* b : loop->blocks) {
        traverse(b, [&](Inst* i) {
          polls = polls || is_poll(i);
          if (i->is(Op::kLoad) && var_of(i->operand(0)) == nullptr) reads.push_back(i);
        });
      }
      if (polls) return;
      for (Inst* read : reads) read->mutable_attr().is_volatile = true;
    });
  }
}

}  // namespace quern::pass
