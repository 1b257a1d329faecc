#include "lang/pass/walk.hpp"
#include "target/cstyle/kernel_writer.hpp"
#include "target/cstyle/rounds.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;

void KernelWriter::statement(const Inst* i) {
  current_ = i;
  if (i->is(Op::kVar)) {
    variable(i);
    return;
  }
  const bool is_value = !i->type->is_void();
  const bool has_effect =
      (pass::has_property(i->op, ir::kWrites) && !i->is(Op::kCall)) || pass::is_volatile(i);
  if (is_value && !has_effect && !folding_.is_used(i)) return;
  if (is_inside(i) || begins_loop(i)) return;
  text_.mark(i->pos);
  if (i->is(Op::kPtx)) return inline_ptx(i);
  if (is_value && folding_.is_used(i) && !i->is(Op::kPrintf)) {
    define(i);
  } else {
    effect(i);
    if (is_value && folding_.is_used(i)) define(i);
  }
}

void KernelWriter::define(const Inst* i) {
  if (i->is(Op::kInsert) || i->is(Op::kConstruct)) {
    aggregate(i);
    return;
  }
  if (i->type->is_ptr()) {
    define_pointer(i);
    return;
  }
  const std::string_view before = dialect_.const_values      ? "const "
                                  : must_be_precise(i->type) ? "precise "
                                                             : "";
  const std::string type = std::string(before) + unit_.types.value(i->type);
  const std::string text = render(i).text;
  const std::string name = pretty(i->name);
  text_.line(type + " " + name + " = " + text + ";");
  named_[i] = name;
}

// Without the qualifier `precise` a GLSL compiler may fuse and reorder the computation of the value.
bool KernelWriter::must_be_precise(const ir::Type* t) const {
  return is_glsl(dialect_) && unit_.is_exact() &&
         (t->kind == ir::TypeKind::kF32 || t->kind == ir::TypeKind::kF64);
}

void KernelWriter::define_pointer(const Inst* i) {
  const Place p = place_of(i);
  const ir::Type* to = p.type != nullptr && p.type->is_array() ? p.type->elem : p.type;
  const bool simple = to != nullptr && !to->is_array();
  pointees_[i] = simple ? to : nullptr;
  if (dialect_.pointers_are_typed_by_space && p.space != i->type->space) refuse(i, message::kSeveralSpaces());
  const std::string name = pretty(i->name);
  text_.line(unit_.types.pointer(pointees_[i], i->type->space) + " " + name + " = " +
             address_as(p, pointees_[i]).text + ";");
  named_[i] = name;
}

void KernelWriter::aggregate(const Inst* i) {
  const ir::Type* type = i->type;
  const std::string name = pretty(i->name);
  const auto member = [&](uint32_t index, const ir::Value* v) {
    const ir::Type* t = v->type;
    const Place whole{{name, kPrimary}, true, type, ir::Space::kLocal};
    Expr to;
    if (type->is_array()) {
      to = {name + ".of[" + std::to_string(index) + "]", kPrimary};
    } else {
      const Place p = field(whole, type, index);
      to = t->is_array() ? access(p, t, false, 0) : p.text;
    }
    if (type->is_array() && t->is_array()) to = access({to, true, t, ir::Space::kLocal}, t, false, 0);
    text_.line(to.text + " = " + to_store(t, v).text + ";");
  };
  const std::string spelled = unit_.types.value(type);
  if (i->is(Op::kInsert)) {
    text_.line(spelled + " " + name + " = " + value(i->operand(0)).text + ";");
    member(i->attr().index, i->operand(1));
  } else {
    text_.line(spelled + " " + name + ";");
    for (uint32_t k = 0; k < i->operands.size(); ++k) member(k, i->operand(k));
  }
  named_[i] = name;
}

void KernelWriter::effect(const Inst* i) {
  switch (i->op) {
    case Op::kStore: store(i); return;
    case Op::kMemCopy: copy(i); return;
    case Op::kMemSet: set(i); return;
    case Op::kBarrier:
    case Op::kWarpBarrier:
    case Op::kGridBarrier:
    case Op::kClusterBarrier: barrier(i); return;
    case Op::kFence: fence(i); return;
    case Op::kAsyncCopy:
    case Op::kAsyncCommit:
    case Op::kAsyncWait:
    case Op::kAsyncArrive: copy_beside(i); return;
    case Op::kPrintf: print(i); return;
    case Op::kAssert:
    case Op::kTrap: fail(i); return;
    case Op::kNanoSleep:
      if (dialect_.language == Language::kCuda) text_.line("__nanosleep(" + value(i->operand(0)).text + ");");
      return;  // a no-op elsewhere
    case Op::kAtomicStore: text_.line(atomic(i).text + ";"); return;
    case Op::kIf: branch(i); return;
    case Op::kLoop: loop(i); return;
    case Op::kSwitch: choose(i); return;
    case Op::kScope: scope(i); return;
    case Op::kExit: text_.line("break;"); return;
    case Op::kContinue: text_.line("continue;"); return;
    case Op::kReturn:
    case Op::kUnreachable: leave(i); return;
    case Op::kCall:  // functions have no side effects: unused results need no call
      if (unit_.functions.count(i->attr().callee) == 0) refuse(i, message::kCallNotInlined());
      return;
    default: text_.line(render(i).text + ";");
  }
}

// Library functions return a number.
void KernelWriter::leave(const Inst* i) {
  if (function_.is_kernel) {
    text_.line("return;");
  } else {
    text_.line("return " + (i->operands.empty() ? zero(function_.result) : value(i->operand(0))).text + ";");
  }
}

