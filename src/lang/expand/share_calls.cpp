// A sequence of instructions with many calls becomes a loop over numbered steps:
//
//   for (pc = 0; pc != end;) {
//     callee = none;
//     if (pc == 0) { …; callee = add; a = x; b = y; pc = 1; } else { z = result; … }
//     if (callee == add) result = add(a, b);
//   }
//
// so that each function is called in one place only. Nested branches select a step: compilers of GLSL take
// much longer for a switch with many cases.
#include <algorithm>
#include <map>
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
using ir::Type;
using ir::TypeKind;
using ir::Value;

// Inlining fewer instructions more than once is cheaper than a loop.
constexpr size_t kFewInstructions = 1500;
constexpr size_t kMaxDepth = 200;  // of nested constructs in a run

// Facts about functions, computed once.
class Callees {
 public:
  // The number of instructions, with those of the functions that it calls.
  size_t size(const ir::Function* f) { return facts(f).size; }
  // Whether all threads of a group must call it together.
  bool is_convergent(const ir::Function* f) { return facts(f).is_convergent; }
  bool is_convergent(const Inst* i) {
    if (i->is(Op::kCall)) return is_convergent(i->attr().callee);
    return pass::has_property(i->op, ir::kConvergent) || ir::group(i->op) == ir::OpGroup::kMatrix;
  }
  bool is_shared(const Inst* i) {
    return i->is(Op::kCall) && i->attr().callee->name.starts_with(kLibraryNamespace) &&
           !is_convergent(i->attr().callee) && takes_numbers(*i);
  }

 private:
  struct Facts {
    size_t size = 0;
    bool is_convergent = false;
  };
  static bool takes_numbers(const Inst& i) {
    const auto is_number = [](const Type* t) { return t->is_scalar() && !t->is_ptr(); };
    return is_number(i.type) && std::all_of(i.operands.begin(), i.operands.end(),
                                            [&](const Value* v) { return is_number(v->type); });
  }
  const Facts& facts(const ir::Function* f) {
    const auto [at, is_new] = known_.try_emplace(f);
    if (!is_new) return at->second;
    Facts made;
    pass::traverse(f->body, [&](const Inst* i) {
      made.size += 1 + (i->is(Op::kCall) ? size(i->attr().callee) : 0);
      made.is_convergent = made.is_convergent || is_convergent(i);
    });
    return known_[f] = made;
  }

  std::unordered_map<const ir::Function*, Facts> known_;
};

// Consecutive instructions of a block.
struct Run {
  Block* block;
  Inst* first;
  Inst* last;
};

class Machine {
 public:
  Machine(ir::Module& module, ir::Function& function, Callees& callees)
      : module_(module), function_(function), callees_(callees), b_(module) {}

  void build(const Run& run) {
    Block* const block = run.block;
    Inst* const after = run.last->next;
    begin(run);
    std::vector<Inst*> all;
    for (Inst* i = run.first; i != after; i = i->next) all.push_back(i);
    const uint32_t first = add_step();
    at_ = first;
    place(all, kEnd);
    assemble(block, after);
  }

 private:
  static constexpr uint32_t kEnd = ~uint32_t{0};
  struct Called {
    ir::Function* callee;
    const Type* type;
  };

  const Type* u32() { return b_.type(TypeKind::kU32); }
  Value* number(uint32_t n) { return module_.constant(u32(), n); }

  // Variables go before the run.
  void begin(const Run& run) {
    b_.at(run.block, run.first);
    b_.pos(run.first->pos);
    pc_ = b_.var(u32(), "pc");
    b_.store(pc_, number(0));
    callee_ = b_.var(u32(), "callee");
    entry_ = pc_;
    for (Inst* i = run.first; i != run.last->next; i = i->next) {
      note(i);
      for (Block* block : i->blocks) pass::traverse(block, [&](Inst* inner) { note(inner); });
    }
  }
  void note(Inst* i) {
    if (!callees_.is_shared(i)) return;
    for (Inst* up = i->parent->owner; up != nullptr && has_calls_.insert(up).second;) up = up->parent->owner;
  }
  Inst* variable(const Type* type, std::string_view name) {
    b_.at(entry_->parent, entry_);
    return b_.var(type, name);
  }

  uint32_t add_step() {
    steps_.push_back(module_.new_block(&function_, nullptr));
    return static_cast<uint32_t>(steps_.size() - 1);
  }
  void append(Inst* i) {
    i->parent->remove(i);
    steps_[at_]->append(i);
  }
  void continue_at(uint32_t step) {
    b_.at(steps_[at_]);
    jumps_.push_back({b_.store(pc_, number(0)), step});
  }
  void continue_at(Value* condition, uint32_t yes, uint32_t no) {
    b_.at(steps_[at_]);
    Inst* chosen = b_.emit(Op::kSelect, u32(), {condition, number(0), number(0)});
    b_.store(pc_, chosen);
    choices_.push_back({chosen, yes, no});
  }

