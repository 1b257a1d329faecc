// Makes all threads of a block go the same way where they meet. What only some of them did is done by those
// under a condition of its own ("active"), and the way itself (branches, loops, early returns) is
// everybody's:
//   if (c) { a; meet; b }     becomes     active = c; if (active) a; meet; if (active) b;
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "lang/expand/expand.hpp"
#include "lang/ir/builder.hpp"
#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::expand {

namespace {

using ir::Block;
using ir::Inst;
using ir::Op;
using ir::TypeKind;
using ir::Value;

class Gathering {
 public:
  Gathering(ir::Module& module, ir::Function& kernel, const std::function<bool(const Inst&)>& is_meeting)
      : b_(module), kernel_(kernel), is_meeting_(is_meeting), uniformity_(kernel) {}

  void run() {
    bool is_needed = false;
    pass::traverse(kernel_.body, [&](Inst* i) {
      is_needed = is_needed || (is_meeting_(*i) && !uniformity_.is_converged(i));
      for (const Value* v : i->operands) {
        if (ir::as_inst(v) != nullptr) uses_[v].push_back(i);
      }
    });
    if (!is_needed || has_divergent_switch()) return;
    const std::vector<Inst*> all = take_all(kernel_.body);
    out_ = kernel_.body;
    b_.at(out_);
    root_ = b_.var(boolean(), "active");
    b_.store(root_, b_.module().constant_bool(true));
    spread(all, nullptr);
  }

 private:
  // --- what must be spread ---

  // Whether threads meet in it, or leave through it for somewhere else.
  bool must_spread(Inst* i) const {
    if (i->is(Op::kExit) || i->is(Op::kContinue) || i->is(Op::kReturn)) return true;
    if (i->blocks.empty()) return false;
    bool found = false;
    for (Block* block : i->blocks) {
      pass::traverse(block, [&](Inst* k) {
        const bool is_jump = k->is(Op::kExit) || k->is(Op::kContinue);
        found =
            found || is_meeting_(*k) || k->is(Op::kReturn) || (is_jump && !is_inside(k->attr().target, i));
      });
    }
    return found;
  }
  static bool is_inside(const Inst* target, const Inst* i) {
    for (const Inst* at = target; at != nullptr; at = at->parent->owner) {
      if (at == i) return true;
    }
    return false;
  }
  static bool has_return(Inst* i) {
    bool found = false;
    for (Block* block : i->blocks)
      pass::traverse(block, [&](const Inst* k) { found = found || k->is(Op::kReturn); });
    return found;
  }
  bool has_divergent_switch() const {
    bool found = false;
    pass::traverse(kernel_.body, [&](Inst* i) {
      found = found || (i->is(Op::kSwitch) && must_spread(i) && !uniformity_.is_uniform_branch(i));
    });
    return found;
  }

  // --- pieces ---

  const ir::Type* boolean() { return b_.type(TypeKind::kBool); }
  static std::vector<Inst*> take_all(Block* block) {
    std::vector<Inst*> all;
    for (Inst* i : *block) all.push_back(i);
    for (Inst* i : all) block->remove(i);
    return all;
  }
  Value* load(Inst* flag) { return b_.load(boolean(), flag); }
  Value* both(Inst* active, Value* also) {
    return active == nullptr ? also : b_.binary(Op::kAnd, load(active), also);
  }
  Inst* flag(Value* start) {
    Inst* made = b_.var(boolean(), "active");
    b_.store(made, start);
    return made;
  }

  // Values that were made under a condition are known outside by a variable.
  void rename(Inst* i) {
    const auto one = [&](Inst* at) {
      for (Value*& v : at->operands) {
        if (const auto by = instead_.find(v); by != instead_.end()) v = by->second;
      }
    };
    one(i);
    for (Block* block : i->blocks) pass::traverse(block, one);
  }
  Value* now(Value* v) const {
    const auto by = instead_.find(v);
    return by != instead_.end() ? by->second : v;
  }

  void place(Inst* i) {
    rename(i);
    out_->append(i);
  }

  // --- what only active threads do ---

  static bool is_local_load(const Inst* i) {
    const Inst* var = i->is(Op::kLoad) ? ir::as_inst(i->operand(0)) : nullptr;
    return var != nullptr && var->is(Op::kVar) && !pass::is_volatile(i);
  }

