#include "driver/sim/cas_loop.hpp"

#include <algorithm>

namespace quern::sim {

namespace {

using ir::Inst;
using ir::Op;
using ir::Value;

bool keeps_bits(const Inst* inst) { return inst->is(Op::kConvert) || inst->is(Op::kBitcast); }

// The value before conversions between types of the same size.
const Inst* origin(const Value* value) {
  const Inst* inst = ir::as_inst(value);
  while (inst != nullptr && keeps_bits(inst) && inst->operand(0)->type->size == inst->type->size)
    inst = ir::as_inst(inst->operand(0));
  return inst;
}

// The store that is the only use of the value.
const Inst* only_store(const Facts& facts, const Inst* value) {
  while (facts.users(value).size() == 1) {
    const Inst* user = facts.users(value).front();
    if (user->is(Op::kStore) && user->operand(1) == value) return user;
    if (!keeps_bits(user)) return nullptr;
    value = user;
  }
  return nullptr;
}

// Whether the value was loaded from the variable, directly or through one other variable.
bool comes_from(const Facts& facts, const Value* value, const Inst* var) {
  const Inst* load = origin(value);
  if (load == nullptr || !load->is(Op::kLoad)) return false;
  const Inst* from = facts.promoted_var(load->operand(0));
  if (from == var) return true;
  if (from == nullptr) return false;
  const auto& users = facts.users(from);
  return std::all_of(users.begin(), users.end(), [&](const Inst* user) {
    if (!user->is(Op::kStore)) return true;
    const Inst* stored = origin(user->operand(1));
    return stored != nullptr && stored->is(Op::kLoad) && facts.promoted_var(stored->operand(0)) == var;
  });
}

}  // namespace

bool is_checked_by_cas(const Facts& facts, const Inst* load) {
  const Inst* store = only_store(facts, load);
  const Inst* var = store != nullptr ? facts.promoted_var(store->operand(0)) : nullptr;
  if (var == nullptr) return false;
  const Inst* cas = nullptr;
  for (const Inst* user : facts.users(var)) {
    if (!user->is(Op::kStore) || user == store) continue;
    cas = origin(user->operand(1));
    if (cas == nullptr || !cas->is(Op::kAtomicCas) || !same_pointer(cas->operand(0), load->operand(0)) ||
        !comes_from(facts, cas->operand(1), var))
      return false;
  }
  const Inst* loop = cas != nullptr ? facts.loop_around(cas) : nullptr;
  if (loop == nullptr || facts.index(loop) < facts.index(load)) return false;
  const auto& users = facts.users(var);
  return std::all_of(users.begin(), users.end(), [&](const Inst* user) {
    return !user->is(Op::kLoad) || facts.index(user) > facts.index(loop);
  });
}

}  // namespace quern::sim
