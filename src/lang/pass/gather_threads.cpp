// The threads of a block execute the code together: where only some would, all do, and a flag of each thread
// says whether it takes part. `if (c) { a; shuffle; b }` becomes
//
//     runs = c;  if (runs) { a }  shuffle  if (runs) { b }
//
// Loops continue while any thread is in them. Jumps clear the flags of everything they leave. Only the code
// around convergent operations is rewritten, and only where threads may diverge.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::TypeKind;
using ir::Value;

constexpr size_t kMaxDepth = 200;  // of constructs that are rewritten: this recurses

bool is_block_wide(Op op) {
  return op == Op::kBarrier || op == Op::kBarrierCount || op == Op::kBarrierAnd || op == Op::kBarrierOr;
}

bool is_together(Op op) {
  return op != Op::kCall && op != Op::kGridBarrier && op != Op::kClusterBarrier &&
         has_property(op, ir::kConvergent);
}

bool is_jump(Op op) {
  return op == Op::kExit || op == Op::kContinue || op == Op::kReturn || op == Op::kUnreachable;
}

bool is_pointer(const Type* t) { return t->is_ptr(); }

// Whether a value can be recomputed where it is used, instead of being stored.
bool is_repeatable(const Inst* i) {
  if (!has_property(i->op, ir::kPure)) return false;
  return i->operands.empty() || is_pointer(i->type);
}

class Gathering {
 public:
  Gathering(ir::Module& module, ir::Function& function)
      : module_(module), function_(function), uniformity_(function), b_(module) {}

  void run() {
    find_apart();
    if (apart_.empty() || has_barriers_on_both_sides()) return;
    mark_hot();
    if (deepest_ > kMaxDepth) return;
    hoist_variables();
    Block* old = function_.body;
    function_.body = module_.new_block(&function_, nullptr);
    b_.at(function_.body);
    const bool is_left = std::any_of(jumps_.begin(), jumps_.end(), [](const Inst* j) {
      return j->is(Op::kReturn) || j->is(Op::kUnreachable);
    });
    levels_.push_back({nullptr, is_left ? flag("runs", module_.constant_bool(true)) : nullptr, false});
    write(old);
    keep_values();
  }

 private:
  // A part of the code that some threads may not execute. `flag` is nullptr if all do.
  struct Level {
    const Inst* construct;  // nullptr: the function
    Inst* flag;
    bool is_armed;         // some thread may be absent
    bool is_body = false;  // of a loop: what a continue leaves
  };

  // ---- what has to be rewritten

  void find_apart() {
    traverse(function_.body, [&](Inst* i) {
      if (is_together(i->op) && !uniformity_.is_converged(i)) apart_.push_back(i);
      if (is_jump(i->op)) jumps_.push_back(i);
    });
  }

  // There, both sides may contain the same barrier, for warps that take different branches.
  bool has_barriers_on_both_sides() const {
    std::unordered_map<const Inst*, const Block*> side;
    for (const Inst* i : apart_) {
      if (!is_block_wide(i->op)) continue;
      for (const Block* at = i->parent; at->owner != nullptr; at = at->owner->parent) {
        const Inst* owner = at->owner;
        if (!owner->is(Op::kIf) && !owner->is(Op::kSwitch)) continue;
        if (uniformity_.is_uniform_branch(owner)) continue;
        const auto [found, is_new] = side.emplace(owner, at);
        if (!is_new && found->second != at) return true;
      }
    }
    return false;
  }