  // Everybody may do it: it changes nothing, and cannot fail.
  void do_by_all(Inst* i) {
    const bool waits = std::any_of(i->operands.begin(), i->operands.end(), [&](const Value* v) {
      return ir::as_inst(v) != nullptr && inside_.count(ir::as_inst(v)) != 0;
    });
    if (open_ != nullptr && !waits && !is_local_load(i)) {
      rename(i);
      out_->insert_before(i, open_);
      return;
    }
    close();
    place(i);
  }

  void do_by_active(Inst* i, Inst* active) {
    if (pass::has_property(i->op, ir::kPure) || i->is(Op::kVar) || is_local_load(i)) return do_by_all(i);
    if (open_ == nullptr) {
      b_.at(out_);
      open_ = b_.make_if(load(active));
    }
    rename(i);
    open_->blocks[0]->append(i);
    inside_.insert(i);
    for (Block* block : i->blocks) pass::traverse(block, [&](Inst* k) { inside_.insert(k); });
  }

  void close() {
    if (open_ == nullptr) return;
    Block* const block = open_->blocks[0];
    for (Inst* i = block->first; i != nullptr; i = i->next) {
      const auto uses = uses_.find(i);
      if (i->type->is_void() || uses == uses_.end()) continue;
      const bool is_inner = std::all_of(uses->second.begin(), uses->second.end(),
                                        [&](const Inst* use) { return inside_.count(use) != 0; });
      if (is_inner) continue;
      b_.at(out_, open_);
      Inst* var = b_.var(i->type, i->name);
      b_.at(block, i->next);
      i = b_.store(var, i);
      b_.at(out_);
      instead_[i->operand(1)] = b_.load(var->attr().type, var);
    }
    open_ = nullptr;
    inside_.clear();
    b_.at(out_);
  }

  // --- everybody's way ---

  void spread(const std::vector<Inst*>& insts, Inst* active) {
    for (Inst* i : insts) {
      if (is_meeting_(*i)) {
        close();
        b_.at(out_);
        meet(i, active);
      } else if (must_spread(i)) {
        close();
        b_.at(out_);
        active = spread_one(i, active);
      } else if (active == nullptr) {
        place(i);
      } else {
        do_by_active(i, active);
      }
    }
    close();
  }

  // Those that are not here say what changes nothing.
  void meet(Inst* i, Inst* active) {
    rename(i);
    if (active != nullptr) {
      const size_t at = i->is(Op::kVoteAny) || i->is(Op::kVoteAll) || i->is(Op::kBallot) ? 1 : 0;
      switch (i->op) {
        case Op::kVoteAny:
        case Op::kBallot:
        case Op::kBarrierCount:
        case Op::kBarrierOr: i->operands[at] = both(active, i->operand(at)); break;
        case Op::kVoteAll:
        case Op::kBarrierAnd:
          i->operands[at] = b_.binary(Op::kOr, i->operand(at), b_.unary(Op::kNot, load(active)));
          break;
        case Op::kActiveMask: {
          Value* everybody = b_.module().constant(b_.type(TypeKind::kU32), 0xffffffff);
          instead_[i] = b_.emit(Op::kBallot, i->type, {everybody, load(active)});
          return;
        }
        default: break;
      }
    }
    out_->append(i);
  }

  // Returns the condition that what follows stands under.
  Inst* spread_one(Inst* i, Inst* active) {
    switch (i->op) {
      case Op::kExit:
      case Op::kContinue:
      case Op::kReturn: leave(i, active); return active;
      case Op::kIf: return spread_if(i, active);
      case Op::kLoop: return spread_loop(i, active);
      case Op::kScope: return spread_scope(i, active);
      default: keep(i, active); return active;  // a switch that all take the same way
    }
  }

  bool is_plain(const Inst* control, const Inst* active) const {
    return active == nullptr && uniformity_.is_uniform_branch(control);
  }

  void into(Block* block, const std::vector<Inst*>& insts, Inst* active) {
    Block* const outer = std::exchange(out_, block);
    b_.at(out_);
    spread(insts, active);
    out_ = outer;
    b_.at(out_);
  }

  void keep(Inst* i, Inst* active) {
    place(i);
    for (Block* block : i->blocks) into(block, take_all(block), active);
  }

