#include "lang/pass/var_facts.hpp"

#include <algorithm>

#include "lang/pass/algebra.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;

VarFacts::VarFacts(ir::Function& function) {
  traverse(
      function.body, [this](Inst* i) { enter(i); }, [this](Inst* i) { leave(i); });
}

void VarFacts::enter(Inst* inst) {
  inst->id = static_cast<uint32_t>(var_of.size());
  var_of.push_back(kNone);
  construct_of.push_back(kNone);
  is_computed_with.push_back(false);
  for (size_t k = 0; k < inst->operands.size(); ++k) use(inst, k);
  switch (inst->op) {
    case Op::kVar:
      var_of.back() = static_cast<uint32_t>(vars.size());
      vars.push_back({inst, depth_});
      break;
    case Op::kExit: ++constructs[construct_of[inst->attr().target->id]].exits; break;
    case Op::kContinue: ++constructs[construct_of[inst->attr().target->id]].continues; break;
    case Op::kLoop:
    case Op::kSwitch:
    case Op::kScope:
      construct_of.back() = static_cast<uint32_t>(constructs.size());
      open_.push_back({construct_of.back(), depth_});
      constructs.emplace_back();
      break;
    default: break;
  }
  if (!inst->blocks.empty()) ++depth_;
}

void VarFacts::leave(Inst* inst) {
  --depth_;
  if (!is_breakable(inst->op)) return;
  const Open closed = open_.back();
  open_.pop_back();
  std::vector<uint32_t>& writes = constructs[closed.construct].writes;
  std::sort(writes.begin(), writes.end());
  writes.erase(std::unique(writes.begin(), writes.end()), writes.end());
  for (const uint32_t v : writes) written(v);
}

void VarFacts::written(uint32_t var) {
  if (!open_.empty() && vars[var].depth <= open_.back().depth)
    constructs[open_.back().construct].writes.push_back(var);
}

void VarFacts::use(Inst* user, size_t operand) {
  const bool is_address = operand == 0 && (user->is(Op::kLoad) || user->is(Op::kStore));
  if (is_address) user->operands[0] = strip_casts(user->operand(0));
  const Inst* value = ir::as_inst(user->operand(operand));
  if (value == nullptr) return;
  const bool copies =
      (user->is(Op::kStore) && operand == 1) || user->is(Op::kConstruct) || user->is(Op::kInsert);
  if (!copies) is_computed_with[value->id] = true;
  const uint32_t var = var_of[value->id];
  if (var == kNone) return;
  if (user->is(Op::kSpaceCast)) {
    var_of.back() = var;
    return;
  }
  const ir::Type* object = vars[var].inst->attr().type;
  const bool is_plain = is_address && !is_volatile(user) &&
                        (user->is(Op::kLoad) ? user->type : user->operand(1)->type) == object;
  if (!is_plain) vars[var].is_plain = false;
  if (user->is(Op::kStore) && operand == 0) written(var);
}

}  // namespace quern::pass
