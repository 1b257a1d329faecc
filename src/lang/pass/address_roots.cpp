#include "lang/pass/address_roots.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;

void AddressRoots::visit(Inst* inst) {
  for (size_t k = 0; k < inst->operands.size(); ++k) use(inst, k);
  if (inst->is(Op::kVar)) {
    facts_[inst->id].root = inst;
    facts_[inst->id].is_whole = true;
  }
}

void AddressRoots::use(const Inst* user, size_t operand) {
  const Inst* pointer = ir::as_inst(user->operand(operand));
  if (pointer == nullptr || facts_[pointer->id].root == nullptr) return;
  const Facts& from = facts_[pointer->id];
  Facts& var = facts_[from.root->id];
  const ir::Type* object = from.root->attr().type;
  bool is_plain = false;
  switch (user->op) {
    case Op::kSpaceCast:
      facts_[user->id].root = from.root;
      facts_[user->id].is_whole = from.is_whole;
      return;
    case Op::kOffset:
    case Op::kFieldPtr: facts_[user->id].root = from.root; break;
    case Op::kLoad: is_plain = from.is_whole && user->type == object; break;
    case Op::kStore:
      is_plain = operand == 0 && from.is_whole && user->operand(1)->type == object;
      if (operand != 0) var.escapes = true;
      break;
    case Op::kMemSet: break;
    case Op::kMemCopy: break;
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kAtomicLoad:
    case Op::kAtomicStore:
      if (operand != 0) var.escapes = true;
      break;
    default: var.escapes = true;
  }
  if (!is_plain || user->attr().is_volatile) var.is_plain = false;
}

}  // namespace quern::pass