  Inst* spread_if(Inst* i, Inst* active) {
    if (is_plain(i, active)) {
      // A return that all take together ends the kernel; others are remembered.
      keep(i, active);
      return nullptr;
    }
    const bool returns = has_return(i);
    Inst* outer = active == nullptr && returns ? root_ : active;
    Value* c = now(i->operand(0));
    Inst* yes = flag(both(outer, c));
    Inst* no = i->blocks[1]->first == nullptr ? nullptr : flag(both(outer, b_.unary(Op::kNot, c)));
    stack_.push_back({yes, nullptr, false});
    spread(take_all(i->blocks[0]), yes);
    stack_.back().flag = no;
    if (no != nullptr) spread(take_all(i->blocks[1]), no);
    stack_.pop_back();
    return outer;
  }

  Inst* spread_scope(Inst* i, Inst* active) {
    if (is_plain(i, active) && !has_return(i)) {
      keep(i, active);
      return active;
    }
    Inst* outer = active == nullptr && has_return(i) ? root_ : active;
    Inst* here = flag(outer == nullptr ? static_cast<Value*>(b_.module().constant_bool(true)) : load(outer));
    stack_.push_back({here, i, false});
    spread(take_all(i->blocks[0]), here);
    stack_.pop_back();
    return outer;
  }

  static Inst* take_yield(std::vector<Inst*>& insts) {
    if (insts.empty() || !insts.back()->is(Op::kYield)) return nullptr;
    Inst* yield = insts.back();
    insts.pop_back();
    return yield;
  }

  // It goes round while anybody is active; who has left is not.
  Inst* spread_loop(Inst* i, Inst* active) {
    if (is_plain(i, active) && !has_return(i)) {
      keep(i, active);
      return active;
    }
    Inst* outer = active == nullptr && has_return(i) ? root_ : active;
    Inst* alive = flag(outer == nullptr ? static_cast<Value*>(b_.module().constant_bool(true)) : load(outer));
    Inst* round = b_.var(boolean(), "active");
    out_->append(i);
    stack_.push_back({alive, i, false});
    std::vector<Inst*> head = take_all(i->blocks[0]), step = take_all(i->blocks[2]);
    const std::vector<Inst*> body = take_all(i->blocks[1]);
    const auto test = [&](Block* block, std::vector<Inst*>& insts) {
      Inst* yield = take_yield(insts);
      into(block, insts, alive);
      b_.at(block);
      if (yield != nullptr) b_.store(alive, both(alive, now(yield->operand(0))));
    };
    test(i->blocks[0], head);
    b_.yield(b_.emit(Op::kBarrierOr, boolean(), {load(alive)}));
    b_.at(i->blocks[1]);
    b_.store(round, load(alive));
    stack_.push_back({round, i, true});
    into(i->blocks[1], body, round);
    stack_.pop_back();
    test(i->blocks[2], step);
    stack_.pop_back();
    b_.at(out_);
    return outer;
  }

  // Who leaves is not active any more, as far out as it leaves.
  void leave(Inst* i, Inst* active) {
    if (active == nullptr) {
      place(i);
      return;
    }
    Value* others = b_.unary(Op::kNot, load(active));
    const auto clear = [&](Inst* flag) { b_.store(flag, b_.binary(Op::kAnd, load(flag), others)); };
    const bool returns = i->is(Op::kReturn);
    for (size_t k = stack_.size(); k-- > 0;) {
      const Level& level = stack_[k];
      clear(level.flag);
      if (returns || level.construct != i->attr().target) continue;
      if (level.is_round == i->is(Op::kContinue)) break;
    }
    if (returns) clear(root_);
  }

  struct Level {
    Inst* flag;
    const Inst* construct;  // that an exit may leave; null: none
    bool is_round;          // one time round a loop, which ends with a continue too
  };

  ir::Builder b_;
  ir::Function& kernel_;
  const std::function<bool(const Inst&)>& is_meeting_;
  const pass::Uniformity uniformity_;
  std::unordered_map<const Value*, std::vector<const Inst*>> uses_;
  std::unordered_map<const Value*, Value*> instead_;
  std::vector<Level> stack_;
  Block* out_ = nullptr;
  Inst* root_ = nullptr;  // cleared where a thread returns
  Inst* open_ = nullptr;  // the branch that what active threads do is put into
  std::unordered_set<const Inst*> inside_;
};

}  // namespace

void gather_threads(ir::Module& module, ir::Function& kernel,
                    const std::function<bool(const Inst&)>& is_meeting) {
  Gathering(module, kernel, is_meeting).run();
  pass::simplify(module, kernel);
}

}  // namespace quern::expand
