// Control flow inside of a bundle. If it is uniform it becomes a branch; otherwise both sides run, each under
// the mask of its lanes, and a side without active lanes is skipped. If it pays, code for the case that all
// lanes take a side is generated a second time, without a mask.
#include "lang/pass/loop_shape.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {
constexpr size_t kMostCopied = 400;  // instructions
// The number of IR instructions per scalarized access below which vectors do not pay.
constexpr size_t kWorthOfAccess = 20;
}  // namespace

bool Emitter::is_worth_copying(const ir::Block* block) const {
  return width_ > 1 && !options_.is_quick && plan_.size_of(block) <= kMostCopied &&
         plan_.touches_memory(block);
}

// Generates a block's code. If no lane is left, control continues at `end`, which it also reaches normally.
void Emitter::block(const ir::Block* block, const Text& end) {
  const Text outer = block_end_;
  block_end_ = end;
  for (const Inst* i : *block) {
    if (is_terminated_) break;
    inst(i);
  }
  br(end);
  block_end_ = outer;
}

void Emitter::control(const Inst* i) {
  switch (i->op) {
    case Op::kIf: return if_(i);
    case Op::kLoop: return loop(i);
    case Op::kSwitch: return switch_(i);
    case Op::kScope: return scope(i);
    default: return jump(i);
  }
}

void Emitter::if_(const Inst* i) {
  const Mask before = mask_;
  const Val condition = value(i->operand(0));
  const Text end = fresh_label("fi");
  if (plan_.is_uniform_branch(i) || condition.is_scalar()) {
    const Text yes = fresh_label("then"), no = fresh_label("else");
    br_if(as_scalar(condition), yes, no);
    label(yes);
    block(i->blocks[0], end);
    mask_ = before;
    label(no);
    block(i->blocks[1], end);
    label(end);
    return after_construct(i, before);
  }
  const Text other = fresh_label("else");
  const bool has_else = i->blocks[1]->first != nullptr;
  masked_branch(i->blocks[0], mask_where(before, condition, false), end, has_else ? other : end);
  if (has_else) {
    label(other);
    mask_ = before;
    masked_branch(i->blocks[1], mask_where(before, condition, true), end, end);
  }
  label(end);
  after_construct(i, before);
}

// One side of a divergent branch; branches to `end` if all lanes took it, otherwise to `next`.
void Emitter::masked_branch(const ir::Block* b, const Mask& mask, const Text& end, const Text& next) {
  if (b->first == nullptr) return br(next);
  if (mask.may_be_all && is_worth_copying(b)) {
    const Text whole = fresh_label("all"), part = fresh_label("some");
    br_if(all_run(mask), whole, part);
    label(whole);
    mask_ = {};
    block(b, end);
    label(part);
  }
  const Text go = fresh_label("masked");
  if (!mask.never.empty()) {
    const Text maybe = fresh_label("maybe");
    br_if(mask.never, next, maybe);
    label(maybe);
  }
  br_if(any(mask.text), go, next);
  label(go);
  mask_ = {mask.text, mask.may_be_all && !is_worth_copying(b)};
  block(b, next);
}

void Emitter::clear_off(const Target& target) {
  if (!plan_.has_turning_off(target)) return;
  line("store " + vec(Text("i8")) + (width_ == 1 ? " 0" : " zeroinitializer") + ", ptr " +
       off_pointer(target) + ", align 1");
}

void Emitter::loop(const Inst* i) {
  const Mask before = mask_;
  const Target exit{i, false}, next{i, true};
  std::vector<Target> gone = plan_.escapes(i);
  if (plan_.has_turning_off(exit)) gone.push_back(exit);
  const bool is_divergent = !plan_.is_uniform_branch(i);
  const bool shrinks = width_ > 1 && (is_divergent || !gone.empty());
  const Text head = fresh_label("loop"), body = fresh_label("body"), step = fresh_label("step"),
             end = fresh_label("pool");
  labels_[i] = {end, step};
  clear_off(exit);
  Text running;  // lanes that are still in the loop
  if (shrinks) running = mask_cell(before);
  const auto take_running = [&] {
    mask_ = before;
    if (shrinks) mask_ = {kept_mask(running), before.may_be_all};
  };
  const auto condition = [&](const ir::Block* asking, const Text& go) {
    const Inst* yield = pass::yield_of(asking);
    const Text outer = block_end_;
    block_end_ = end;
    for (const Inst* k : *asking) {
      if (k != yield && !is_terminated_) inst(k);
    }
    block_end_ = outer;
    if (is_terminated_) return;
    if (yield != nullptr) return this->yield(yield, running, go, end);
    if (shrinks) keep_mask(running, mask_text(mask_));
    br(go);
  };

  const size_t scattered = scattered_;
  label(head);
  take_running();
  condition(i->blocks[pass::kLoopHead], body);
  label(body);
  take_running();
  clear_off(next);
  const ir::Block* inner = i->blocks[pass::kLoopBody];
  if (shrinks && mask_.may_be_all && is_worth_copying(inner)) {
    const Text whole = fresh_label("all"), part = fresh_label("some");
    const Mask some{mask_.text, false};
    br_if(all(mask_.text), whole, part);
    label(whole);
    mask_ = {};
    block(inner, step);
    label(part);
    mask_ = some;
  }
  block(inner, step);
  const size_t dear = kWorthOfAccess * (scattered_ - scattered);
  if (is_divergent && plan_.size_of(inner) < dear) is_better_alone_ = true;
  label(step);
  take_running();
  if (!gone.empty()) {
    mask_ = without(mask_, gone);
    if (shrinks) keep_mask(running, mask_.text);
    const Text go = fresh_label("on");
    br_if(any(mask_text(mask_)), go, end);
    label(go);
    if (width_ == 1) mask_ = {};
  }
  if (options_.is_thread && plan_.waits(i)) call("qn_yield", "ptr %context");
  condition(i->blocks[pass::kLoopStep], head);
  label(end);
  after_construct(i, before);
}

