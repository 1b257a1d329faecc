#include "target/cstyle/fold.hpp"

#include <algorithm>

#include "lang/pass/walk.hpp"

namespace quern::target::cstyle {

using ir::Inst;
using ir::Op;

namespace {

// Values that are shorter than any name for them.
bool is_trivial(Op op) {
  switch (op) {
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim:
    case Op::kClusterDim:
    case Op::kLaneId:
    case Op::kDynamicSharedSize: return true;
    default: return false;
  }
}

// Addresses are written where they are used: `x[i]` is shorter than a separate pointer. The same holds for
// members.
bool is_address(const Inst* i) {
  return i->is(Op::kOffset) || i->is(Op::kFieldPtr) || i->is(Op::kSpaceCast) || i->is(Op::kExtract) ||
         i->is(Op::kParamAddress);
}

// They take several statements to build.
bool needs_statements(const Inst* i) {
  return i->is(Op::kInsert) || i->is(Op::kConstruct) || i->type->is_array();
}

// Library functions either compute, and may be anywhere, or exchange values between threads: those wait for
// others and use shared memory.
bool only_computes(const ir::Function& function) {
  bool computes = true;
  pass::traverse(function.body, [&](const Inst* i) {
    const bool is_call = i->is(Op::kCall);
    if (is_call ? !only_computes(*i->attr().callee) : ir::has(i->op, ir::kConvergent)) computes = false;
    for (const ir::Value* v : i->operands) {
      if (v->kind == ir::ValueKind::kGlobal && !static_cast<const ir::Global*>(v)->is_literal)
        computes = false;
    }
  });
  return computes;
}

bool has_effect(const Inst* i) {
  if (i->is(Op::kCall)) return !only_computes(*i->attr().callee);
  if (i->is(Op::kLoad)) return pass::is_volatile(i);
  return pass::has_property(i->op, ir::kWrites);
}

}  // namespace

Folding::Folding(ir::Function& function, bool keep_reals) : keep_reals_(keep_reals) {
  pass::number_insts(function);
  find_uses(function);
  find_plain();
  find_declarations();
  count_writes();
  decide();
}

void Folding::find_uses(ir::Function& function) {
  const auto leave = [&](Inst* i) { last_inside_[i->id] = static_cast<uint32_t>(insts_.size()) - 1; };
  pass::traverse(
      function.body,
      [&](Inst* i) {
        insts_.push_back(i);
        uses_.emplace_back();
        last_inside_.push_back(i->id);
        for (const ir::Value* v : i->operands) {
          if (const Inst* used = ir::as_inst(v)) uses_[used->id].push_back(i);
        }
      },
      leave);
}

// Writing a plain variable does not change anything that a pointer could read.
void Folding::count_writes() {
  uint32_t writes = 0;
  for (const Inst* i : insts_) {
    writes_before_.push_back(writes);
    const bool plain = i->is(Op::kStore) && plain_var(i->operand(0)) != nullptr;
    if (has_effect(i) && i->blocks.empty() && !plain) ++writes;
  }
  writes_before_.push_back(writes);
}

const Inst* Folding::plain_var(const ir::Value* address) const {
  const Inst* var = ir::as_inst(address);
  return var != nullptr && is_plain(var) ? var : nullptr;
}

void Folding::find_plain() {
  for (const Inst* var : insts_) {
    if (!var->is(Op::kVar)) continue;
    const ir::Type* type = var->attr().type;
    bool plain = !type->is_array();
    std::vector<uint32_t> stores;
    for (const Inst* use : uses_[var->id]) {
      const bool loads = use->is(Op::kLoad) && use->type == type;
      const bool stored = use->is(Op::kStore) && use->operand(0) == var && use->operand(1) != var &&
                          use->operand(1)->type == type;
      plain = plain && (loads || stored) && !pass::is_volatile(use);
      if (use->is(Op::kStore)) stores.push_back(use->id);
    }
    if (!plain) continue;
    plain_.insert(var);
    stores_[var] = std::move(stores);
  }
}

void Folding::find_declarations() {
  for (const Inst* var : insts_) {
    if (!var->is(Op::kVar) || !is_plain(var) || uses_[var->id].empty()) continue;
    const Inst* first = uses_[var->id].front();
    if (!first->is(Op::kStore) || first->parent != var->parent) continue;
    first_store_[var] = first;
    declaring_.insert(first);
  }
}

const Inst* Folding::first_store(const Inst* var) const {
  const auto at = first_store_.find(var);
  return at != first_store_.end() ? at->second : nullptr;
}

bool Folding::lives_in(const Inst* var, const Inst* loop) const {
  return std::all_of(uses_[var->id].begin(), uses_[var->id].end(), [&](const Inst* use) {
    return declares(use) || (use->id > loop->id && use->id <= last_inside_[loop->id]);
  });
}

bool Folding::crosses_loop(const Inst* from, const Inst* to) const {
  for (const ir::Block* b = to->parent; b != from->parent; b = b->owner->parent) {
    if (b->owner->is(Op::kLoop)) return true;
  }
  return false;
}

uint32_t Folding::last_use(const Inst* inst) const {
  uint32_t last = inst->id;
  for (const Inst* use : uses_[inst->id]) {
    last = std::max(last, emitted_[use->id]);
    // A value that is used inside of a loop is live until the loop ends.
    for (const ir::Block* b = use->parent; b != inst->parent; b = b->owner->parent) {
      if (b->owner->is(Op::kLoop)) last = std::max(last, last_inside_[b->owner->id] + 1);
    }
  }
  return last;
}

bool Folding::may_alias(const Inst* load) const {
  const std::vector<uint32_t>& stores = stores_.at(plain_var(load->operand(0)));
  const auto next = std::upper_bound(stores.begin(), stores.end(), load->id);
  // A store reads its value before it writes.
  return next == stores.end() || *next >= last_use(load);
}

// Float arithmetic whose result is used otherwise: stored, compared, converted, passed on.
bool Folding::leaves_floats(const Inst* i) const {
  const auto computes = [](const Inst* at) {
    switch (at->op) {
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kDiv:
      case Op::kNeg: return at->type->kind == ir::TypeKind::kF32 || at->type->kind == ir::TypeKind::kF64;
      default: return false;
    }
  };
  const auto& uses = uses_[i->id];
  return computes(i) && !std::all_of(uses.begin(), uses.end(), computes);
}

bool Folding::may_fold(const Inst* i) const {
  if (i->type->is_void() || i->is(Op::kVar) || needs_statements(i) || uses_[i->id].empty()) return false;
  const bool reads = i->is(Op::kLoad);
  if (reads && plain_var(i->operand(0)) != nullptr) return may_alias(i);
  if (is_trivial(i->op) || is_address(i)) return true;
  if (has_effect(i) || !(reads || i->is(Op::kCall) || pass::has_property(i->op, ir::kPure))) return false;
  if (uses_[i->id].size() != 1 || (keep_reals_ && leaves_floats(i))) return false;
  const Inst* use = uses_[i->id].front();
  if (use->is(Op::kExtract) && use->type->is_array()) return false;  // it takes the address
  if (crosses_loop(i, use)) return false;
  return !reads || writes_before_[emitted_[use->id]] == writes_before_[i->id];
}

void Folding::decide() {
  folded_.assign(insts_.size(), false);
  emitted_.assign(insts_.size(), 0);
  for (size_t n = insts_.size(); n-- > 0;) {
    const Inst* i = insts_[n];
    emitted_[n] = i->id;
    folded_[n] = may_fold(i);
    if (folded_[n]) emitted_[n] = last_use(i);
  }
}

}  // namespace quern::target::cstyle
