#include "lang/pass/walk.hpp"
#include "target/wgsl/writer.hpp"

namespace quern::target::wgsl {

using ir::Inst;
using ir::Op;

using cstyle::is_true;
using cstyle::yield_of;

void Writer::statement(const Inst* i) {
  if (i->is(Op::kVar)) return variable(i);
  if (i->is(Op::kOffset) || i->is(Op::kSpaceCast)) return;   // part of accesses
  if (i->type->is_aggregate() && !i->is(Op::kCall)) return;  // part of members and returns
  const bool is_value = !i->type->is_void();
  const bool has_effect = pass::has_property(i->op, ir::kWrites) || pass::is_volatile(i);
  if (is_value && !has_effect && !folding_.is_used(i)) return;
  if (is_inside(i) || begins_loop(i)) return;
  if (is_value && folding_.is_used(i) && !i->is(Op::kPrintf)) {
    define(i);
  } else {
    effect(i);
  }
}

void Writer::define(const Inst* i) {
  const std::string text = render(i).text;
  const std::string name = pretty(i->name);
  text_.line("let " + name + " = " + text + ";");
  named_[i] = name;
}

void Writer::effect(const Inst* i) {
  switch (i->op) {
    case Op::kStore:
    case Op::kAtomicStore: text_.line(assignment(i) + ";"); return;
    case Op::kWarpBarrier:
    case Op::kBarrier:
    case Op::kFence: barrier(); return;
    case Op::kPrintf: print(i); return;
    case Op::kAssert:
    case Op::kTrap: fail(i); return;
    case Op::kNanoSleep: return;  // a no-op
    case Op::kIf: branch(i); return;
    case Op::kLoop: loop(i); return;
    case Op::kSwitch: choose(i); return;
    case Op::kScope: scope(i); return;
    case Op::kExit: text_.line("break;"); return;
    case Op::kContinue: text_.line("continue;"); return;
    case Op::kReturn:
    case Op::kUnreachable: leave(i); return;
    default: break;
  }
  const std::string text = render(i).text;
  text_.line((i->type->is_void() ? "" : "_ = ") + text + ";");
}

void Writer::leave(const Inst* i) {
  if (function_.result->is_void()) {
    text_.line("return;");
  } else if (i != nullptr && !i->operands.empty()) {
    text_.line("return " + hidden(i->operand(0)).text + ";");
  } else {
    text_.line("return " + literal(function_.result, 0).text + ";");
  }
}

// for (…; condition; step), if head and step are that simple.
bool Writer::for_loop(const Inst* i) {
  const auto round = simple_round(i);
  if (!round) return false;
  const auto& [condition, next] = *round;
  if (condition.empty() && pending_init_.empty() && next.empty()) {
    text_.open("loop");
  } else if (pending_init_.empty() && next.empty()) {
    text_.open("while (" + condition + ")");
  } else {
    text_.open("for (" + pending_init_ + "; " + condition + "; " + next + ")");
  }
  pending_init_.clear();
  block(i->blocks[1]);
  text_.close();
  return true;
}

void Writer::loop(const Inst* i) {
  if (for_loop(i)) return;
  const ir::Block *head = i->blocks[0], *step = i->blocks[2];
  text_.open("loop");
  block(head);
  if (const Inst* yield = yield_of(head); yield != nullptr && !is_true(yield->operand(0)))
    text_.line("if (" + inverted_text(yield->operand(0)) + ") { break; }");
  block(i->blocks[1]);
  if (step->first != nullptr) {
    text_.open("continuing");
    block(step);
    if (const Inst* yield = yield_of(step); yield != nullptr && !is_true(yield->operand(0)))
      text_.line("break if " + inverted_text(yield->operand(0)) + ";");
    text_.close();
  }
  text_.close();
}

void Writer::choose(const Inst* i) {
  const ir::Type* t = i->operand(0)->type;
  const uint64_t mask = (uint64_t{1} << t->bits()) - 1;
  bool has_default = false;
  text_.open("switch (" + value(i->operand(0)).text + ")");
  for (size_t k = 0; k < i->blocks.size(); ++k) {
    const ir::SwitchCase& one = i->attr().cases[k];
    std::string label = "default";
    if (!one.values.empty()) label = "case ";
    for (size_t n = 0; n < one.values.size(); ++n)
      label += (n == 0 ? "" : ", ") + literal(t, static_cast<uint64_t>(one.values[n]) & mask).text;
    has_default |= one.values.empty();
    text_.open(label + ":");
    block(i->blocks[k]);
    text_.close();
  }
  if (!has_default) text_.line("default: {}");
  text_.close();
}

// A construct to break out of that does not repeat.
void Writer::scope(const Inst* i) {
  text_.open("switch (0u)");
  text_.open("default:");
  block(i->blocks[0]);
  text_.close();
  text_.close();
}

}  // namespace quern::target::wgsl
