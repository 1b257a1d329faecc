// Loops that count between constants become their rounds, one behind the other: indices are constants then,
// and small arrays dissolve into scalars. For targets whose own compiler does not see arrays any more.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "lang/ir/builder.hpp"
#include "lang/pass/clone.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/pass.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Const;
using ir::Inst;
using ir::Op;
using ir::Value;

constexpr size_t kMostRounds = 1024;
constexpr size_t kMostAsked = 8192;  // instructions of all rounds, where the user asks
constexpr size_t kMostUnasked = 640;
constexpr size_t kMostRoundsUnasked = 64;

size_t size_of(Block* block) {
  size_t count = 0;
  traverse(block, [&](Inst*) { ++count; });
  return count;
}

struct Counted {
  Inst* var;
  Inst* step_store;
  std::vector<Const*> rounds;  // what the variable is in each
  Const* after;
};

class Unrolling {
 public:
  Unrolling(ir::Module& module, ir::Function& function) : module_(module), function_(function) {}

  bool run() {
    std::vector<Inst*> loops;  // inner ones before those around them
    traverse(
        function_.body, [&](Inst*) {},
        [&](Inst* i) {
          if (i->is(Op::kLoop)) loops.push_back(i);
        });
    if (loops.empty()) return false;
    for (Inst* loop : loops) {
      const auto counted = count(loop);
      if (counted && is_wanted(loop, counted->rounds.size())) unroll(loop, *counted);
    }
    return changed_;
  }

 private:
  // Whether the variable is only loaded and stored, and stored once within the loop.
  bool is_counter(const Inst* var, const Inst* loop, const Inst* step_store) {
    bool is_fine = true;
    const auto look = [&](Block* block, bool is_inside) {
      traverse(block, [&](Inst* i) {
        for (size_t k = 0; k < i->operands.size(); ++k) {
          if (i->operand(k) != var) continue;
          const bool is_load = i->is(Op::kLoad) && !is_volatile(i) && i->type == var->attr().type;
          const bool is_store = i->is(Op::kStore) && k == 0 && !is_volatile(i);
          is_fine = is_fine && (is_load || (is_store && (!is_inside || i == step_store)));
        }
      });
    };
    look(function_.body, false);
    for (Block* b : loop->blocks) look(b, true);
    return is_fine;
  }

  // The constant that it is when the loop begins.
  static Const* initial(const Inst* var, const Inst* loop) {
    for (Inst* i = loop->prev; i != nullptr; i = i->prev) {
      if (i->is(Op::kStore) && i->operand(0) == var) return ir::as_const(i->operand(1));
      bool stores = false;
      for (Block* b : i->blocks)
        traverse(
            b, [&](Inst* inner) { stores = stores || (inner->is(Op::kStore) && inner->operand(0) == var); });
      if (stores || i == var) return nullptr;
    }
    return nullptr;
  }

  static Inst* loaded_var(Value* v) {
    Inst* load = ir::as_inst(v);
    if (load == nullptr || !load->is(Op::kLoad)) return nullptr;
    Inst* var = ir::as_inst(load->operand(0));
    return var != nullptr && var->is(Op::kVar) ? var : nullptr;
  }

  static Inst* store_in(Block* step, const Inst* var) {
    Inst* found = nullptr;
    for (Inst* i : *step) {
      if (i->is(Op::kStore) && i->operand(0) == var) found = i;
    }
    return found;
  }

  std::optional<Counted> count(Inst* loop) {
    Block *head = loop->blocks[kLoopHead], *step = loop->blocks[kLoopStep];
    const Inst* yield = yield_of(head);
    if (yield == nullptr || yield_of(step) != nullptr || step->terminated()) return {};
    Inst* condition = ir::as_inst(yield->operand(0));
    if (condition == nullptr || condition->operands.size() != 2 || condition->parent != head) return {};
    for (const Inst* i : *head) {  // nothing but the question
      if (i != condition && i != yield && !(i->is(Op::kLoad) && !is_volatile(i))) return {};
    }
    Inst* var = loaded_var(condition->operand(0));
    Const* bound = ir::as_const(condition->operand(1));
    if (var == nullptr || bound == nullptr) return {};
    Inst* store = store_in(step, var);
    Inst* next = store != nullptr ? ir::as_inst(store->operand(1)) : nullptr;
    if (next == nullptr || !(next->is(Op::kAdd) || next->is(Op::kSub) || next->is(Op::kShl) ||
                             next->is(Op::kShr) || next->is(Op::kMul) || next->is(Op::kDiv)))
      return {};
    Const* by = ir::as_const(next->operand(1));
    if (by == nullptr || loaded_var(next->operand(0)) != var || next->parent != step) return {};
    Const* now = initial(var, loop);
    if (now == nullptr || !is_counter(var, loop, store)) return {};
    Counted out{var, store, {}, nullptr};
    const ir::Type* boolean = module_.types().get(ir::TypeKind::kBool);
    while (out.rounds.size() <= kMostRounds) {
      Value* asked[] = {now, bound};
      const Const* goes_on = ir::fold(module_, condition->op, boolean, asked, condition->attr());
      if (goes_on == nullptr) return {};
      if (goes_on->bits == 0) {
        out.after = now;
        return out;
      }
      out.rounds.push_back(now);
      Value* stepped[] = {now, by};
      now = ir::fold(module_, next->op, next->type, stepped, next->attr());
      if (now == nullptr) return {};
    }
    return {};
  }

