// A loop whose threads process adjacent elements and step over each other's (`i += gridDim.x * blockDim.x`).
// One bundle after the other would each walk through memory once, a part of a cache line at a time. Here all
// bundles of the block execute one iteration of the loop, then the next: together they access adjacent
// memory.
#include "lang/pass/loop_shape.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;

namespace {

constexpr int kTurnsAhead = 2;  // of prefetched memory: one iteration is shorter than its latency
// Into the second-level cache: interleaved blocks read more in the meantime than the first level holds.
constexpr const char* kSecondLevel = "2";

bool is_replayable(ir::Op op) {
  switch (op) {
    case ir::Op::kThreadId:
    case ir::Op::kBlockId:
    case ir::Op::kBlockDim:
    case ir::Op::kGridDim:
    case ir::Op::kAdd:
    case ir::Op::kSub:
    case ir::Op::kMul:
    case ir::Op::kShl:
    case ir::Op::kConvert:
    case ir::Op::kOffset:
    case ir::Op::kFieldPtr:
    case ir::Op::kSpaceCast: return true;
    default: return false;
  }
}

}  // namespace

// The code of a loop's head or step; returns the lanes that continue.
Mask Emitter::woven_asking(const ir::Block* block) {
  const Inst* yield = pass::yield_of(block);
  for (const Inst* k : *block) {
    if (k != yield && !is_terminated_) inst(k);
  }
  if (yield == nullptr || is_terminated_) return mask_;
  return mask_where(mask_, value(yield->operand(0)), false);
}

// Stores the continuing lanes in the record; no lane at all: the bundle has finished.
void Emitter::woven_keep(const GroupMask& inner, const Mask& left) {
  store_mask(record(inner.slot), left.text);
  const Text go = fresh_label("on");
  br_if(any(left.text), go, block_end_);
  label(go);
  mask_ = left;
}

// Recomputes the value with the indices of the next iteration. False if it needs more than the indices and
// values that are always available.
bool Emitter::replay(const ir::Value* value, int depth) {
  const Inst* i = ir::as_inst(value);
  if (i == nullptr || values_.count(i) != 0) return true;
  const Inst* var = i->is(ir::Op::kLoad) ? ir::as_inst(i->operand(0)) : nullptr;
  const bool is_index = var != nullptr && plan_.is_block_var(var);
  if (depth > 8 || (!is_index && !is_replayable(i->op)) || plan_.outlives_run(i)) return false;
  for (const ir::Value* v : i->operands) {
    if (!is_index && !replay(v, depth + 1)) return false;
  }
  inst(i);
  return true;
}

// The data of the next iteration is a whole grid step away, which hardware prefetchers do not predict.
void Emitter::prefetch_next(const ir::Block* body, const std::map<const Inst*, Text>& next) {
  constexpr uint64_t kLine = 64;
  std::map<const Inst*, Text> now;
  for (const auto& [var, cell] : next) {
    now[var] = cells_[var];
    cells_[var] = cell;
  }
  const std::unordered_map<const Inst*, Val> values = values_;
  values_.clear();
  for (const Inst* i : *body) {
    if (!i->is(ir::Op::kLoad) || !i->type->is_scalar() || plan_.root_of(i->operand(0)) != nullptr) continue;
    if (i->operand(0)->type->space == ir::Space::kShared || !replay(i->operand(0), 0)) continue;
    const Val at = value(i->operand(0));
    if (at.rep != Rep::kAffine || at.stride != static_cast<int64_t>(i->type->size)) continue;
    for (uint64_t byte = 0; byte < i->type->size * width_; byte += kLine) {
      intrinsic("prefetch.p0", "void", {"ptr", "i32", "i32", "i32"},
                {offset_by(at, byte).text, "0", kSecondLevel, "1"});
    }
  }
  values_ = values;
  for (const auto& [var, cell] : now) cells_[var] = cell;
}

// The loop's step for the whole block. It belongs to no bundle: thread indices in it, which are not used, are
// those of the first thread.
void Emitter::step_once(const Inst* i) {
  bundle_ = base_ = "0";
  record_ = scratch_.empty() ? context_field(kAtScratch, "ptr") : scratch_;
  copy_of_run({}, [&] {
    for (const Inst* k : *i->blocks[pass::kLoopStep]) inst(k);
  });
}

// The indices of the next turn, for prefetch_next.
std::map<const ir::Inst*, Emitter::Text> Emitter::next_indices(const Inst* i) {
  std::map<const Inst*, Text> now, next;
  for (const Inst* k : *i->blocks[pass::kLoopStep]) {
    if (!k->is(ir::Op::kStore)) continue;
    const Inst* var = ir::as_inst(k->operand(0));
    if (next.count(var) != 0) continue;
    const Text type = cell_type(var), cell = stack_cell(type, 64);
    now[var] = var_cell(var);
    line("store " + type + " " + def("load " + type + ", ptr " + now[var]) + ", ptr " + cell);
    next[var] = cells_[var] = cell;
  }
  for (int turn = 0; turn < kTurnsAhead; ++turn) step_once(i);
  for (const auto& [var, cell] : now) cells_[var] = cell;
  return next;
}

