// Control flow: labels and branches. Unreachable code is not written.
#include "target/messages.hpp"
#include "target/ptx/writer.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;

void Writer::jump(const std::string& to) {
  if (is_open_) put("bra " + to);
  is_open_ = false;
}

void Writer::block(const ir::Block* b) {
  for (const Inst* i : *b) {
    if (!is_open_) return;
    if (!i->is(Op::kYield)) statement(i);
  }
}

void Writer::statement(const Inst* i) {
  if (i->is(Op::kVar)) return;
  mark(i->pos);
  switch (i->op) {
    case Op::kIf: branch(i); return;
    case Op::kLoop: loop(i); return;
    case Op::kSwitch: switch_on(i); return;
    case Op::kScope: scope(i); return;
    case Op::kExit: jump(exits_.at(i->attr().target)); return;
    case Op::kContinue: jump(continues_.at(i->attr().target)); return;
    case Op::kUnreachable:
      put("trap");
      is_open_ = false;
      return;
    case Op::kReturn: leave(i); return;
    case Op::kCall: library_call(i); return;
    default: break;
  }
  if (effect(i) || pure(i)) return;
  refuse(i, message::kCannotExpress(ir::info(i->op).name, "PTX"));
  if (!i->type->is_void()) define(i, zero(i->type));
}

void Writer::fence(const Inst* i) {
  constexpr std::string_view kAll[] = {"membar.cta", "membar.gl", "membar.sys"};
  constexpr std::string_view kPairs[] = {"fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys"};
  const auto scope = static_cast<size_t>(i->attr().scope);
  put(std::string(i->attr().fast && has(70) ? kPairs[scope] : kAll[scope]));
}

bool Writer::effect(const Inst* i) {
  switch (ir::group(i->op)) {
    case ir::OpGroup::kAtomic: atomic(i); return true;
    case ir::OpGroup::kBlockVote: define(i, barrier_vote(i)); return true;
    case ir::OpGroup::kWarp:
      if (i->is(Op::kWarpBarrier)) {
        put("bar.warp.sync", {operand(i->operand(0))});
      } else {
        define(i, warp(i));
      }
      return true;
    default: break;
  }
  switch (i->op) {
    case Op::kLoad: load(i); return true;
    case Op::kStore: store(i); return true;
    case Op::kBarrier: barrier(i); return true;
    case Op::kGridBarrier: grid_barrier(); return true;
    case Op::kClusterBarrier: cluster_barrier(i); return true;
    case Op::kBarrierInit: barrier_object(i); return true;
    case Op::kBarrierArrive:
    case Op::kBarrierDrop:
    case Op::kBarrierPassed:
    case Op::kBarrierParity: define(i, barrier_object(i)); return true;
    case Op::kAsyncCopy: copy_beside(i); return true;
    case Op::kAsyncCommit: put("cp.async.commit_group"); return true;
    case Op::kAsyncWait: put("cp.async.wait_group " + std::to_string(i->attr().index)); return true;
    case Op::kAsyncArrive:
      put("cp.async.mbarrier.arrive.shared.b64", {in_shared(i->operand(0))});
      return true;
    case Op::kFence: fence(i); return true;
    case Op::kPtx: inline_ptx(i); return true;
    case Op::kMma: define(i, multiplied(i)); return true;
    case Op::kMatrixRows: define(i, rows(i)); return true;
    case Op::kClock:
    case Op::kGlobalTimer: define(i, thread_value(i)); return true;
    case Op::kNanoSleep:
      if (has(70)) put("nanosleep.u32", {operand(i->operand(0))});
      return true;
    case Op::kPrintf: print(i); return true;
    case Op::kAssert:
    case Op::kTrap: fail(i); return true;
    default: return false;
  }
}