  bool is_wanted(const Inst* loop, size_t rounds) {
    const int32_t wish = loop->attr().unroll;
    const size_t size = rounds * (size_of(loop->blocks[kLoopBody]) + size_of(loop->blocks[kLoopStep]));
    if (wish == -1 || (wish > 1 && static_cast<size_t>(wish) >= rounds)) return size <= kMostAsked;
    return wish == 0 && rounds <= kMostRoundsUnasked && size <= kMostUnasked;
  }

  void unroll(Inst* loop, const Counted& counted) {
    changed_ = true;
    const uint32_t size = number_insts(function_);
    ir::Builder b(module_);
    b.pos(loop->pos);
    b.at(loop->parent, loop);
    Inst* around = b.make_scope();  // what leaves the loop leaves this
    for (Const* value : counted.rounds) {
      b.at(around->blocks[0]);
      b.store(counted.var, value);
      Inst* round = b.make_scope();  // what goes on with the next round leaves this
      Cloner cloner(module_, size, &function_);
      copy(cloner, loop->blocks[kLoopBody], round->blocks[0]);
      copy(cloner, loop->blocks[kLoopStep], around->blocks[0]);
      redirect(around->blocks[0], round, loop, around, round, counted, value);
    }
    b.at(loop->parent, loop);
    // Only where nobody has left before: the last thing of the scope.
    b.at(around->blocks[0]);
    b.store(counted.var, counted.after);
    loop->parent->remove(loop);
  }

  void copy(Cloner& cloner, Block* from, Block* to) {
    cloner.copy(from, to, nullptr, [&](const Inst* source, Block* into, Inst* where) {
      ir::Builder b(module_);
      b.pos(source->pos);
      b.at(into, where);
      b.ret(nullptr);
    });
  }

  // The copies behind `first` (and in it): exits and continues have new targets, the variable is a constant,
  // and the step no longer counts.
  void redirect(Block* block, Inst* first, const Inst* loop, Inst* around, Inst* round,
                const Counted& counted, Const* value) {
    std::vector<Inst*> copies;
    for (Inst* i = first; i != nullptr; i = i->next) {
      copies.push_back(i);
      for (Block* b : i->blocks) traverse(b, [&](Inst* inner) { copies.push_back(inner); });
    }
    std::unordered_map<const Value*, Value*> known;
    for (Inst* i : copies) {
      if (i->is(Op::kLoad) && i->operand(0) == counted.var) known[i] = value;
    }
    for (Inst* i : copies) {
      for (Value*& v : i->operands) {
        if (const auto at = known.find(v); at != known.end()) v = at->second;
      }
      if (i->attr_ != nullptr && i->attr_->target == loop) {
        i->attr_->target = i->is(Op::kExit) ? around : round;
        i->op = Op::kExit;
      }
    }
    for (Inst* i : copies) {
      const bool counts = i->is(Op::kStore) && i->operand(0) == counted.var && i->parent == block;
      if (counts || known.count(i) != 0) i->parent->remove(i);
    }
  }

  ir::Module& module_;
  ir::Function& function_;
  bool changed_ = false;
};

}  // namespace

void unroll_loops(ir::Module& module, ir::Function& function) { Unrolling(module, function).run(); }

void unroll_loops(ir::Module& module) {
  bool changed = false;
  for (ir::Function* f : module.functions) changed = Unrolling(module, *f).run() || changed;
  if (!changed) return;
  nest_exits(module);
  simplify(module);
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds && scalar_replace(module); ++round) simplify(module);
}

}  // namespace quern::pass