  // Constructs around divergent operations; and jumps out of them, with all constructs that they leave.
  void mark_hot() {
    for (const Inst* i : apart_) heat(i->parent, nullptr);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Inst* j : jumps_) {
        const bool leaves_all = j->is(Op::kReturn) || j->is(Op::kUnreachable);
        const Inst* target = leaves_all ? nullptr : j->attr().target;
        if (target == nullptr || hot_.contains(target)) changed |= heat(j->parent, target);
      }
    }
    for (const Inst* j : jumps_) {
      if (uniformity_.is_converged(j)) continue;
      for (const Inst* i = j->parent->owner; i != nullptr; i = i->parent->owner) left_alone_.insert(i);
    }
  }

  // All constructs from `block` out to `end`.
  bool heat(const Block* block, const Inst* end) {
    bool changed = false;
    size_t depth = 0;
    for (const Inst* i = block->owner; i != end; i = i->parent->owner) {
      changed |= hot_.insert(i).second;
      ++depth;
    }
    deepest_ = std::max(deepest_, depth);
    return changed;
  }

  // Whether a construct can stay as it is: all threads are present and take the same branch, and none leaves
  // it alone.
  bool stays(const Inst* construct) const {
    return flag() == nullptr && uniformity_.is_converged(construct) &&
           uniformity_.is_uniform_branch(construct) && !left_alone_.contains(construct);
  }

  // Variables exist from the beginning: parts of their block become separate blocks.
  void hoist_variables() {
    std::vector<Inst*> all;
    traverse(function_.body, [&](Inst* i) {
      const Inst* owner = i->parent->owner;
      if (i->is(Op::kVar) && (owner == nullptr || hot_.contains(owner))) all.push_back(i);
    });
    for (Inst* i : all) {
      i->parent->remove(i);
      function_.body->insert_before(i, function_.body->first);
    }
  }

  // ---- flags

  Inst* flag() const { return levels_.back().is_armed ? levels_.back().flag : nullptr; }
  Value* runs() {
    if (flag() == nullptr) return module_.constant_bool(true);
    return b_.load(b_.type(TypeKind::kBool), flag());
  }
  Inst* flag(std::string_view name, Value* initial) {
    Inst* made = b_.var(b_.type(TypeKind::kBool), name);
    // At the beginning of the function, where it is live throughout.
    made->parent->remove(made);
    function_.body->insert_before(made, function_.body->first);
    b_.store(made, initial);
    return made;
  }
  Value* both(Value* x, Value* y) { return b_.op(Op::kAnd, b_.type(TypeKind::kBool), {x, y}); }
  Value* either(Value* x, Value* y) { return b_.op(Op::kOr, b_.type(TypeKind::kBool), {x, y}); }
  Value* opposite(Value* x) { return b_.op(Op::kNot, b_.type(TypeKind::kBool), {x}); }

  // ---- rewriting

  void write(Block* from) {
    segment_ = nullptr;
    for (Inst* i = from->first; i != nullptr;) {
      Inst* next = i->next;
      b_.pos(i->pos);
      if (i->is(Op::kYield)) {
        yielded_ = i->operand(0);
      } else if (is_jump(i->op)) {
        jump(i);
      } else if (hot_.contains(i)) {
        end_segment();
        from->remove(i);
        control(i);
      } else if (is_together(i->op) && flag() != nullptr) {
        end_segment();
        from->remove(i);
        together(i);
      } else {
        from->remove(i);
        place(i);
      }
      i = next;
    }
    end_segment();
  }

  // Code that only participating threads execute.
  Block* guarded() {
    if (segment_ == nullptr) {
      Inst* branch = b_.make_if(runs());
      segment_ = branch->blocks[0];
      segments_.insert(segment_);
    }
    return segment_;
  }
  void end_segment() { segment_ = nullptr; }
  void place(Inst* i) { (flag() != nullptr ? guarded() : b_.block())->append(i); }

  void jump(Inst* j) {
    const bool leaves_all = j->is(Op::kReturn) || j->is(Op::kUnreachable);
    const Inst* target = leaves_all ? nullptr : j->attr().target;
    if (flag() == nullptr && uniformity_.is_converged(j)) {  // no thread remains
      j->parent->remove(j);
      b_.block()->append(j);
      return;
    }
    Block* out = b_.block();
    if (flag() != nullptr) b_.at(guarded());
    for (size_t k = levels_.size(); k-- > 0;) {
      Level& level = levels_[k];
      const bool is_target = target != nullptr && level.construct == target;
      if (is_target && j->is(Op::kContinue) && !level.is_body) break;
      if (level.flag != nullptr) b_.store(level.flag, module_.constant_bool(false));
      level.is_armed = level.flag != nullptr;
      if (is_target && !level.is_body) break;
    }
    b_.at(out);
    end_segment();
  }

  void control(Inst* i) {
    if (stays(i)) {
      keep(i);
      return;
    }
    switch (i->op) {
      case Op::kIf: {
        Value* c = i->operand(0);
        Value* here = runs();
        Inst* yes = flag("runs", both(here, c));
        Inst* no = i->blocks[1]->first != nullptr ? flag("runs", both(here, opposite(c))) : nullptr;
        part(i, yes, i->blocks[0]);
        if (no != nullptr) part(i, no, i->blocks[1]);
        return;
      }
      case Op::kScope: part(i, flag("runs", runs()), i->blocks[0]); return;
      case Op::kSwitch: choose(i); return;
      default: loop(i); return;
    }
  }

  void part(const Inst* construct, Inst* flag, Block* block, bool is_body = false) {
    levels_.push_back({construct, flag, true, is_body});
    write(block);
    levels_.pop_back();
  }

  void choose(Inst* i) {
    Value* on = i->operand(0);
    Value* here = runs();
    Value* any = module_.constant_bool(false);
    std::vector<Value*> matches;
    for (const ir::SwitchCase& one : i->attr().cases) {
      Value* match = module_.constant_bool(false);
      for (const int64_t n : one.values)
        match = either(match, b_.compare(Op::kEq, on, module_.constant(on->type, static_cast<uint64_t>(n))));
      any = either(any, match);
      matches.push_back(match);
    }
    std::vector<Inst*> flags;
    for (size_t k = 0; k < matches.size(); ++k) {
      const bool is_default = i->attr().cases[k].values.empty();
      flags.push_back(flag("runs", both(here, is_default ? opposite(any) : matches[k])));
    }
    for (size_t k = 0; k < flags.size(); ++k) part(i, flags[k], i->blocks[k]);
  }

  void loop(Inst* i) {
    Inst* stays_in = flag("loops", runs());
    Block* out = b_.block();
    Inst* all = b_.make_loop();
    b_.at(all->blocks[kLoopBody]);
    levels_.push_back({i, stays_in, true});
    condition(i->blocks[kLoopHead], stays_in);
    Value* any = b_.emit(Op::kBarrierOr, b_.type(TypeKind::kBool), {runs()});
    Inst* end = b_.make_if(opposite(any));
    Block* body = b_.block();
    b_.at(end->blocks[0]);
    b_.exit(all);
    b_.at(body);
    part(i, flag("runs", runs()), i->blocks[kLoopBody], true);
    condition(i->blocks[kLoopStep], stays_in);
    levels_.pop_back();
    b_.at(out);
  }

  // A loop's head or step: threads for which the condition is false have left.
  void condition(Block* block, Inst* stays_in) {
    yielded_ = nullptr;
    write(block);
    if (yielded_ == nullptr) return;
    Value* told = yielded_;
    b_.store(stays_in, both(runs(), told));
  }

  // Keeps the construct and rewrites its contents.
  void keep(Inst* i) {
    Block* out = b_.block();
    out->append(i);
    for (Block*& block : i->blocks) {
      Block* old = block;
      block = module_.new_block(&function_, i);
      b_.at(block);
      levels_.push_back({i, nullptr, false});
      yielded_ = nullptr;
      write(old);
      if (yielded_ != nullptr) b_.yield(yielded_);
      yielded_ = nullptr;
      levels_.pop_back();
    }
    b_.at(out);
  }

  // Threads that do not take part are excluded from the vote.
  void together(Inst* i) {
    Value* here = runs();
    switch (i->op) {
      case Op::kVoteAny:
      case Op::kBallot: i->operands[1] = both(here, i->operand(1)); break;
      case Op::kVoteAll: i->operands[1] = either(opposite(here), i->operand(1)); break;
      case Op::kBarrierCount:
      case Op::kBarrierOr: i->operands[0] = both(here, i->operand(0)); break;
      case Op::kBarrierAnd: i->operands[0] = either(opposite(here), i->operand(0)); break;
      case Op::kMatchAny:
      case Op::kMatchAll:
      case Op::kWarpReduce:
        i->operands[0] = b_.op(Op::kAnd, i->operand(0)->type, {i->operand(0), present(here)});
        break;
      case Op::kActiveMask: {
        Value* everybody = module_.constant(b_.type(TypeKind::kU32), 0xffffffff);
        i->op = Op::kBallot;
        i->operands.push_back(everybody);
        i->operands.push_back(here);
        break;
      }
      default: break;
    }
    b_.block()->append(i);
  }

  Value* present(Value* here) {
    return b_.emit(Op::kBallot, b_.type(TypeKind::kU32),
                   {module_.constant(b_.type(TypeKind::kU32), 0xffffffff), here});
  }

  // ---- values

  // Values that are computed in one guarded part and used after it are stored in a variable.
  void keep_values() {
    struct Use {
      Inst* user;
      size_t operand;
    };
    std::vector<Use> uses;
    traverse(function_.body, [&](Inst* user) {
      for (size_t k = 0; k < user->operands.size(); ++k) {
        if (is_out_of_sight(user->operand(k), user)) uses.push_back({user, k});
      }
    });
    for (const Use& use : uses) {
      b_.at(use.user->parent, use.user);
      b_.pos(use.user->pos);
      use.user->operands[use.operand] = bring(use.user->operand(use.operand), use.user);
    }
  }

  bool is_out_of_sight(const Value* v, const Inst* user) const {
    const Inst* i = ir::as_inst(v);
    if (i == nullptr || !segments_.contains(i->parent)) return false;
    for (const Block* at = user->parent; at != nullptr;
         at = at->owner != nullptr ? at->owner->parent : nullptr) {
      if (at == i->parent) return false;
    }
    return true;
  }

  // The value at the builder's position.
  Value* bring(Value* v, const Inst* user) {
    if (!is_out_of_sight(v, user)) return v;
    Inst* i = ir::as_inst(v);
    if (!is_repeatable(i)) return b_.load(i->type, kept(i));
    std::vector<Value*> operands;
    for (Value* o : i->operands) operands.push_back(bring(o, user));
    return b_.op(i->op, i->type, operands, i->attr());
  }

  Inst* kept(Inst* i) {
    Inst*& variable = kept_[i];
    if (variable != nullptr) return variable;
    Block* block = b_.block();
    Inst* where = b_.where();
    b_.at(function_.body, function_.body->first);
    variable = b_.var(i->type, i->name);
    // The values of threads that did not take part are not used, but they are read.
    b_.at(function_.body, variable->next);
    b_.store(variable, module_.constant(i->type, 0));
    b_.at(i->parent, i->next);
    b_.store(variable, i);
    b_.at(block, where);
    return variable;
  }

  ir::Module& module_;
  ir::Function& function_;
  const Uniformity uniformity_;
  ir::Builder b_;
  std::vector<Inst*> apart_, jumps_;
  std::unordered_set<const Inst*> hot_;
  std::unordered_set<const Inst*> left_alone_;  // some thread jumps in them where not all do
  size_t deepest_ = 0;
  std::vector<Level> levels_;
  Block* segment_ = nullptr;
  Value* yielded_ = nullptr;
  std::unordered_set<const Block*> segments_;
  std::unordered_map<const Inst*, Inst*> kept_;
};

}  // namespace

void gather_threads(ir::Module& module) {
  for (ir::Function* function : module.functions) {
    if (function->is_kernel) gather_threads(module, *function);
  }
}

void gather_threads(ir::Module& module, ir::Function& kernel) { Gathering(module, kernel).run(); }

}  // namespace quern::pass
