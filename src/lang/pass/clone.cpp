#include "lang/pass/clone.hpp"

namespace quern::pass {

ir::Inst* Cloner::copy_one(const ir::Inst* source) {
  ir::Inst* copy = module_.new_inst(source->op, source->type, source->pos.line != 0 ? source->pos : place_);
  copy->name = source->name;
  copy->operands = source->operands;
  for (ir::Value*& v : copy->operands) v = mapped(v);
  if (source->attr_ != nullptr) {
    ir::Attr& attr = copy->mutable_attr();
    attr = *source->attr_;
    if (attr.target != nullptr) attr.target = static_cast<ir::Inst*>(mapped(attr.target));
  }
  for (size_t i = 0; i < source->blocks.size(); ++i) copy->blocks.push_back(module_.new_block(into_, copy));
  copies_[source->id] = copy;
  return copy;
}

}  // namespace quern::pass
