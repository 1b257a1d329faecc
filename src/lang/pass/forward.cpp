#include "lang/pass/forward.hpp"

#include <algorithm>
#include <utility>

#include "lang/ir/builder.hpp"
#include "lang/pass/algebra.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/var_facts.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Value;
using ir::ValueKind;

class Forward {
 public:
  Forward(ir::Module& module, ir::Function& function)
      : module_(module),
        function_(function),
        facts_(function),
        instead_(facts_.var_of.size(), nullptr),
        depth_of_(facts_.var_of.size(), 0),
        contents_(facts_.vars.size(), nullptr),
        mark_(facts_.vars.size(), 0) {}

  Simplified run() {
    enter_block(function_.body);
    for (;;) {
      while (at_ != nullptr) step(at_);
      if (frames_.empty()) break;
      end_block();
    }
    return {changed_, static_cast<uint32_t>(instead_.size())};
  }

 private:
  struct Change {
    uint32_t var;
    Value* value;
  };
  struct Frame {
    Inst* control;
    size_t block = 0;                  // which of its blocks is being walked
    size_t log_mark;                   // log_ size on entry
    bool then_falls = false;           // if: the then block reaches its end
    bool any_falls = false;            // switch, scope: some block reaches its end
    std::vector<Change> then_changes;  // if: the contents of variables after the then block
  };

  // --- the walk ---

  void enter_block(Block* block) {
    blocks_.push_back(block);
    at_ = block->first;
    reachable_ = true;
  }

  void step(Inst* inst) {
    Inst* next = inst->next;
    for (Value*& v : inst->operands) v = current(v);
    depth_of_[inst->id] = static_cast<uint32_t>(blocks_.size() - 1);
    at_ = next;
    if (has_property(inst->op, ir::kControl)) return step_control(inst);
    if (has_property(inst->op, ir::kTerminator)) return cut_after(inst);
    switch (inst->op) {
      case Op::kVar: step_var(inst); break;
      case Op::kLoad: step_load(inst); break;
      case Op::kStore: step_store(inst); break;
      default:
        if (has_property(inst->op, ir::kPure)) step_pure(inst);
    }
  }

  // The code after it is unreachable.
  void cut_after(Inst* inst) {
    if (inst->next != nullptr) {
      truncate_after(inst);
      changed_ = true;
    }
    at_ = nullptr;
    reachable_ = false;
  }

  void step_pure(Inst* inst) {
    for (int round = 0; round < 8; ++round) {
      Value* simpler = simplify_inst(module_, inst);
      if (simpler == nullptr) return;
      if (simpler == inst) continue;
      return replace(inst, simpler);
    }
  }

  // changed_ requests another walk. All later uses are still to be visited, so only two changes make it
  // worthwhile: an address that is now used elsewhere (so a variable may have become plain), or removed code
  // (so a construct around it may do less).
  void replace(Inst* inst, Value* by) {
    instead_[inst->id] = by;
    inst->parent->remove(inst);
    changed_ |= inst->type->is_ptr();
  }

  Value* current(Value* v) const {
    const Inst* i = ir::as_inst(v);
    return i != nullptr && instead_[i->id] != nullptr ? instead_[i->id] : v;
  }

  // --- contents of plain variables ---

  uint32_t plain_var(const Value* pointer) const {
    const uint32_t var = facts_.var_at(pointer);
    return var != kNone && facts_.vars[var].is_plain ? var : kNone;
  }

  void step_var(Inst* inst) {
    const uint32_t var = facts_.var_of[inst->id];
    facts_.vars[var].depth =
        depth_of_[inst->id];  // it may have been hoisted out of a construct that was removed
    set(var, module_.undef(inst->attr().type));
  }

  void step_load(Inst* inst) {
    const uint32_t var = plain_var(inst->operand(0));
    if (var == kNone) return;
    Value* known = contents_[var];
    if (known == nullptr) return set(var, inst);
    // A read of an uninitialized variable stays where it is, so that it can be reported there.
    if (known->kind == ValueKind::kUndef && facts_.is_computed_with[inst->id]) return;
    Inst* value = ir::as_inst(known);
    const bool is_reread = value != nullptr && value->is(Op::kLoad) && plain_var(value->operand(0)) != kNone;
    if (value != nullptr && value->name.empty() && !is_reread) value->name = facts_.vars[var].inst->name;
    replace(inst, known);
  }

