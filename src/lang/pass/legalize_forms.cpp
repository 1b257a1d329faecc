#include <algorithm>

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {
namespace {

using ir::Inst;
using ir::Op;

std::vector<Inst*> questions(ir::Function& function) {
  std::vector<Inst*> out;
  traverse(function.body, [&](Inst* i) {
    if (i->is(Op::kBarrierForm) || i->is(Op::kCopyForm)) out.push_back(i);
  });
  return out;
}

}  // namespace

bool asks_for_forms(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](ir::Function* f) { return !questions(*f).empty(); });
}

void legalize_forms(ir::Module& module, const Forms& forms) {
  for (ir::Function* f : module.functions) {
    for (Inst* question : questions(*f)) {
      const bool has = question->is(Op::kBarrierForm) ? forms.has_barriers : forms.has_copies;
      ir::Value* answer = module.constant(question->type, has ? 1 : 0);
      traverse(f->body, [&](Inst* i) {
        std::replace(i->operands.begin(), i->operands.end(), static_cast<ir::Value*>(question), answer);
      });
      question->parent->remove(question);
    }
  }
  simplify(module);
  nest_exits(module);
  simplify(module);
}

}  // namespace quern::pass