void Emitter::yield(const Inst* i, const Text& running, const Text& go, const Text& end) {
  const Val condition = value(i->operand(0));
  if (condition.is_scalar() || running.empty()) {
    if (!running.empty()) keep_mask(running, mask_text(mask_));
    return br_if(as_scalar(condition), go, end);
  }
  const Mask left = mask_and(mask_, as_vector(condition), false);
  keep_mask(running, left.text);
  br_if(any(left.text), go, end);
}

void Emitter::scope(const Inst* i) {
  const Mask before = mask_;
  const Text end = fresh_label("epocs");
  labels_[i] = {end, {}};
  clear_off({i, false});
  block(i->blocks[0], end);
  label(end);
  after_construct(i, before);
}

void Emitter::uniform_switch(const Inst* i, const Text& end) {
  const Text type = spelling(i->operand(0)->type);
  const Mask before = mask_;
  Text cases, otherwise = end;
  Texts names;
  for (const ir::SwitchCase& c : i->attr().cases) {
    names.push_back(fresh_label("case"));
    if (c.values.empty()) otherwise = names.back();
    for (int64_t v : c.values)
      cases += " " + type + " " + literal(i->operand(0)->type, static_cast<uint64_t>(v)) + ", label %" +
               names.back();
  }
  line("switch " + type + " " + as_scalar(value(i->operand(0))) + ", label %" + otherwise + " [" + cases +
       " ]");
  is_terminated_ = true;
  for (size_t k = 0; k < names.size(); ++k) {
    label(names[k]);
    mask_ = before;
    block(i->blocks[k], end);
  }
}

void Emitter::switch_(const Inst* i) {
  const Mask before = mask_;
  const Text end = fresh_label("hctiws");
  labels_[i] = {end, {}};
  clear_off({i, false});
  const Val on = value(i->operand(0));
  if (plan_.is_uniform_branch(i) || on.is_scalar()) {
    uniform_switch(i, end);
    label(end);
    return after_construct(i, before);
  }
  const ir::Type* type = i->operand(0)->type;
  const Text x = as_vector(on), bits = vec(Text("i1"));
  Texts chosen;
  Text none;  // not in any case
  for (const ir::SwitchCase& c : i->attr().cases) {
    Text is;
    for (int64_t v : c.values) {
      const Text eq = def("icmp eq " + vec(type) + " " + x + ", " +
                          splat(spelling(type), literal(type, static_cast<uint64_t>(v))));
      is = is.empty() ? eq : def("or " + bits + " " + is + ", " + eq);
    }
    chosen.push_back(is);
    if (!is.empty()) none = none.empty() ? is : def("or " + bits + " " + none + ", " + is);
  }
  for (size_t k = 0; k < chosen.size(); ++k) {
    Mask mask = before;
    if (!chosen[k].empty()) {
      mask = mask_and(before, chosen[k], false);
    } else if (!none.empty()) {
      mask = mask_and(before, none, true);
    }
    const Text next = fresh_label("case");
    mask.may_be_all = false;
    mask_ = before;
    if (mask.is_all()) {
      mask_ = mask;
      block(i->blocks[k], next);
    } else {
      masked_branch(i->blocks[k], mask, next, next);
    }
    label(next);
  }
  label(end);
  after_construct(i, before);
}

void Emitter::jump(const Inst* i) {
  if (i->is(Op::kUnreachable)) return br(block_end_);
  const Target target = Plan::target_of(i);
  if (plan_.turns_off(i)) {
    turn_off(target);
    return br(block_end_);
  }
  if (target.construct == nullptr) return br(run_end_);
  const Labels& labels = labels_.at(target.construct);
  br(target.continues ? labels.step : labels.end);
}

}  // namespace quern::llvm
