#include "driver/sim/facts.hpp"

#include <algorithm>

#include "driver/sim/cas_loop.hpp"

namespace quern::sim {

using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Value;
using ir::ValueKind;

namespace {

// Operations that propagate an undefined operand instead of using it.
bool passes_on(const Inst* user, size_t operand) {
  switch (user->op) {
    case Op::kConvert:
    case Op::kBitcast:
    case Op::kSpaceCast:
    case Op::kExtract:
    case Op::kInsert:
    case Op::kConstruct: return true;
    case Op::kSelect: return operand != 0;
    case Op::kShuffle: return operand == 1;
    case Op::kStore: return operand == 1;
    default: return false;
  }
}

}  // namespace

const Value* base_of(const Value* pointer) {
  while (const Inst* inst = ir::as_inst(pointer)) {
    switch (inst->op) {
      case Op::kVar: return inst;
      case Op::kOffset:
      case Op::kFieldPtr:
      case Op::kSpaceCast: pointer = inst->operand(0); break;
      default: return nullptr;
    }
  }
  return pointer->kind == ValueKind::kParam || pointer->kind == ValueKind::kGlobal ? pointer : nullptr;
}

bool same_pointer(const Value* p, const Value* q, int depth) {
  if (p == q) return true;
  const Inst* a = ir::as_inst(p);
  const Inst* b = ir::as_inst(q);
  if (a == nullptr || b == nullptr || a->op != b->op || depth > 6 || a->operands.size() != b->operands.size())
    return false;
  if (!ir::has(a->op, ir::kPure) || !ir::same_attr(a->op, a->attr(), b->attr())) return false;
  for (size_t i = 0; i < a->operands.size(); ++i) {
    if (!same_pointer(a->operand(i), b->operand(i), depth + 1)) return false;
  }
  return true;
}

bool is_plain_access(const Inst* access) {
  const ir::Type* type = access->is(Op::kStore) ? access->operand(1)->type : access->type;
  const ir::Attr& attr = access->attr();
  return type->is_scalar() && !attr.is_volatile && (attr.align == 0 || attr.align >= type->size);
}

const Inst* Facts::loop_around(const Inst* inst) const {
  for (uint32_t i = index(inst); i-- > 0;) {
    if (insts_[i]->is(Op::kLoop) && facts_[i].end >= index(inst)) return insts_[i];
  }
  return nullptr;
}

int64_t constant_step(const Inst* inst, const Value** index) {
  *index = nullptr;
  if (inst->is(Op::kFieldPtr))
    return static_cast<int64_t>(inst->attr().type->fields[inst->attr().index].offset);
  if (const ir::Const* c = ir::as_const(inst->operand(1))) {
    return static_cast<int64_t>(static_cast<uint64_t>(ir::int_value(c)) * inst->attr().scale);
  }
  *index = inst->operand(1);
  return 0;
}

// Definite assignment: which promoted variables have certainly been stored to on every path to each load.
// Other loaded variables may be undefined.
class Assignment {
 public:
  explicit Assignment(Facts& facts) : facts_(facts) {
    for (uint32_t i = 0; i < facts_.insts_.size(); ++i) {
      if (facts_.facts_[i].promoted) bit_[facts_.insts_[i]] = static_cast<uint32_t>(bit_.size());
    }
  }

  void run(const ir::Block* body) {
    // The states of many variables at many branches cost too much; all count as undefined then.
    size_t controls = 0;
    for (const Inst* i : facts_.insts_) controls += i->blocks.empty() ? 0 : 1;
    if (bit_.size() * (controls + 1) > 200'000'000) {
      for (const auto& [var, bit] : bit_) facts_.facts_[facts_.index(var)].maybe = true;
      return;
    }
    State state{true, std::vector<bool>(bit_.size(), false)};
    walk(body, state);
  }

 private:
  struct State {
    bool reachable = false;
    std::vector<bool> stored;
  };
  struct Targets {
    State exits, continues;
  };

  static void meet(State& into, const State& from) {
    if (!from.reachable) return;
    if (!into.reachable) {
      into = from;
      return;
    }
    for (size_t i = 0; i < into.stored.size(); ++i) into.stored[i] = into.stored[i] && from.stored[i];
  }

  void walk(const ir::Block* block, State& state) {
    for (const Inst* i = block->first; i != nullptr; i = i->next) visit(i, state);
  }

  void visit(const Inst* i, State& state) {
    switch (i->op) {
      case Op::kVar:
        if (const auto it = bit_.find(i); it != bit_.end()) state.stored[it->second] = false;
        break;
      case Op::kLoad: note_load(i, state); break;
      case Op::kStore:
        if (const Inst* var = facts_.promoted_var(i->operand(0))) state.stored[bit_.at(var)] = true;
        break;
      case Op::kIf: visit_if(i, state); break;
      case Op::kLoop: visit_loop(i, state); break;
      case Op::kSwitch: visit_switch(i, state); break;
      case Op::kScope: {
        targets_[i];
        walk(i->blocks[0], state);
        meet(state, targets_[i].exits);
        break;
      }
      case Op::kYield: meet(targets_[i->parent->owner].exits, state); break;
      case Op::kExit:
        meet(targets_[i->attr().target].exits, state);
        state.reachable = false;
        break;
      case Op::kContinue:
        meet(targets_[i->attr().target].continues, state);
        state.reachable = false;
        break;
      case Op::kReturn:
      case Op::kUnreachable: state.reachable = false; break;
      default: break;
    }
  }

