#include "lang/pass/counted_loop.hpp"

#include "lang/ir/builder.hpp"
#include "lang/pass/loop_shape.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Const;
using ir::Inst;
using ir::Op;
using ir::Value;

// Whether the variable is only loaded and stored, and stored once within the loop.
bool is_counter(const ir::Function& function, const Inst* var, const Inst* loop, const Inst* step_store) {
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
  look(function.body, false);
  for (Block* b : loop->blocks) look(b, true);
  return is_fine;
}

// Its constant value when the loop begins.
Const* initial(const Inst* var, const Inst* loop) {
  for (Inst* i = loop->prev; i != nullptr; i = i->prev) {
    if (i->is(Op::kStore) && i->operand(0) == var) return ir::as_const(i->operand(1));
    bool stores = false;
    for (Block* b : i->blocks)
      traverse(b,
               [&](Inst* inner) { stores = stores || (inner->is(Op::kStore) && inner->operand(0) == var); });
    if (stores || i == var) return nullptr;
  }
  return nullptr;
}

Inst* loaded_var(Value* v) {
  Inst* load = ir::as_inst(v);
  if (load == nullptr || !load->is(Op::kLoad)) return nullptr;
  Inst* var = ir::as_inst(load->operand(0));
  return var != nullptr && var->is(Op::kVar) ? var : nullptr;
}

Inst* store_in(Block* step, const Inst* var) {
  Inst* found = nullptr;
  for (Inst* i : *step) {
    if (i->is(Op::kStore) && i->operand(0) == var) found = i;
  }
  return found;
}

// for (…; var OP bound; var = var STEP by), with constants for bound and by.
struct Stepped {
  Inst *var, *store, *condition, *next;
  Const *bound, *by;
};

std::optional<Stepped> stepped(const ir::Function& function, Inst* loop) {
  Block *head = loop->blocks[kLoopHead], *step = loop->blocks[kLoopStep];
  const Inst* yield = yield_of(head);
  if (yield == nullptr || yield_of(step) != nullptr || step->terminated()) return {};
  Inst* condition = ir::as_inst(yield->operand(0));
  if (condition == nullptr || condition->operands.size() != 2 || condition->parent != head) return {};
  for (const Inst* i : *head) {  // nothing but the condition
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
  if (!is_counter(function, var, loop, store)) return {};
  return Stepped{var, store, condition, next, bound, by};
}

// Whether the value is at least halved in each iteration and the loop ends at 0.
bool is_halved(const Stepped& s) {
  const ir::Type* t = s.next->type;
  if (!t->is_int()) return false;
  const bool halves = (s.next->is(Op::kShr) && s.by->bits >= 1 && s.by->bits < t->size * 8) ||
                      (s.next->is(Op::kDiv) && s.by->bits >= 2 && s.by->bits < 0x80);
  const bool is_negative = t->is_signed() && (s.bound->bits >> (t->size * 8 - 1) & 1) != 0;
  const bool ends_at_0 =
      (s.condition->is(Op::kGt) && !is_negative) ||
      (s.condition->is(Op::kGe) && !is_negative && s.bound->bits != 0) ||
      (s.condition->is(Op::kNe) && s.bound->bits == 0 && (!t->is_signed() || s.next->is(Op::kDiv)));
  return halves && ends_at_0;
}

}  // namespace

std::optional<CountedLoop> count_rounds(ir::Module& module, ir::Function& function, Inst* loop, size_t most) {
  const auto s = stepped(function, loop);
  if (!s) return {};
  Const* now = initial(s->var, loop);
  if (now == nullptr) return {};
  CountedLoop out{s->var, s->store, {}, nullptr};
  const ir::Type* boolean = module.types().get(ir::TypeKind::kBool);
  while (out.rounds.size() <= most) {
    Value* asked[] = {now, s->bound};
    const Const* goes_on = ir::fold(module, s->condition->op, boolean, asked, s->condition->attr());
    if (goes_on == nullptr) return {};
    if (goes_on->bits == 0) {
      out.after = now;
      return out;
    }
    out.rounds.push_back(now);
    Value* operands[] = {now, s->by};
    now = ir::fold(module, s->next->op, s->next->type, operands, s->next->attr());
    if (now == nullptr) return {};
  }
  return {};
}

std::optional<uint64_t> most_rounds(ir::Module& module, ir::Function& function, Inst* loop, size_t most) {
  const auto s = stepped(function, loop);
  if (!s) return {};
  if (is_halved(*s)) return s->next->type->size * 8;
  if (const auto counted = count_rounds(module, function, loop, most)) return counted->rounds.size();
  return {};
}

}  // namespace quern::pass