  // Places the instructions in the current step and those after it; continues at `next`.
  void place(const std::vector<Inst*>& all, uint32_t next) {
    for (Inst* i : all) {
      b_.pos(i->pos);
      if (i->is(Op::kVar)) {
        i->parent->remove(i);
        entry_->parent->insert_before(i, entry_);
      } else if (callees_.is_shared(i)) {
        place_call(i);
      } else if (has_calls_.count(i) != 0) {
        place_control(i);
      } else if (pass::has_property(i->op, ir::kTerminator)) {
        place_jump(i);
        return;
      } else {
        append(i);
        redirect_jumps(i);
      }
    }
    continue_at(next);
  }
  void place(Block* block, uint32_t next) {
    std::vector<Inst*> all;
    for (Inst* i : *block) all.push_back(i);
    place(all, next);
  }

  void place_call(Inst* i) {
    ir::Function* const callee = i->attr().callee;
    const auto [at, is_new] = numbers_.try_emplace(callee, static_cast<uint32_t>(called_.size() + 1));
    if (is_new) called_.push_back({callee, i->type});
    b_.at(steps_[at_]);
    std::map<const Type*, uint32_t> used;
    for (Value* v : i->operands) {
      Inst* slot = argument(v->type, used[v->type]++);
      b_.at(steps_[at_]);
      b_.store(slot, v);
    }
    b_.store(callee_, number(at->second));
    const uint32_t next = add_step();
    continue_at(next);
    at_ = next;
    // The call becomes a load of its result.
    i->op = Op::kLoad;
    i->operands.clear();
    i->operands.push_back(result(i->type));
    i->attr_.reset();
    append(i);
  }
  Inst* argument(const Type* type, uint32_t index) {
    Inst*& slot = arguments_[{type, index}];
    if (slot == nullptr) slot = variable(type, "argument");
    return slot;
  }
  Inst* result(const Type* type) {
    Inst*& slot = results_[type];
    if (slot == nullptr) slot = variable(type, "result");
    return slot;
  }

  void place_control(Inst* i) {
    const uint32_t next = add_step();
    ends_[i] = next;
    switch (i->op) {
      case Op::kIf: place_if(i, next); break;
      case Op::kLoop: place_loop(i, next); break;
      case Op::kSwitch: place_switch(i, next); break;
      default: place(i->blocks[0], next);  // a scope
    }
    if (i->parent != nullptr) i->parent->remove(i);
    at_ = next;
  }
  void place_if(Inst* i, uint32_t next) {
    const bool has_else = i->blocks[1]->first != nullptr;
    const uint32_t yes = add_step(), no = has_else ? add_step() : next;
    continue_at(i->operand(0), yes, no);
    at_ = yes;
    place(i->blocks[0], next);
    if (!has_else) return;
    at_ = no;
    place(i->blocks[1], next);
  }
  void place_loop(Inst* i, uint32_t next) {
    const uint32_t head = add_step(), body = add_step(), step = add_step();
    const uint32_t outer_yields = yields_to_, outer_leaves = leaves_to_;
    continues_[i] = step;
    continue_at(head);
    at_ = head;
    yields_to_ = body, leaves_to_ = next;
    place(i->blocks[0], body);
    at_ = body;
    place(i->blocks[1], step);
    at_ = step;
    yields_to_ = head, leaves_to_ = next;
    place(i->blocks[2], head);
    yields_to_ = outer_yields, leaves_to_ = outer_leaves;
  }
  void place_switch(Inst* i, uint32_t next) {
    b_.at(steps_[at_]);
    Inst* chosen = b_.make_switch(i->operand(0), i->attr().cases);
    const uint32_t before = at_;
    const std::vector<ir::SwitchCase>& cases = i->attr().cases;
    const bool has_default =
        std::any_of(cases.begin(), cases.end(), [](const ir::SwitchCase& c) { return c.values.empty(); });
    if (!has_default) {
      b_.at(steps_[before], chosen);
      jumps_.push_back({b_.store(pc_, number(0)), next});
    }
    for (size_t k = 0; k < i->blocks.size(); ++k) {
      at_ = add_step();
      b_.at(chosen->blocks[k]);
      jumps_.push_back({b_.store(pc_, number(0)), at_});
      place(i->blocks[k], next);
    }
    at_ = before;
  }