  void step_store(Inst* inst) {
    const uint32_t var = plain_var(inst->operand(0));
    if (var == kNone) return;
    if (contents_[var] == inst->operand(1)) {
      inst->parent->remove(inst);
      changed_ |= breakables_ > 0;
      return;
    }
    set(var, inst->operand(1));
  }

  void set(uint32_t var, Value* value) {
    if (contents_[var] == value) return;
    log_.push_back({var, contents_[var]});
    contents_[var] = value;
  }

  bool is_visible(const Value* v) const {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr) return true;
    const uint32_t depth = depth_of_[i->id];
    return depth < blocks_.size() && blocks_[depth] == i->parent;
  }

  void undo_to(size_t mark) {
    while (log_.size() > mark) {
      contents_[log_.back().var] = log_.back().value;
      log_.pop_back();
    }
  }

  bool is_alive(uint32_t var) const { return facts_.vars[var].depth < blocks_.size(); }

  // Variables that changed since `mark` and still exist, each once, with their current contents.
  std::vector<Change> changes_since(size_t mark) {
    std::vector<Change> changes;
    ++token_;
    for (size_t i = mark; i < log_.size(); ++i) {
      const uint32_t var = log_[i].var;
      if (mark_[var] == token_ || !is_alive(var)) continue;
      mark_[var] = token_;
      changes.push_back({var, contents_[var]});
    }
    return changes;
  }

  // After a block: discards contents that are values of the block.
  void forget_invisible(size_t mark) {
    const size_t end = log_.size();
    for (size_t i = mark; i < end; ++i) {
      const uint32_t var = log_[i].var;
      if (contents_[var] != nullptr && !is_visible(contents_[var])) set(var, nullptr);
    }
  }

  void forget_written(const Inst* control) {
    for (const uint32_t var : facts_.constructs[facts_.construct_of[control->id]].writes) set(var, nullptr);
  }

  // --- control ---

  void step_control(Inst* inst) {
    if (inst->is(Op::kIf)) {
      if (const ir::Const* known = ir::as_const(inst->operand(0)))
        return unwrap(inst, known->bits != 0 ? 0 : 1);
    }
    if (inst->is(Op::kSwitch) && (ir::as_const(inst->operand(0)) != nullptr || inst->blocks.empty()))
      choose_case(inst);
    if (inst->is(Op::kScope) && exits_of(inst) == 0) return unwrap(inst, 0);
    if (inst->is(Op::kLoop)) forget_written(inst);
    Frame frame;
    frame.control = inst;
    frame.log_mark = log_.size();
    frames_.push_back(std::move(frame));
    breakables_ += is_breakable(inst->op) ? 1 : 0;
    enter_block(inst->blocks[0]);
  }

  uint32_t exits_of(const Inst* control) const {
    return facts_.constructs[facts_.construct_of[control->id]].exits;
  }
  uint32_t continues_of(const Inst* control) const {
    return facts_.constructs[facts_.construct_of[control->id]].continues;
  }

  // Replaces the construct by the instructions of one of its blocks and continues with them.
  void unwrap(Inst* control, size_t block) {
    Inst* first = control->blocks[block]->first;
    if (first != nullptr) {
      splice(control->blocks[block], control->parent, control);
      at_ = first;
    }
    for (const Block* dropped : control->blocks) changed_ |= dropped->first != nullptr;
    control->parent->remove(control);
  }

  // A switch on a constant becomes a scope around the case, which keeps the targets of its exits.
  void choose_case(Inst* inst) {
    const ir::Const* known = ir::as_const(inst->operand(0));
    const int64_t on = known != nullptr ? ir::int_value(known) : 0;  // unknown: there are no cases
    const std::vector<ir::SwitchCase>& cases = inst->attr().cases;
    size_t chosen = cases.size();
    for (size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].values.empty() && chosen == cases.size()) chosen = i;
      for (const int64_t value : cases[i].values) {
        if (value == on) chosen = i;
      }
    }
    Block* block = chosen < cases.size() ? inst->blocks[chosen] : module_.new_block(&function_, inst);
    inst->op = Op::kScope;
    inst->operands.clear();
    inst->attr_.reset();
    inst->blocks = {block};
    changed_ = true;
  }

  void end_block() {
    Frame& frame = frames_.back();
    const bool falls = reachable_;
    blocks_.pop_back();
    switch (frame.control->op) {
      case Op::kIf: return end_if_block(frame, falls);
      case Op::kLoop: return end_loop_block(frame, falls);
      default: return end_case(frame, falls);
    }
  }

  // Leaves the construct; the code after it is dead unless `falls`.
  void leave(bool falls) {
    Inst* control = frames_.back().control;
    frames_.pop_back();
    breakables_ -= is_breakable(control->op) ? 1 : 0;
    reachable_ = true;
    at_ = control->next;
    if (!falls) cut_after(control);
  }

  void end_if_block(Frame& frame, bool falls) {
    if (frame.block == 0) {
      frame.then_changes = changes_since(frame.log_mark);
      frame.then_falls = falls;
      frame.block = 1;
      undo_to(frame.log_mark);
      return enter_block(frame.control->blocks[1]);
    }
    const std::vector<Change> else_changes = changes_since(frame.log_mark);
    undo_to(frame.log_mark);
    if (becomes_select(frame.control)) return;
    if (frame.then_falls && falls) {
      merge(frame.then_changes, else_changes);
    } else {
      for (const Change& c : falls ? else_changes : frame.then_changes) set_visible(c.var, c.value);
    }
    leave(frame.then_falls || falls);
  }

  // if (c) x = a; else x = b;  becomes  x = c ? a : b, if a and b are available anyway or are cheap.
  bool becomes_select(Inst* branch) {
    const Inst* a = branch->blocks[0]->last;
    const Inst* b = branch->blocks[1]->last;
    if (a == nullptr || b == nullptr || !a->is(Op::kStore) || !b->is(Op::kStore)) return false;
    const uint32_t var = plain_var(a->operand(0));
    if (var == kNone || plain_var(b->operand(0)) != var || !a->operand(1)->type->is_scalar()) return false;
    if (!is_cheap(branch->blocks[0]) || !is_cheap(branch->blocks[1])) return false;
    Inst* choice = module_.new_inst(Op::kSelect, a->operand(1)->type, branch->pos);
    choice->operands = {branch->operand(0), a->operand(1), b->operand(1)};
    Inst* store = module_.new_inst(Op::kStore, nullptr, branch->pos);
    store->operands = {facts_.vars[var].inst, choice};
    adopt(choice);
    adopt(store);
    for (Block* block : branch->blocks) {
      block->remove(block->last);
      if (at_ == nullptr) at_ = block->first;
      splice(block, branch->parent, branch);
    }
    branch->parent->insert_before(choice, branch);
    branch->parent->insert_before(store, branch);
    if (at_ == nullptr) at_ = choice;
    frames_.pop_back();
    branch->parent->remove(branch);
    reachable_ = true;
    return true;
  }

  // Whether a block is a few harmless computations followed by a store. Not integer arithmetic: speculative
  // execution could report overflows that the program does not have.
  static bool is_cheap(const Block* block) {
    constexpr int kMost = 3;
    int count = 0;
    for (const Inst* i = block->first; i != block->last; i = i->next) {
      if (++count > kMost || !is_harmless(i)) return false;
    }
    return std::none_of(block->last->operands.begin(), block->last->operands.end(),
                        [](const Value* v) { return v->kind == ValueKind::kUndef; });
  }

  static bool is_harmless(const Inst* inst) {
    for (const Value* v : inst->operands) {
      if (v->kind == ValueKind::kUndef) return false;
    }
    switch (inst->op) {
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kNeg:
      case Op::kAbs: return inst->type->is_float();
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor:
      case Op::kNot:
      case Op::kMin:
      case Op::kMax:
      case Op::kEq:
      case Op::kNe:
      case Op::kLt:
      case Op::kLe:
      case Op::kGt:
      case Op::kGe:
      case Op::kSelect:
      case Op::kExtract:
      case Op::kBitcast: return true;
      default: return false;
    }
  }

  // Registers a newly created instruction in the tables.
  void adopt(Inst* inst) {
    inst->id = static_cast<uint32_t>(instead_.size());
    instead_.push_back(nullptr);
    depth_of_.push_back(0);
    facts_.var_of.push_back(kNone);
    facts_.construct_of.push_back(kNone);
    facts_.is_computed_with.push_back(true);
  }

  void set_visible(uint32_t var, Value* value) {
    set(var, value != nullptr && is_visible(value) ? value : nullptr);
  }

  void merge(const std::vector<Change>& a, const std::vector<Change>& b) {
    ++token_;
    merged_.resize(contents_.size());
    for (const Change& c : a) {
      mark_[c.var] = token_;
      merged_[c.var] = c.value;
    }
    for (const Change& c : b) {
      Value* other = mark_[c.var] == token_ ? merged_[c.var] : contents_[c.var];
      set_visible(c.var, other == c.value ? other : nullptr);
      mark_[c.var] = 0;
    }
    for (const Change& c : a) {
      if (mark_[c.var] == token_) set_visible(c.var, contents_[c.var] == c.value ? c.value : nullptr);
    }
  }

  void end_case(Frame& frame, bool falls) {
    frame.any_falls |= falls;
    undo_to(frame.log_mark);
    if (++frame.block < frame.control->blocks.size()) return enter_block(frame.control->blocks[frame.block]);
    bool reaches = frame.any_falls || exits_of(frame.control) > 0;
    if (frame.control->is(Op::kSwitch)) {
      bool has_default = false;
      for (const ir::SwitchCase& c : frame.control->attr().cases) has_default |= c.values.empty();
      reaches |= !has_default;
    }
    forget_written(frame.control);
    leave(reaches);
  }

  void end_loop_block(Frame& frame, bool falls) {
    Inst* loop = frame.control;
    forget_invisible(frame.log_mark);
    if (frame.block == kLoopBody && continues_of(loop) > 0) forget_written(loop);
    // The step runs after a body that reaches its end or continues.
    if (frame.block == kLoopBody && !falls && continues_of(loop) == 0 &&
        loop->blocks[kLoopStep]->first != nullptr) {
      clear(loop->blocks[kLoopStep]);
      changed_ = true;
    }
    if (frame.block == kLoopBody) frame.any_falls = falls || continues_of(loop) > 0;
    if (frame.block < kLoopStep) return enter_block(loop->blocks[++frame.block]);
    const bool runs_once = !frame.any_falls;
    const LoopShape shape = tidy_loop(module_, loop, runs_once, continues_of(loop) > 0);
    changed_ |= shape.changed;
    if (shape.made != nullptr) adopt(shape.made);
    forget_written(loop);
    leave(shape.ends || exits_of(loop) > 0);
  }

  static void clear(Block* block) {
    while (block->last != nullptr) block->remove(block->last);
  }

  ir::Module& module_;
  ir::Function& function_;
  VarFacts facts_;
  std::vector<Value*> instead_;     // by id: the replacement of a removed instruction
  std::vector<uint32_t> depth_of_;  // by id
  std::vector<Value*> contents_;    // by variable; nullptr: unknown here
  std::vector<uint32_t> mark_;      // by variable, for sets
  std::vector<Value*> merged_;
  std::vector<Change> log_;  // earlier contents, to be restored
  std::vector<Frame> frames_;
  std::vector<Block*> blocks_;  // enclosing blocks of the current position
  Inst* at_ = nullptr;
  uint32_t token_ = 0;
  uint32_t breakables_ = 0;  // loops, switches and scopes around the current position
  bool reachable_ = true;
  bool changed_ = false;
};

}  // namespace

Simplified forward_simplify(ir::Module& module, ir::Function& function) {
  return Forward(module, function).run();
}

}  // namespace quern::pass
