// Control flow. The IR's constructs map to those of SPIR-V: an if is a selection, a switch and a scope are
// OpSwitch (a scope has only the default case, and exits are breaks), a loop is a loop.
#include <algorithm>

#include "lang/pass/walk.hpp"
#include "target/messages.hpp"
#include "target/spirv/emitter.hpp"
#include "target/spirv/model.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;

void Emitter::jump(Id to) {
  effect(Opcode::kBranch, {to});
  is_open_ = false;
}

void Emitter::merges(Id merge) { effect(Opcode::kSelectionMerge, {merge, 0}); }

void Emitter::loops(Id merge, Id next, uint32_t requested) {
  effect(Opcode::kLoopMerge, {merge, next, requested});
}

void Emitter::enter(Id inside, Id merge) {
  merges(merge);
  effect(Opcode::kSwitch, {b_.u32(0), inside});
}

void Emitter::block(const ir::Block* b) {
  for (const Inst* i : *b) {
    if (!is_open_) return;  // unreachable
    if (!i->is(Op::kYield)) statement(i);
  }
}

void Emitter::statement(const Inst* i) {
  if (i->is(Op::kVar)) return;
  line(i->pos);
  switch (i->op) {
    case Op::kIf: branch(i); return;
    case Op::kLoop: loop(i); return;
    case Op::kSwitch: switch_on(i); return;
    case Op::kScope: scope(i); return;
    case Op::kExit: jump(exits_.at(i->attr().target)); return;
    case Op::kContinue: jump(continues_.at(i->attr().target)); return;
    case Op::kUnreachable:
      effect(Opcode::kUnreachable, {});
      is_open_ = false;
      return;
    case Op::kReturn:
      if (i->operands.empty()) {
        effect(Opcode::kReturn, {});
      } else {
        effect(Opcode::kReturnValue, {scalar(i->operand(0))});
      }
      is_open_ = false;
      return;
    case Op::kLoad: load(i); return;
    case Op::kStore: store(i); return;
    case Op::kBarrier: barrier(); return;
    case Op::kWarpBarrier: warp_barrier(); return;
    case Op::kShuffle: define(i, shuffle(i)); return;
    case Op::kBallot:
      define(i, op(Opcode::kBitwiseAnd, u32(), {ballot(scalar(i->operand(1))), scalar(i->operand(0))}));
      return;
    case Op::kActiveMask: define(i, ballot(b_.boolean(true))); return;
    case Op::kMatrixFill:
    case Op::kMatrixLoad:
    case Op::kMatrixStore:
    case Op::kMatrixMultiply: matrix(i); return;
    case Op::kFence: fence(i); return;
    case Op::kClock:
    case Op::kGlobalTimer: define(i, clock(i)); return;
    case Op::kNanoSleep: return;  // a no-op
    case Op::kCall: call(i); return;
    default: break;
  }
  if (ir::group(i->op) == ir::OpGroup::kAtomic) return atomic(i);
  if (!pure(i)) {
    refuse(i, message::kCannotExpress(ir::info(i->op).name, unit_.model.api_of(unit_.options)));
    if (!i->type->is_void()) define(i, zero(i->type));
  }
}

void Emitter::branch(const Inst* i) {
  const ir::Block *yes = i->blocks[0], *no = i->blocks[1];
  const Id then = b_.fresh(), merge = b_.fresh();
  const Id otherwise = no->first != nullptr ? b_.fresh() : merge;
  merges(merge);
  effect(Opcode::kBranchConditional, {scalar(i->operand(0)), then, otherwise});
  label(then);
  block(yes);
  if (is_open_) jump(merge);
  if (otherwise != merge) {
    label(otherwise);
    block(no);
    if (is_open_) jump(merge);
  }
  label(merge);
}

// Whether control always reaches its end.
bool Emitter::is_simple(const ir::Block* b) const {
  std::vector<const Inst*> inside;
  bool simple = true;
  pass::traverse(
      const_cast<ir::Block*>(b),  // only read
      [&](const Inst* i) {
        if (!i->blocks.empty()) inside.push_back(i);
        const bool leaves = i->is(Op::kReturn) || i->is(Op::kUnreachable);
        const bool jumps = i->is(Op::kExit) || i->is(Op::kContinue);
        if (leaves || (jumps && std::find(inside.begin(), inside.end(), i->attr().target) == inside.end()))
          simple = false;
      });
  return simple;
}