  // The last instruction of a block.
  void place_jump(Inst* i) {
    if (i->is(Op::kYield)) {
      continue_at(i->operand(0), yields_to_, leaves_to_);
    } else {
      jump(i, steps_[at_], nullptr);
    }
    i->parent->remove(i);
  }
  // Writes what the jump does before `where`.
  void jump(Inst* i, Block* block, Inst* where) {
    b_.at(block, where);
    const auto& known = i->is(Op::kContinue) ? continues_ : ends_;
    const auto to = i->is(Op::kReturn) ? known.end() : known.find(i->attr().target);
    if (to != known.end()) {
      jumps_.push_back({b_.store(pc_, number(0)), to->second});
      return;
    }
    leaves(i, block, where);
    jumps_.push_back({b_.store(pc_, number(0)), kEnd});
  }
  // A jump out of the run is done after the loop.
  void leaves(Inst* i, Block* block, Inst* where) {
    if (left_ == nullptr) {
      b_.at(entry_->parent, entry_);
      left_ = b_.var(u32(), "leaves");
      b_.store(left_, number(0));
    }
    Value* value = i->operands.empty() ? nullptr : i->operand(0);
    if (value != nullptr && returned_ == nullptr) returned_ = variable(value->type, "returned");
    b_.at(block, where);
    if (value != nullptr) b_.store(returned_, value);
    const Leave leave{i->op, i->is(Op::kReturn) ? nullptr : i->attr().target, value != nullptr};
    size_t index = 0;
    while (index < leaves_.size() && !(leaves_[index] == leave)) ++index;
    if (index == leaves_.size()) leaves_.push_back(leave);
    b_.store(left_, number(static_cast<uint32_t>(index + 1)));
  }

  // Jumps in a construct that stays whole, out of it: they leave the switch over the steps.
  void redirect_jumps(Inst* whole) {
    std::vector<Inst*> out;
    for (Block* block : whole->blocks) {
      pass::traverse(block, [&](Inst* i) {
        const bool is_jump = i->is(Op::kExit) || i->is(Op::kContinue) || i->is(Op::kReturn);
        if (is_jump && !(i->attr().target != nullptr && is_within(i->attr().target, whole))) out.push_back(i);
      });
    }
    if (out.empty()) return;
    // What follows the construct must not run: the rest of the step is skipped.
    for (Inst* i : out) {
      b_.pos(i->pos);
      jump(i, i->parent, i);
      early_exits_.push_back(i);
    }
  }
  static bool is_within(const Inst* i, const Inst* outer) {
    for (; i != nullptr; i = i->parent->owner) {
      if (i == outer) return true;
    }
    return false;
  }

  // --- values that several steps use ---

  void assemble(Block* block, Inst* after) {
    number_steps();
    for (uint32_t k = 0; k < steps_.size(); ++k) {
      for (Inst* i : *steps_[k]) homes_[i] = k;
    }
    for (uint32_t k = 0; k < steps_.size(); ++k) adapt_step(k);
    write_loop(block, after);
  }
  void number_steps() {
    const uint32_t end = static_cast<uint32_t>(steps_.size());
    const auto step = [&](uint32_t n) { return number(n == kEnd ? end : n); };
    for (const Jump& j : jumps_) j.store->operands[1] = step(j.to);
    for (const Choice& c : choices_) {
      c.select->operands[1] = step(c.yes);
      c.select->operands[2] = step(c.no);
    }
  }

  void adapt_step(uint32_t k) {
    std::vector<Inst*> all;
    pass::traverse(steps_[k], [&](Inst* i) { all.push_back(i); });
    std::unordered_map<const Value*, Value*> here;
    Inst* const first = steps_[k]->first;
    for (Inst* i : all) {
      for (Value*& v : i->operands) v = in_step(v, k, steps_[k], first, here);
    }
  }
  // The value as an operand in step `k`, read before `where`.
  Value* in_step(Value* v, uint32_t k, Block* block, Inst* where,
                 std::unordered_map<const Value*, Value*>& here) {
    Inst* const source = ir::as_inst(v);
    if (source == nullptr) return v;
    const auto home = homes_.find(source);
    if (home == homes_.end() || home->second == k) return v;
    if (const auto known = here.find(v); known != here.end()) return known->second;
    Value* made = nullptr;
    if (source->type->is_ptr() && pass::has_property(source->op, ir::kPure)) {  // computed again
      std::vector<Value*> operands;
      for (Value* o : source->operands) operands.push_back(in_step(o, k, block, where, here));
      b_.at(block, where);
      b_.pos(source->pos);
      Inst* copy = b_.emit(source->op, source->type, operands);
      if (source->attr_ != nullptr) copy->mutable_attr() = source->attr();
      made = copy;
    } else {
      Inst* slot = kept(source);
      b_.at(block, where);
      b_.pos(source->pos);
      made = b_.emit(Op::kLoad, source->type, {slot});
    }
    return here[v] = made;
  }
  // The variable that keeps a value for other steps.
  Inst* kept(Inst* source) {
    Inst*& slot = kept_[source];
    if (slot != nullptr) return slot;
    b_.pos(source->pos);
    slot = variable(source->type, source->name.empty() ? std::string_view("kept") : source->name);
    b_.at(source->parent, source->next);
    b_.store(slot, source);
    return slot;
  }

