#include "target/cstyle/flow_writer.hpp"

#include <algorithm>

#include "lang/pass/walk.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;

namespace {

constexpr int kMaxDepth = 12;  // of one expression, for readers and for compilers

}  // namespace

bool is_true(const ir::Value* v) {
  const ir::Const* c = ir::as_const(v);
  return c != nullptr && c->bits != 0;
}

FlowWriter::FlowWriter(ir::Function& function, bool is_exact_glsl, const ir::Module& module, bool line_marks)
    : folding_(function, is_exact_glsl), text_(module, line_marks) {
  size_t count = 0;
  pass::traverse(function.body, [&](const Inst*) { ++count; });
  depth_.assign(count, 0);
}

int FlowWriter::depth(const Inst* i) const {
  int deepest = 0;
  for (const ir::Value* v : i->operands) {
    const Inst* in = ir::as_inst(v);
    if (in != nullptr && named_.count(in) == 0) deepest = std::max(deepest, depth_[in->id]);
  }
  return deepest + 1;
}

void FlowWriter::note_depths(const ir::Block* b) {
  for (const Inst* k : *b) depth_[k->id] = depth(k);
}

void FlowWriter::block(const ir::Block* b) {
  for (const Inst* i : *b) {
    if (!i->is(Op::kYield)) statement(i);
  }
}

bool FlowWriter::is_inside(const Inst* i) {
  if (!i->type->is_void()) depth_[i->id] = depth(i);
  return folding_.is_folded(i) && depth_[i->id] <= kMaxDepth;
}

bool FlowWriter::begins_loop(const Inst* i) {
  const Inst* next = i->next;
  if (!i->is(Op::kStore) || !folding_.declares(i) || next == nullptr || !next->is(Op::kLoop)) return false;
  const Inst* var = ir::as_inst(i->operand(0));
  const bool is_for = folding_.lives_in(var, next) && is_quiet(next->blocks[0]) &&
                      yield_of(next->blocks[2]) == nullptr && !step_expression(next->blocks[2]).empty();
  if (is_for) pending_init_ = assignment(i);
  return is_for;
}

void FlowWriter::branch(const Inst* i) {
  const ir::Block *yes = i->blocks[0], *no = i->blocks[1];
  if (yes->first == nullptr) {
    text_.open("if (" + inverted_text(i->operand(0)) + ")");
    block(no);
    text_.close();
    return;
  }
  text_.open("if (" + value_text(i->operand(0)) + ")");
  block(yes);
  while (no->first != nullptr) {
    // An else that contains only an if needs no nesting level.
    const Inst* last = no->last;
    bool is_chain = last->is(Op::kIf) && last->blocks[0]->first != nullptr;
    for (const Inst* k = no->first; is_chain && k != last; k = k->next) is_chain = folding_.is_folded(k);
    if (!is_chain) {
      text_.reopen("else");
      block(no);
      break;
    }
    for (const Inst* k = no->first; k != last; k = k->next) depth_[k->id] = depth(k);
    text_.reopen("else if (" + value_text(last->operand(0)) + ")");
    block(last->blocks[0]);
    no = last->blocks[1];
  }
  text_.close();
}

bool FlowWriter::is_quiet(const ir::Block* b) const {
  for (const Inst* i : *b) {
    if (!i->is(Op::kYield) && !folding_.is_folded(i)) return false;
  }
  return true;
}

std::string FlowWriter::step_expression(const ir::Block* b) {
  const Inst* only = nullptr;
  for (const Inst* i : *b) {
    if (folding_.is_folded(i)) {
      depth_[i->id] = depth(i);
      continue;
    }
    const Inst* var = i->is(Op::kStore) ? ir::as_inst(i->operand(0)) : nullptr;
    if (only != nullptr || var == nullptr || !folding_.is_plain(var) || folding_.declares(i)) return {};
    only = i;
  }
  if (only == nullptr || named_.count(only->operand(0)) == 0) return {};
  return assignment(only);
}

std::optional<FlowWriter::Round> FlowWriter::simple_round(const Inst* loop) {
  const ir::Block *head = loop->blocks[0], *step = loop->blocks[2];
  if (!is_quiet(head) || yield_of(step) != nullptr) return std::nullopt;
  Round round;
  round.step = step_expression(step);
  if (round.step.empty() && step->first != nullptr) return std::nullopt;
  note_depths(head);
  const Inst* yield = yield_of(head);
  if (yield != nullptr && !is_true(yield->operand(0))) round.condition = value_text(yield->operand(0));
  return round;
}

}  // namespace quern::target::cstyle