// A head or a step, and the branch after it.
void Emitter::loop_part(const ir::Block* b, Id go_on, Id leave) {
  block(b);
  if (!is_open_) return;
  const Inst* yield = b->last != nullptr && b->last->is(Op::kYield) ? b->last : nullptr;
  const ir::Const* known = yield != nullptr ? ir::as_const(yield->operand(0)) : nullptr;
  if (yield == nullptr || (known != nullptr && known->bits != 0)) {
    jump(go_on);
    return;
  }
  effect(Opcode::kBranchConditional, {scalar(yield->operand(0)), go_on, leave});
  is_open_ = false;
}

void Emitter::loop(const Inst* i) {
  const ir::Block *head = i->blocks[0], *body = i->blocks[1], *step = i->blocks[2];
  const Id header = b_.fresh(), first = b_.fresh(), inside = b_.fresh(), next = b_.fresh(),
           merge = b_.fresh();
  const uint32_t requested = i->attr().unroll == 1 ? 2 : i->attr().unroll != 0 ? 1 : 0;
  exits_[i] = merge;
  jump(header);
  label(header);
  loops(merge, next, requested);
  effect(Opcode::kBranch, {first});
  label(first);
  loop_part(head, inside, merge);
  label(inside);
  if (is_simple(step)) {
    continues_[i] = next;
    block(body);
    if (is_open_) jump(next);
    label(next);
    loop_part(step, header, merge);
  } else {
    // The continue construct of a loop may only contain plain code: the body is a separate construct, which
    // continue leaves, and the step follows it.
    const Id wrapped = b_.fresh(), after = b_.fresh();
    continues_[i] = after;
    enter(wrapped, after);
    label(wrapped);
    block(body);
    if (is_open_) jump(after);
    label(after);
    loop_part(step, next, merge);
    label(next);
    jump(header);
  }
  label(merge);
}

void Emitter::switch_on(const Inst* i) {
  const ir::Type* type = i->operand(0)->type;
  const Id merge = b_.fresh();
  exits_[i] = merge;
  Ids labels, words{scalar(i->operand(0)), merge};
  for (size_t k = 0; k < i->blocks.size(); ++k) {
    labels.push_back(b_.fresh());
    if (i->attr().cases[k].values.empty()) words[1] = labels[k];
  }
  for (size_t k = 0; k < i->blocks.size(); ++k) {
    for (const int64_t n : i->attr().cases[k].values) {
      uint64_t bits = static_cast<uint64_t>(n);
      if (!type->is_signed() && type->size < 8) bits &= (uint64_t{1} << type->bits()) - 1;
      words.push_back(static_cast<uint32_t>(bits));
      if (type->size == 8) words.push_back(static_cast<uint32_t>(bits >> 32));
      words.push_back(labels[k]);
    }
  }
  merges(merge);
  code_.add(Opcode::kSwitch, words);
  for (size_t k = 0; k < i->blocks.size(); ++k) {
    label(labels[k]);
    block(i->blocks[k]);
    if (is_open_) jump(merge);
  }
  label(merge);
}

void Emitter::scope(const Inst* i) {
  const Id inside = b_.fresh(), merge = b_.fresh();
  exits_[i] = merge;
  enter(inside, merge);
  label(inside);
  block(i->blocks[0]);
  if (is_open_) jump(merge);
  label(merge);
}

void Emitter::call(const Inst* i) {
  const auto known = unit_.functions.find(i->attr().callee);
  if (known == unit_.functions.end()) {
    refuse(i, message::kCallNotInlined());
    if (!i->type->is_void()) define(i, zero(i->type));
    return;
  }
  Ids operands{known->second};
  for (const ir::Value* v : i->operands) operands.push_back(scalar(v));
  const Id id = op(Opcode::kFunctionCall, i->type->is_void() ? b_.void_type() : held(i->type), operands);
  if (!i->type->is_void()) define(i, id);
}

}  // namespace quern::target::spirv