Expr KernelWriter::called(const Inst* i) {
  const auto known = unit_.functions.find(i->attr().callee);
  if (known == unit_.functions.end()) {
    refuse(i, message::kCallNotInlined());
    return zero(i->type);
  }
  std::string text = known->second + "(";
  for (const ir::Value* v : i->operands) text += (text.back() == '(' ? "" : ", ") + value(v).text;
  return {text + ")", kPrimary};
}

bool KernelWriter::has_jump(const Inst* to, Op jump) const {
  bool found = false;
  for (const ir::Block* b : to->blocks) {
    pass::traverse(const_cast<ir::Block*>(b), [&](const Inst* i) {  // only read
      found = found || (i->op == jump && i->attr().target == to);
    });
  }
  return found;
}

void KernelWriter::leave_unless(const ir::Block* b) {
  const Inst* yield = yield_of(b);
  if (yield == nullptr || is_true(yield->operand(0))) return;
  text_.mark(yield->pos);
  text_.line("if (" + unary("!", value(yield->operand(0))).text + ") break;");
}

// As the user requested.
void KernelWriter::unroll_mark(const Inst* loop) {
  const int32_t times = loop->attr().unroll;
  if (is_cuda(dialect_) && times != 0)
    text_.line("#pragma unroll" + (times > 0 ? " " + std::to_string(times) : std::string()));
}

// The outer loop runs once, unless the counter wraps.
void KernelWriter::counted_loop(const Inst* i, const Round& round, const Rounds& rounds) {
  const ir::Type* type = unit_.module.types().get(unsigned_kind(rounds.counter->type));
  const Expr one = literal(type, 1);
  Expr left = binary(unsigned_value(rounds.bound), "-", unsigned_value(rounds.counter), kSum);
  if (!rounds.reaches_bound) left = binary(left, "-", one, kSum);
  left = binary(binary(left, "/", literal(type, rounds.step), kProduct), "+", one, kSum);
  const std::string name = names_.make("rounds");
  text_.open("for (" + pending_init_ + "; " + round.condition + ";)");
  pending_init_.clear();
  unroll_mark(i);
  text_.open("for (" + unit_.types.value(type) + " " + name + " = " + left.text + "; " + name +
             " != " + literal(type, 0).text + "; --" + name + ", " + round.step + ")");
  block(i->blocks[1]);
  text_.close();
  text_.close();
}

void KernelWriter::for_loop(const Inst* i, const std::string& condition, const std::string& step) {
  unroll_mark(i);
  if (pending_init_.empty() && step.empty()) {
    text_.open("while (" + (condition.empty() ? "true" : condition) + ")");
  } else {
    text_.open("for (" + pending_init_ + "; " + condition + ";" + (step.empty() ? "" : " ") + step + ")");
  }
  pending_init_.clear();
  block(i->blocks[1]);
  text_.close();
}

// With statements in the head or the step. If there is a continue, the step is at the beginning of the next
// iteration.
void KernelWriter::general_loop(const Inst* i, bool continues) {
  const ir::Block *head = i->blocks[0], *body = i->blocks[1], *step = i->blocks[2];
  const bool late = continues && step->first != nullptr;
  std::string first;
  if (late) {
    first = names_.make("first");
    text_.line("bool " + first + " = true;");
  }
  unroll_mark(i);
  text_.open("while (true)");
  if (late) {
    text_.open("if (!" + first + ")");
    block(step);
    leave_unless(step);
    text_.close();
    text_.line(first + " = false;");
  }
  block(head);
  leave_unless(head);
  block(body);
  if (!late && !body->terminated()) {
    block(step);
    leave_unless(step);
  }
  text_.close();
}

void KernelWriter::loop(const Inst* i) {
  const ir::Block *head = i->blocks[0], *step = i->blocks[2];
  if (auto round = simple_round(i)) {
    // As a compiler expects it: it then knows how many iterations there are.
    const size_t name = round->step.find(" = ");
    if (is_cuda(dialect_) && name != std::string::npos && counts_below_bound(i))
      round->step = "++" + round->step.substr(0, name);
    const bool may_wrap = is_cuda(dialect_) && !is_plainly_signed(Op::kAdd);
    const auto rounds = may_wrap ? uncounted_rounds(i) : std::nullopt;
    if (rounds) {
      counted_loop(i, *round, *rounds);
    } else {
      for_loop(i, round->condition, round->step);
    }
    return;
  }
  // do { … } while (c): variables of the body are not in scope in the condition.
  const Inst* yield = yield_of(step);
  if (head->first == nullptr && yield != nullptr && is_quiet(step)) {
    unroll_mark(i);
    text_.open("do");
    block(i->blocks[1]);
    note_depths(step);
    text_.close(" while (" + value(yield->operand(0)).text + ");");
    return;
  }
  general_loop(i, has_jump(i, Op::kContinue));
}

void KernelWriter::choose(const Inst* i) {
  text_.open("switch (" + value(i->operand(0)).text + ")");
  for (size_t k = 0; k < i->blocks.size(); ++k) {
    const ir::SwitchCase& one = i->attr().cases[k];
    for (const int64_t n : one.values) {
      const auto bits = static_cast<uint64_t>(n);
      const ir::Type* t = i->operand(0)->type;
      const uint64_t mask = t->size == 8 ? ~uint64_t{0} : (uint64_t{1} << t->bits()) - 1;
      text_.line("case " + literal(t, bits & mask).text + ":");
    }
    text_.open(one.values.empty() ? "default:" : "");
    block(i->blocks[k]);
    if (!i->blocks[k]->terminated()) text_.line("break;");
    text_.close();
  }
  text_.close();
}

void KernelWriter::scope(const Inst* i) {
  const bool is_left = has_jump(i, Op::kExit);
  text_.open(is_left ? "do" : "");
  block(i->blocks[0]);
  text_.close(is_left ? " while (false);" : "");
}

}  // namespace quern::target::cstyle
