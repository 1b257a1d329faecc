// Loops in which a thread waits for what another one does.
#include "lang/pass/waiting_loops.hpp"

#include "lang/pass/walk.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;

namespace {

// Reads what another thread must change before the loop can end.
bool is_poll(const Inst* i) {
  switch (i->op) {
    case Op::kLoad: return i->attr().is_volatile && i->operand(0)->type->space != ir::Space::kLocal;
    case Op::kAtomicLoad: return true;
    case Op::kAtomicCas: return ir::as_const(i->operand(1)) != nullptr;  // else it follows what it read
    case Op::kAtomicRmw:
      return i->attr().rmw == ir::Rmw::kExchange || is_const_zero(i->operand(1)) ||
             i->attr().rmw == ir::Rmw::kOr;
    default: return false;
  }
}

const Inst* var_of(const ir::Value* pointer) {
  const Inst* i = ir::as_inst(pointer);
  while (i != nullptr && i->is(Op::kSpaceCast)) i = ir::as_inst(i->operand(0));
  return i != nullptr && i->is(Op::kVar) ? i : nullptr;
}

}  // namespace

std::unordered_set<const Inst*> waiting_loops(const ir::Function& kernel) {
  std::unordered_set<const Inst*> polled;  // values that come from a poll, and variables that hold them
  for (bool changed = true; changed;) {
    changed = false;
    traverse(kernel.body, [&](const Inst* i) {
      bool is = is_poll(i);
      const bool computes = ir::has(i->op, ir::kPure);
      for (const ir::Value* v : i->operands) {
        is = is || (computes && ir::as_inst(v) != nullptr && polled.count(ir::as_inst(v)) != 0);
      }
      if (i->is(Op::kLoad) && var_of(i->operand(0)) != nullptr)
        is = is || polled.count(var_of(i->operand(0))) != 0;
      if (i->is(Op::kStore) && var_of(i->operand(0)) != nullptr) {
        const Inst* value = ir::as_inst(i->operand(1));
        if (value != nullptr && polled.count(value) != 0)
          changed = polled.insert(var_of(i->operand(0))).second || changed;
      }
      if (is) changed = polled.insert(i).second || changed;
    });
  }
  std::unordered_set<const Inst*> loops;
  std::unordered_set<const Inst*> polling;  // loops with a poll inside
  traverse(kernel.body, [&](const Inst* i) {
    if (!is_poll(i)) return;
    for (const Inst* c = i->parent->owner; c != nullptr; c = c->parent->owner) {
      if (c->is(Op::kLoop)) polling.insert(c);
    }
  });
  traverse(kernel.body, [&](const Inst* i) {
    const bool decides = i->is(Op::kYield) || i->is(Op::kIf) || i->is(Op::kSwitch);
    if (!decides || ir::as_inst(i->operand(0)) == nullptr || polled.count(ir::as_inst(i->operand(0))) == 0)
      return;
    for (const Inst* c = i->parent->owner; c != nullptr; c = c->parent->owner) {
      if (c->is(Op::kLoop) && polling.count(c) != 0) {
        loops.insert(c);
        break;
      }
    }
  });
  return loops;
}

}  // namespace quern::pass
