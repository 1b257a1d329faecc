#include <algorithm>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;

bool is_question(const Inst* i) {
  return i->is(Op::kBarrierForm) || i->is(Op::kCopyForm) || i->is(Op::kCheckForm) || i->is(Op::kPtxForm);
}

bool is_shared_address(const Inst* i) { return i->is(Op::kSharedAddress) || i->is(Op::kSharedPointer); }

uint32_t answer_to(const Inst* question, const Forms& forms) {
  switch (question->op) {
    case Op::kPtxForm: return forms.ptx;
    case Op::kCheckForm: return forms.checks_library ? 1 : 0;
    case Op::kBarrierForm: return forms.has_barriers ? 1 : 0;
    default: return forms.has_copies ? 1 : 0;
  }
}

std::vector<Inst*> questions(ir::Function& function) {
  std::vector<Inst*> out;
  traverse(function.body, [&](Inst* i) {
    if (is_question(i)) out.push_back(i);
  });
  return out;
}

}  // namespace

bool asks_for_forms(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](ir::Function* f) {
    bool asks = !questions(*f).empty();
    traverse(f->body, [&](const Inst* i) { asks |= is_shared_address(i); });
    return asks;
  });
}

void legalize_forms(ir::Module& module, const Forms& forms) {
  for (ir::Function* f : module.functions) {
    for (Inst* question : questions(*f)) {
      ir::Value* answer = module.constant(question->type, answer_to(question, forms));
      traverse(f->body, [&](Inst* i) {
        std::replace(i->operands.begin(), i->operands.end(), static_cast<ir::Value*>(question), answer);
      });
      question->parent->remove(question);
    }
  }
  simplify(module);
  nest_exits(module);
  simplify(module);
  if (forms.has_shared_addresses) return;
  for (ir::Function* f : module.functions) lower_shared_addresses(module, *f);
  simplify(module);
}

}  // namespace quern::pass