  // --- the loop ---

  void write_loop(Block* block, Inst* after) {
    b_.at(block, after);
    b_.pos(entry_->pos);
    Inst* const loop = b_.make_loop();
    loop->mutable_attr().unroll = 1;
    b_.at(loop->blocks[0]);
    const auto end = static_cast<uint32_t>(steps_.size());
    b_.yield(b_.compare(Op::kNe, b_.load(u32(), pc_), number(end)));
    b_.at(loop->blocks[1]);
    b_.store(callee_, number(0));
    Inst* const scope = b_.make_scope();
    b_.at(scope->blocks[0]);
    select(b_.load(u32(), pc_), 0, end, [&](uint32_t k) { pass::splice(steps_[k], b_.block(), nullptr); });
    for (Inst* i : early_exits_) {
      i->op = Op::kExit;
      i->operands.clear();
      i->mutable_attr().target = scope;
    }
    b_.at(loop->blocks[1]);
    write_calls();
    b_.at(block, after);
    write_check(end);
    write_leaves();
    read_after(block, loop, after);
  }
  // Runs write(k), which appends to the current block, for the k that equals `number_of`, by nested branches
  // over [first, end).
  template <typename Write>
  void select(Value* number_of, uint32_t first, uint32_t end, const Write& write) {
    if (end - first == 1) return write(first);
    const uint32_t middle = first + (end - first) / 2;
    Inst* const branch = b_.make_if(b_.compare(Op::kLt, number_of, number(middle)));
    b_.at(branch->blocks[0]);
    select(number_of, first, middle, write);
    b_.at(branch->blocks[1]);
    select(number_of, middle, end, write);
  }
  void write_calls() {
    select(b_.load(u32(), callee_), 0, static_cast<uint32_t>(called_.size() + 1), [&](uint32_t n) {
      if (n != 0) write_call(called_[n - 1]);
    });
  }
  void write_call(const Called& called) {
    std::map<const Type*, uint32_t> used;
    std::vector<Value*> in;
    for (const ir::Param* p : called.callee->params) {
      in.push_back(b_.emit(Op::kLoad, p->type, {arguments_.at({p->type, used[p->type]++})}));
    }
    Inst* made = b_.emit(Op::kCall, called.type, in);
    made->mutable_attr().callee = called.callee;
    b_.store(results_.at(called.type), made);
  }
  // If the kernel checks whether the device has ended its loops (pass::limit_rounds): that check may be one
  // of the steps that have not run.
  void write_check(uint32_t end) {
    const Inst* check = nullptr;
    pass::traverse(function_.body, [&](const Inst* i) {
      if (i->is(Op::kTrap) && !i->attr().text.empty()) check = i;
    });
    if (check == nullptr) return;
    Block* const block = b_.block();
    Inst* const where = b_.where();
    Inst* branch = b_.make_if(b_.compare(Op::kNe, b_.load(u32(), pc_), number(end)));
    b_.at(branch->blocks[0]);
    b_.emit(Op::kTrap, check->type, {})->mutable_attr() = check->attr();
    b_.at(block, where);
  }
  void write_leaves() {
    const bool is_body = b_.where() == nullptr && b_.block()->owner == nullptr;
    if (is_body) {  // all jumps return
      if (returned_ != nullptr) b_.ret(b_.load(function_.result, returned_));
      return;
    }
    for (size_t k = 0; k < leaves_.size(); ++k) {
      const Leave& leave = leaves_[k];
      Block* const around = b_.block();
      Inst* const where = b_.where();
      Value* left = b_.load(u32(), left_);
      Inst* branch = b_.make_if(b_.compare(Op::kEq, left, number(static_cast<uint32_t>(k + 1))));
      b_.at(branch->blocks[0]);
      if (leave.op == Op::kReturn) {
        b_.ret(leave.has_value ? b_.load(function_.result, returned_) : nullptr);
      } else if (leave.op == Op::kContinue) {
        b_.continue_(leave.target);
      } else {
        b_.exit(leave.target);
      }
      b_.at(around, where);
    }
  }
  // Values of the run that are used after it.
  void read_after(Block* block, Inst* loop, Inst* after) {
    if (after == nullptr) return;
    std::unordered_map<const Value*, Value*> here;
    Inst* const where = loop->next;
    std::vector<Inst*> rest;
    for (Inst* i = after; i != nullptr; i = i->next) {
      rest.push_back(i);
      for (Block* inner : i->blocks) pass::traverse(inner, [&](Inst* x) { rest.push_back(x); });
    }
    for (Inst* i : rest) {
      for (Value*& v : i->operands) v = in_step(v, kEnd, block, where, here);
    }
  }

