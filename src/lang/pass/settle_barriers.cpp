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
    if (i->is(Op::kBarrierForm)) out.push_back(i);
  });
  return out;
}

}  // namespace

bool asks_for_barriers(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](ir::Function* f) { return !questions(*f).empty(); });
}

void settle_barriers(ir::Module& module, bool has_objects) {
  for (ir::Function* f : module.functions) {
    for (Inst* question : questions(*f)) {
      ir::Value* answer = module.constant(question->type, has_objects ? 1 : 0);
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
