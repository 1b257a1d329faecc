#include "lang/pass/texture_references.hpp"

#include <algorithm>
#include <map>

#include "lang/pass/walk.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

bool is_reference(const Value* value) {
  return value->kind == ir::ValueKind::kGlobal &&
         is_texture_reference(static_cast<const ir::Global*>(value)->object);
}

void pass_references(ir::Module& module, ir::Function& kernel) {
  std::map<const Value*, ir::Param*> params;
  std::map<const Value*, Value*> loaded;
  std::vector<Inst*> loads;
  traverse(kernel.body, [&](Inst* i) {
    for (Value*& v : i->operands) {
      if (const auto known = loaded.find(v); known != loaded.end()) v = known->second;
    }
    if (!i->is(Op::kLoad) || !is_reference(i->operand(0)) || !is_texture_reference(i->type)) return;
    const auto* reference = static_cast<const ir::Global*>(i->operand(0));
    ir::Param*& param = params[reference];
    if (param == nullptr) {
      param = module.add_param(&kernel, reference->object, reference->name);
      param->pos = reference->pos;
    }
    loaded[i] = param;
    loads.push_back(i);
  });
  for (Inst* i : loads) i->parent->remove(i);
}

}  // namespace

bool is_texture_reference(const ir::Type* type) {
  return type->is_struct() && std::string_view(type->name).starts_with("texture<");
}

bool has_texture_references(const ir::Module& module) {
  return std::any_of(module.globals.begin(), module.globals.end(), is_reference);
}

void pass_texture_references(ir::Module& module) {
  for (ir::Function* f : module.functions) {
    if (f->is_kernel) pass_references(module, *f);
  }
  std::erase_if(module.globals, is_reference);
}

}  // namespace quern::pass