  struct Jump {
    Inst* store;
    uint32_t to;
  };
  struct Choice {
    Inst* select;
    uint32_t yes, no;
  };
  struct Leave {
    Op op;
    Inst* target;
    bool has_value;
    bool operator==(const Leave&) const = default;
  };

  ir::Module& module_;
  ir::Function& function_;
  Callees& callees_;
  ir::Builder b_;
  Inst* entry_ = nullptr;  // variables are created before it
  Inst* pc_ = nullptr;
  Inst* callee_ = nullptr;
  Inst* left_ = nullptr;      // which jump out of the run was taken
  Inst* returned_ = nullptr;  // the value of a return
  uint32_t at_ = 0;           // the current step
  uint32_t yields_to_ = 0, leaves_to_ = 0;
  std::vector<Block*> steps_;
  std::unordered_set<const Inst*> has_calls_;  // control instructions around a call
  std::unordered_map<const Inst*, uint32_t> ends_, continues_;
  std::unordered_map<const Inst*, uint32_t> homes_;
  std::unordered_map<const Inst*, Inst*> kept_;
  std::unordered_map<const ir::Function*, uint32_t> numbers_;
  std::vector<Called> called_;
  std::map<std::pair<const Type*, uint32_t>, Inst*> arguments_;
  std::map<const Type*, Inst*> results_;
  std::vector<Jump> jumps_;
  std::vector<Choice> choices_;
  std::vector<Leave> leaves_;
  std::vector<Inst*> early_exits_;
};

// The runs of a function that are worth a loop.
class Runs {
 public:
  Runs(ir::Function& function, Callees& callees) : callees_(callees) {
    pass::traverse(function.body, [&](const Inst* i) {
      if (!callees_.is_convergent(i)) return;
      for (; i != nullptr && convergent_.insert(i).second;) i = i->parent->owner;
    });
    std::vector<Block*> left = {function.body};
    while (!left.empty()) {
      Block* const block = left.back();
      left.pop_back();
      split(block, left);
    }
  }
  const std::vector<Run>& found() const { return found_; }

 private:
  // All threads reach convergent instructions together: these stay outside of runs.
  void split(Block* block, std::vector<Block*>& left) {
    Inst* first = nullptr;
    for (Inst* i = block->first; i != nullptr; i = i->next) {
      if (convergent_.count(i) == 0 && !i->is(Op::kYield)) {
        if (first == nullptr) first = i;
        continue;
      }
      if (first != nullptr) add({block, first, i->prev});
      first = nullptr;
      for (Block* inner : i->blocks) left.push_back(inner);
    }
    if (first != nullptr) add({block, first, block->last});
  }
  void add(const Run& run) {
    std::unordered_map<const ir::Function*, size_t> counts;
    size_t depth = 0, deepest = 0;
    const auto count = [&](const Inst* i) {
      if (callees_.is_shared(i)) ++counts[i->attr().callee];
    };
    for (Inst* i = run.first; i != run.last->next; i = i->next) {
      count(i);
      for (Block* inner : i->blocks) {
        pass::traverse(
            inner,
            [&](const Inst* x) {
              count(x);
              if (!x->blocks.empty()) deepest = std::max(deepest, ++depth);
            },
            [&](const Inst*) { --depth; });
      }
    }
    size_t saved = 0;
    for (const auto& [callee, n] : counts) saved += (n - 1) * callees_.size(callee);
    if (saved > kFewInstructions && deepest < kMaxDepth) found_.push_back(run);
  }

  Callees& callees_;
  std::unordered_set<const Inst*> convergent_;
  std::vector<Run> found_;
};

}  // namespace

void share_calls(ir::Module& module) {
  Callees callees;
  for (ir::Function* f : module.functions) {
    const Runs runs(*f, callees);
    for (const Run& run : runs.found()) Machine(module, *f, callees).build(run);
  }
  pass::simplify(module);
}

}  // namespace quern::expand