void Writer::branch(const Inst* i) {
  const ir::Block *yes = i->blocks[0], *no = i->blocks[1];
  const Reg condition = operand(i->operand(0));
  const std::string merge = new_label();
  if (yes->first == nullptr) {
    put("@" + condition + " bra " + merge);
    block(no);
  } else {
    const std::string otherwise = no->first != nullptr ? new_label() : merge;
    put("@!" + condition + " bra " + otherwise);
    block(yes);
    if (otherwise != merge) {
      jump(merge);
      is_open_ = true;
      label(otherwise);
      block(no);
    }
  }
  label(merge);
  is_open_ = true;
}

// A head or a step, and an exit from the loop if its condition says so.
void Writer::loop_part(const ir::Block* b, const std::string& leave) {
  block(b);
  if (!is_open_) return;
  const Inst* yield = b->last != nullptr && b->last->is(Op::kYield) ? b->last : nullptr;
  const ir::Const* known = yield != nullptr ? ir::as_const(yield->operand(0)) : nullptr;
  if (yield == nullptr || (known != nullptr && known->bits != 0)) return;
  put("@!" + operand(yield->operand(0)) + " bra " + leave);
}

void Writer::loop(const Inst* i) {
  const std::string again = new_label(), next = new_label(), leave = new_label();
  exits_[i] = leave;
  continues_[i] = next;
  label(again);
  if (i->attr().unroll == 1) body_ += "\t.pragma \"nounroll\";\n";
  loop_part(i->blocks[0], leave);
  block(i->blocks[1]);
  label(next);
  is_open_ = true;
  loop_part(i->blocks[2], leave);
  jump(again);
  label(leave);
  is_open_ = true;
}

void Writer::switch_on(const Inst* i) {
  const ir::Type* type = i->operand(0)->type;
  const std::string leave = new_label();
  exits_[i] = leave;
  const Reg on = reg(i->operand(0));
  const std::string code = type->size == 8 ? "setp.eq.s64" : "setp.eq.s32";
  std::vector<std::string> labels;
  std::string otherwise = leave;
  for (size_t k = 0; k < i->blocks.size(); ++k) {
    labels.push_back(new_label());
    const std::vector<int64_t>& values = i->attr().cases[k].values;
    if (values.empty()) otherwise = labels[k];
    for (const int64_t n : values) {
      const uint64_t bits = unit_.module.constant(type, static_cast<uint64_t>(n))->bits;
      put("@" + test(code, {on, constant(type, bits)}) + " bra " + labels[k]);
    }
  }
  jump(otherwise);
  for (size_t k = 0; k < i->blocks.size(); ++k) {
    label(labels[k]);
    is_open_ = true;
    block(i->blocks[k]);
    jump(leave);
  }
  label(leave);
  is_open_ = true;
}

void Writer::scope(const Inst* i) {
  const std::string leave = new_label();
  exits_[i] = leave;
  block(i->blocks[0]);
  label(leave);
  is_open_ = true;
}

void Writer::leave(const Inst* i) {
  if (!i->operands.empty()) {
    const ir::Type* t = i->operand(0)->type;
    Reg r = operand(i->operand(0));
    if (t->is_bool()) r = word("selp.b32", {"1", "0", r});
    const bool is_wide = class_of(t) == Class::kB64;
    put(is_wide ? "st.param.b64" : "st.param.b32",
        {"[result]", in_register(is_wide ? Class::kB64 : Class::kB32, r)});
  }
  put("ret");
  is_open_ = false;
}

void Writer::library_call(const Inst* i) {
  const auto known = unit_.functions.find(i->attr().callee);
  if (known == unit_.functions.end()) {
    refuse(i, message::kCallNotInlined());
    if (!i->type->is_void()) define(i, zero(i->type));
    return;
  }
  std::vector<std::pair<Class, Reg>> arguments;
  for (const ir::Value* v : i->operands) {
    Reg r = operand(v);
    if (v->type->is_bool()) r = word("selp.b32", {"1", "0", r});
    arguments.emplace_back(class_of(v->type) == Class::kB64 ? Class::kB64 : Class::kB32, r);
  }
  Reg result = call(known->second, i->type, arguments);
  if (!i->type->is_void()) define(i, std::move(result));
}

}  // namespace quern::target::ptx
