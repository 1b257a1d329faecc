#include "lang/expand/rewriter.hpp"

namespace quern::expand {

ir::Value* Rewriter::now(ir::Value* v) const {
  for (auto at = replaced_.find(v); at != replaced_.end(); at = replaced_.find(v)) v = at->second;
  return v;
}

void Rewriter::finish() {
  if (replaced_.empty()) return;
  pass::traverse(function_.body, [&](ir::Inst* i) {
    for (ir::Value*& v : i->operands) v = now(v);
  });
}

ir::Value* Rewriter::call(ir::Function* callee, std::span<ir::Value* const> arguments) {
  ir::Inst* made = b.emit(ir::Op::kCall, callee->result, arguments);
  made->mutable_attr().callee = callee;
  return made;
}

}  // namespace quern::expand