// One bundle's iteration while all lanes of the block are active: no mask is read, and none is stored as long
// as all continue. If some do not, `whole` ends.
void Emitter::woven_turn(const Inst* i, const GroupMask& inner, const Text& whole, const Text& more,
                         const std::map<const Inst*, Text>& next_turn) {
  const ir::Block* const body = i->blocks[pass::kLoopBody];
  const ir::Block* const step = i->blocks[pass::kLoopStep];
  const auto part = [&](const Mask& left) {
    line("store i1 false, ptr " + whole);
    woven_keep(inner, {left.text, false, {}});
  };
  const Text parting = fresh_label("parting"), ending = fresh_label("ending");
  const auto all_go_on = [&](const Mask& left, const Text& otherwise) {
    if (left.is_all()) return;
    const Text go = fresh_label("whole");
    br_if(all_run(left), go, otherwise);
    label(go);
    mask_ = {};
  };
  const Mask inside = woven_asking(i->blocks[pass::kLoopHead]);
  all_go_on(inside, parting);
  const Text next = fresh_label("step");
  if (!next_turn.empty()) prefetch_next(body, next_turn);
  block(body, next);
  label(next);
  mask_ = {};
  const bool once = plan_.steps_once(i);
  const Mask after = once ? Mask{} : woven_asking(step);
  all_go_on(after, ending);
  raise_flag(more, "true");
  br(block_end_);
  if (!after.is_all()) {
    label(ending);
    part(after);
    raise_flag(more, "true");
    br(block_end_);
  }
  if (inside.is_all()) return;
  label(parting);
  part(inside);
  const Text behind = fresh_label("step");
  const Mask some = mask_;
  block(body, behind);
  label(behind);
  mask_ = some;
  const Mask last = once ? some : woven_asking(step);
  if (!(last == some)) woven_keep(inner, last);
  raise_flag(more, "true");
}

// One bundle's iteration under the mask of its record.
void Emitter::woven_masked_turn(const Inst* i, const GroupMask& inner, const Text& more) {
  const auto asking = [&](const ir::Block* block) {
    const Mask before = mask_, left = woven_asking(block);
    if (!(left == before)) woven_keep(inner, left);
  };
  asking(i->blocks[pass::kLoopHead]);
  const Mask inside = mask_;
  const Text step = fresh_label("step");
  const ir::Block* body = i->blocks[pass::kLoopBody];
  if (!inside.is_all() && inside.may_be_all && is_worth_copying(body)) {
    const Text whole = fresh_label("all"), part = fresh_label("some");
    br_if(all(inside.text), whole, part);
    label(whole);
    mask_ = {};
    block(body, step);
    label(part);
    mask_ = {inside.text, false, {}};
  }
  block(body, step);
  label(step);
  mask_ = inside;
  if (!plan_.steps_once(i)) asking(i->blocks[pass::kLoopStep]);
  raise_flag(more, "true");
}

// The block's records for the loop; `whole`: all lanes of all bundles are in it.
void Emitter::woven_begin(const GroupMask& inner, const GroupMask& mask, std::vector<const Inst*>& items,
                          const Text& whole) {
  if (!mask.is_all) clear_masks({inner.slot});
  run_items(items, mask, [&] { store_mask(record(inner.slot), mask_text(mask_)); });
  line("store i1 true, ptr " + whole);
  if (mask.is_all) return;
  bundle_loop({}, ~size_t{0}, [&] {
    const Text some = fresh_label("some");
    br_if(kept_all(record(inner.slot)), block_end_, some);
    label(some);
    line("store i1 false, ptr " + whole);
  });
}

// One iteration of all bundles. If all blocks of the grid are interleaved here they read sequentially;
// otherwise only up to the blocks of the next OS thread, and the data after that is prefetched.
void Emitter::woven_round(const Inst* i, const GroupMask& inner, const Text& whole, const Text& more) {
  const bool is_ahead = plan_.steps_once(i) && !options_.is_quick;
  const Text fast = fresh_label("fast"), slow = fresh_label("slow"), asked = fresh_label("turned");
  br_if(def("load i1, ptr " + whole), fast, slow);
  label(fast);
  if (is_ahead) {
    const Text ahead = fresh_label("ahead"), plain = fresh_label("plain");
    if (plan_.is_abreast(i)) {
      const Text all = context_field(kAtGrid, "i32");
      br_if(def("icmp eq i32 " + abreast_count_ + ", " + all), plain, ahead);
    }
    label(ahead);
    const std::map<const Inst*, Text> next = next_indices(i);
    bundle_loop({}, ~size_t{0}, [&] { woven_turn(i, inner, whole, more, next); });
    br(asked);
    label(plain);
  }
  if (!is_ahead || plan_.is_abreast(i))
    bundle_loop({}, ~size_t{0}, [&] { woven_turn(i, inner, whole, more, {}); });
  br(asked);
  label(slow);
  bundle_loop(inner, ~size_t{0}, [&] { woven_masked_turn(i, inner, more); });
  label(asked);
  if (plan_.steps_once(i)) step_once(i);
}

void Emitter::woven_loop(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const GroupMask inner{false, plan_.reserve(width_, 64)};
  if (plan_.is_abreast(i)) {
    return abreast_loop([&](const Text& whole) { woven_begin(inner, mask, items, whole); },
                        [&](const Text& whole, const Text& more) { woven_round(i, inner, whole, more); });
  }
  const Text whole = stack_cell("i1", 1);
  woven_begin(inner, mask, items, whole);
  const Text turn = fresh_label("turn"), end = fresh_label("woven");
  label(turn);
  const Text more = group_flag();
  woven_round(i, inner, whole, more);
  br_if(def("load i1, ptr " + more), turn, end);
  label(end);
}

}  // namespace quern::llvm