  void note_load(const Inst* load, const State& state) {
    const Inst* var = facts_.promoted_var(load->operand(0));
    if (var != nullptr && state.reachable && !state.stored[bit_.at(var)]) {
      facts_.facts_[facts_.index(var)].maybe = true;
    }
  }

  void visit_if(const Inst* i, State& state) {
    State other = state;
    walk(i->blocks[0], state);
    if (i->blocks.size() > 1) walk(i->blocks[1], other);
    meet(state, other);
  }

  void visit_loop(const Inst* i, State& state) {
    targets_[i];
    walk(i->blocks[0], state);
    walk(i->blocks[1], state);
    meet(state, targets_[i].continues);
    walk(i->blocks[2], state);
    state = targets_[i].exits;
    if (state.stored.empty()) state.stored.resize(bit_.size());
  }

  void visit_switch(const Inst* i, State& state) {
    targets_[i];
    State out;
    bool has_default = false;
    for (size_t c = 0; c < i->blocks.size(); ++c) {
      has_default = has_default || i->attr().cases[c].values.empty();
      State one = state;
      walk(i->blocks[c], one);
      meet(out, one);
    }
    if (!has_default) meet(out, state);
    meet(out, targets_[i].exits);
    state = std::move(out);
    if (state.stored.empty()) state.stored.resize(bit_.size());
  }

