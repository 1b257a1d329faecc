#include "lang/pass/loop_shape.hpp"

#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

const ir::Const* known_condition(const Block* block) {
  const Inst* yield = yield_of(block);
  return yield != nullptr ? ir::as_const(yield->operand(0)) : nullptr;
}

void become_scope(Inst* loop, Block* block) {
  loop->op = Op::kScope;
  loop->attr_.reset();
  loop->blocks = {block};
}

bool has_continue(Block* block, const Inst* loop) {
  bool found = false;
  traverse(block, [&](Inst* i) { found |= i->is(Op::kContinue) && i->attr().target == loop; });
  return found;
}

// Continuing to the step that ends the loop is the same as leaving it.
void continues_exit(Block* block, Inst* loop, Inst* target) {
  traverse(block, [&](Inst* i) {
    if (!i->is(Op::kContinue) || i->attr().target != loop) return;
    i->op = Op::kExit;
    i->mutable_attr().target = target;
  });
}

// head; if (condition) { body } in a scope.
Inst* once_as_if(ir::Module& module, Inst* loop) {
  Block* head = loop->blocks[kLoopHead];
  Block* body = loop->blocks[kLoopBody];
  Inst* yield = yield_of(head);
  Inst* branch = nullptr;
  if (yield == nullptr) {
    splice(body, head, nullptr);
  } else {
    branch = module.new_inst(Op::kIf, nullptr, yield->pos);
    branch->operands = {yield->operand(0)};
    Block* nothing = module.new_block(head->function, branch);
    branch->blocks = {body, nothing};
    body->owner = branch;
    head->remove(yield);
    head->append(branch);
  }
  become_scope(loop, head);
  return branch;
}

// do { body } while (false): the step runs once, after the body.
Inst* once_with_step(ir::Module& module, Inst* loop, bool has_continues) {
  Block* head = loop->blocks[kLoopHead];
  Block* body = loop->blocks[kLoopBody];
  Block* step = loop->blocks[kLoopStep];
  Inst* inner = nullptr;
  step->remove(yield_of(step));
  if (!has_continues) {
    splice(body, head, nullptr);
  } else {
    inner = module.new_inst(Op::kScope, nullptr, loop->pos);
    inner->blocks = {body};
    body->owner = inner;
    continues_exit(body, loop, inner);
    head->append(inner);
  }
  if (!head->terminated()) splice(step, head, nullptr);
  become_scope(loop, head);
  return inner;
}

bool drop_always_true(Block* block) {
  const ir::Const* known = known_condition(block);
  if (known == nullptr || known->bits == 0) return false;
  block->remove(block->last);
  return true;
}

}  // namespace

LoopShape tidy_loop(ir::Module& module, Inst* loop, bool runs_once, bool has_continues) {
  LoopShape shape;
  Block* head = loop->blocks[kLoopHead];
  Block* step = loop->blocks[kLoopStep];
  shape.changed |= drop_always_true(head);
  shape.changed |= drop_always_true(step);
  const Inst* head_yield = yield_of(head);
  const bool odd_continues = has_continues && (has_continue(head, loop) || has_continue(step, loop));
  if (odd_continues) {
    shape.ends = head_yield != nullptr || yield_of(step) != nullptr;
    return shape;
  }
  const bool stops_at_head = known_condition(head) != nullptr;
  if (stops_at_head || (head->terminated() && head_yield == nullptr)) {
    if (stops_at_head) head->remove(head->last);
    become_scope(loop, head);
    return {true, stops_at_head, nullptr};
  }
  if (runs_once) {
    const bool may_end = head_yield != nullptr;
    return {true, may_end, once_as_if(module, loop)};
  }
  if (head_yield == nullptr && known_condition(step) != nullptr) {
    return {true, true, once_with_step(module, loop, has_continues)};
  }
  shape.ends = head_yield != nullptr || yield_of(step) != nullptr;
  return shape;
}

}  // namespace quern::pass
