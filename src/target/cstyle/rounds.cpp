#include "target/cstyle/rounds.hpp"

#include "lang/pass/loop_shape.hpp"
#include "lang/pass/walk.hpp"

namespace quern::target::cstyle {

namespace {

using ir::Inst;
using ir::Op;

bool is_inside(const ir::Value* v, const Inst* loop) {
  const Inst* i = ir::as_inst(v);
  while (i != nullptr && i != loop) i = i->parent->owner;
  return i == loop;
}

const Inst* loaded_var(const ir::Value* v) {
  const Inst* load = ir::as_inst(v);
  if (load == nullptr || !load->is(Op::kLoad) || pass::is_volatile(load)) return nullptr;
  const Inst* var = ir::as_inst(load->operand(0));
  return var != nullptr && var->is(Op::kVar) ? var : nullptr;
}

constexpr uint64_t kMostStep = uint64_t{1} << 30;

// The step's increment; 0: it does something else.
uint64_t step_of(const ir::Block* step, const Inst* var) {
  const Inst* store = step->last;
  if (store == nullptr || !store->is(Op::kStore) || store->operand(0) != var) return 0;
  const Inst* sum = ir::as_inst(store->operand(1));
  if (sum == nullptr || !sum->is(Op::kAdd) || loaded_var(sum->operand(0)) != var) return 0;
  const ir::Const* by = ir::as_const(sum->operand(1));
  return by != nullptr && by->bits <= kMostStep ? by->bits : 0;
}

// The body only reads the counter.
bool is_left_alone(const Inst* loop, const Inst* var) {
  bool is_alone = true;
  pass::traverse(loop->blocks[pass::kLoopBody], [&](const Inst* i) {
    if (i->is(Op::kLoad) && !pass::is_volatile(i)) return;
    for (const ir::Value* v : i->operands) is_alone = is_alone && v != var;
  });
  return is_alone;
}

bool is_left_early(const Inst* loop) {
  bool is_early = false;
  pass::traverse(loop->blocks[pass::kLoopBody],
                 [&](const Inst* i) { is_early |= i->is(Op::kExit) && i->attr().target == loop; });
  return is_early;
}

// The comparison of a signed counter with its bound at the head; nullptr: there is none.
const Inst* bound_test(const Inst* loop) {
  const Inst* yield = pass::yield_of(loop->blocks[pass::kLoopHead]);
  const Inst* test = yield != nullptr ? ir::as_inst(yield->operand(0)) : nullptr;
  if (test == nullptr || !(test->is(Op::kLt) || test->is(Op::kLe))) return nullptr;
  const ir::Type* type = test->operand(0)->type;
  const bool is_counter = type->is_int() && type->is_signed() && type->size >= 4;
  return is_counter && loaded_var(test->operand(0)) != nullptr ? test : nullptr;
}

}  // namespace

bool counts_below_bound(const Inst* loop) {
  const Inst* test = bound_test(loop);
  if (test == nullptr || !test->is(Op::kLt)) return false;
  const Inst* var = loaded_var(test->operand(0));
  return step_of(loop->blocks[pass::kLoopStep], var) == 1 && is_left_alone(loop, var);
}

std::optional<Rounds> uncounted_rounds(const Inst* loop) {
  if (loop->attr().unroll == 1) return std::nullopt;  // it must not be unrolled
  const Inst* test = bound_test(loop);
  if (test == nullptr) return std::nullopt;
  Rounds out;
  out.counter = test->operand(0);
  out.bound = test->operand(1);
  out.reaches_bound = test->is(Op::kLe);
  const Inst* var = loaded_var(out.counter);
  if (ir::as_const(out.bound) != nullptr || is_inside(out.bound, loop)) return std::nullopt;
  out.step = step_of(loop->blocks[pass::kLoopStep], var);
  // An increment of 1 cannot pass the largest number from below the bound.
  if (out.step <= 1 || !is_left_alone(loop, var) || is_left_early(loop)) return std::nullopt;
  return out;
}

}  // namespace quern::target::cstyle