  Facts& facts_;
  std::unordered_map<const Inst*, uint32_t> bit_;
  std::unordered_map<const Inst*, Targets> targets_;
};

Facts::Facts(const ir::Function& kernel, bool track_undefined) : track_undefined_(track_undefined) {
  number(kernel.body);
  collect_uses();
  find_promoted();
  find_cas_reads();
  find_folded();
  if (track_undefined_) {
    Assignment(*this).run(kernel.body);
    find_undefined();
  }
}

void Facts::number(const ir::Block* block) {
  uint32_t segment = 0;
  for (const Inst* i = block->first; i != nullptr; i = i->next) {
    const uint32_t n = static_cast<uint32_t>(insts_.size());
    numbers_.emplace(i, n);
    insts_.push_back(i);
    facts_.emplace_back();
    facts_[n].segment = segment;
    facts_[n].last_use = i;
    for (const ir::Block* b : i->blocks) number(b);
    if (!i->blocks.empty()) ++segment;
    facts_[n].end = static_cast<uint32_t>(insts_.size() - 1);
  }
}

void Facts::collect_uses() {
  for (const Inst* user : insts_) {
    for (const Value* v : user->operands) {
      const Inst* def = ir::as_inst(v);
      if (def == nullptr) continue;
      InstFacts& f = facts_[index(def)];
      f.users.push_back(user);
      const Inst* above = user;
      while (above->parent != def->parent) above = above->parent->owner;
      if (index(above) > index(f.last_use)) f.last_use = above;
    }
  }
}

void Facts::find_promoted() {
  for (uint32_t n = 0; n < insts_.size(); ++n) {
    const Inst* var = insts_[n];
    if (!var->is(Op::kVar) || !var->attr().type->is_scalar()) continue;
    const uint64_t size = var->attr().type->size;
    const bool whole = std::all_of(facts_[n].users.begin(), facts_[n].users.end(), [&](const Inst* u) {
      if (u->is(Op::kLoad)) return u->type->is_scalar() && u->type->size == size;
      return u->is(Op::kStore) && u->operand(0) == var && u->operand(1) != var &&
             u->operand(1)->type->is_scalar() && u->operand(1)->type->size == size;
    });
    if (!whole) continue;
    facts_[n].promoted = true;
    for (const Inst* u : facts_[n].users) {
      if (u->is(Op::kStore)) facts_[n].stores.push_back(index(u));
    }
  }
}

void Facts::find_cas_reads() {
  const bool has_cas =
      std::any_of(insts_.begin(), insts_.end(), [](const Inst* i) { return i->is(Op::kAtomicCas); });
  for (uint32_t n = 0; has_cas && n < insts_.size(); ++n)
    facts_[n].cas_read = insts_[n]->is(Op::kLoad) && is_checked_by_cas(*this, insts_[n]);
}

bool Facts::can_fold(uint32_t n) const {
  constexpr int64_t kSmall = 1 << 20;  // sums of a few stay within the instruction's 32 bits
  const Inst* inst = insts_[n];
  if ((!inst->is(Op::kOffset) && !inst->is(Op::kFieldPtr)) || facts_[n].users.empty()) return false;
  const Value* by = nullptr;
  const int64_t step = constant_step(inst, &by);
  if (step < -kSmall || step > kSmall || (by != nullptr && inst->attr().scale > kSmall)) return false;
  return std::all_of(facts_[n].users.begin(), facts_[n].users.end(), [&](const Inst* u) {
    if (u->is(Op::kLoad) || u->is(Op::kStore)) {
      return is_plain_access(u) && !is_cas_read(u) && u->operand(0) == inst &&
             (u->is(Op::kLoad) || u->operand(1) != inst);
    }
    const InstFacts& f = facts_[index(u)];
    return f.folded && u->operand(0) == inst && (u->operands.size() < 2 || u->operand(1) != inst) &&
           !(by != nullptr && f.index_above);
  });
}

// Operands of a folded instruction must live as long as the instructions that do its work.
void Facts::lengthen(const Inst* folded) {
  for (const Value* v : folded->operands) {
    const Inst* def = ir::as_inst(v);
    if (def == nullptr) continue;
    const Inst* above = last_use(folded);
    while (above->parent != def->parent) above = above->parent->owner;
    InstFacts& f = facts_[index(def)];
    if (index(above) > index(f.last_use)) f.last_use = above;
  }
}

void Facts::find_folded() {
  for (uint32_t n = size(); n-- > 0;) {
    if (!can_fold(n)) continue;
    InstFacts& f = facts_[n];
    f.folded = true;
    const Value* by = nullptr;
    constant_step(insts_[n], &by);
    f.index_above = by != nullptr || std::any_of(f.users.begin(), f.users.end(), [&](const Inst* u) {
                      const InstFacts& user = facts_[index(u)];
                      return user.folded && user.index_above;
                    });
    lengthen(insts_[n]);
  }
}

const Inst* Facts::promoted_var(const Value* ptr) const {
  const Inst* inst = ir::as_inst(ptr);
  return inst != nullptr && inst->is(Op::kVar) && is_promoted(inst) ? inst : nullptr;
}

bool Facts::reads_in_place(const Inst* load, const Inst* var) const {
  const Inst* last = last_use(load);
  const uint32_t from = index(load), to = end(last);
  const std::vector<uint32_t>& stores = facts_[index(var)].stores;
  const auto next = std::upper_bound(stores.begin(), stores.end(), from);
  // A store that is itself the last use reads before it writes.
  return next == stores.end() || *next > to || (*next == to && last->is(Op::kStore));
}

bool Facts::used_at_once(const Inst* inst, int depth) const {
  const InstFacts& f = facts_[index(inst)];
  for (const Inst* user : f.users) {
    if (user->parent != inst->parent || facts_[index(user)].segment != f.segment) continue;
    for (size_t i = 0; i < user->operands.size(); ++i) {
      if (user->operand(i) != inst) continue;
      if (!passes_on(user, i)) return true;
      const bool one_to_one = user->is(Op::kConvert) || user->is(Op::kBitcast) || user->is(Op::kSpaceCast);
      if (one_to_one && depth < 8 && used_at_once(user, depth + 1)) return true;
    }
  }
  return false;
}

bool Facts::compute_maybe(const Inst* inst) const {
  switch (inst->op) {
    case Op::kLoad: {
      if (const Inst* var = promoted_var(inst->operand(0))) return var_maybe_undefined(var);
      if (inst->operand(0)->type->space == Space::kConstant) return false;
      return inst->type->is_aggregate() || !used_at_once(inst);
    }
    case Op::kExtract:
      return maybe_undefined(inst->operand(0)) && (inst->type->is_aggregate() || !used_at_once(inst));
    case Op::kShuffle: return !used_at_once(inst);
    case Op::kConvert:
    case Op::kBitcast:
    case Op::kSpaceCast:
    case Op::kInsert:
    case Op::kConstruct:
    case Op::kSelect: {
      const size_t first = inst->is(Op::kSelect) ? 1 : 0;
      for (size_t i = first; i < inst->operands.size(); ++i) {
        if (maybe_undefined(inst->operand(i))) return true;
      }
      return false;
    }
    default: return false;
  }
}

void Facts::find_undefined() {
  // Operands precede their users, but variables carry values around loops: repeated until nothing changes.
  constexpr int kMaxRounds = 20;
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (uint32_t n = 0; n < insts_.size(); ++n) {
      const Inst* inst = insts_[n];
      if (inst->is(Op::kVar)) {
        if (round >= kMaxRounds) facts_[n].maybe = facts_[n].promoted;
        continue;
      }
      facts_[n].maybe = compute_maybe(inst);
      const Inst* var = inst->is(Op::kStore) ? promoted_var(inst->operand(0)) : nullptr;
      if (var == nullptr || var_maybe_undefined(var) || !maybe_undefined(inst->operand(1))) continue;
      facts_[index(var)].maybe = true;
      changed = true;
    }
  }
}

bool Facts::maybe_undefined(const Value* value) const {
  if (!track_undefined_) return false;
  if (value->kind == ValueKind::kUndef) return true;
  const Inst* inst = ir::as_inst(value);
  return inst != nullptr && !inst->is(Op::kVar) && facts_[index(inst)].maybe;
}

}  // namespace quern::sim
