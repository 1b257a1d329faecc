#include "lang/pass/param_fields.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "lang/ir/builder.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

using ir::Inst;
using ir::Op;
using ir::Value;

const ir::Param* param_path(const Inst* inst, std::vector<uint32_t>& path) {
  const Value* from = inst;
  while (const Inst* i = ir::as_inst(from)) {
    if (!i->is(Op::kExtract)) return nullptr;
    path.push_back(i->attr().index);
    from = i->operand(0);
  }
  std::reverse(path.begin(), path.end());
  return from->kind == ir::ValueKind::kParam ? static_cast<const ir::Param*>(from) : nullptr;
}

namespace {

struct Member {
  uint64_t at = 0;
  std::string name;
};

Member member_of(const ir::Param& param, const std::vector<uint32_t>& path) {
  Member out{0, param.name};
  const ir::Type* type = param.type;
  for (const uint32_t index : path) {
    const bool is_array = type->is_array();
    out.at += is_array ? index * type->elem->size : type->fields[index].offset;
    const std::string& name = is_array ? std::string() : type->fields[index].name;
    out.name += "_" + (name.empty() ? std::to_string(index) : name);
    type = is_array ? type->elem : type->fields[index].type;
  }
  return out;
}

}  // namespace

std::vector<SplitPointer> split_params(ir::Module& module, ir::Function& kernel) {
  std::vector<SplitPointer> out;
  std::map<std::pair<uint32_t, uint64_t>, Value*> made;
  std::vector<Value*> instead(number_insts(kernel), nullptr);
  std::vector<Inst*> taken;  // they stay until the end: new ones are inserted before the first instruction
  ir::Builder builder(module);
  Inst* const start = kernel.body->first;
  traverse(kernel.body, [&](Inst* i) {
    for (Value*& v : i->operands) {
      const Inst* def = ir::as_inst(v);
      if (def != nullptr && def->id < instead.size() && instead[def->id] != nullptr) v = instead[def->id];
    }
    if (!i->is(Op::kExtract) || !i->type->is_ptr()) return;
    std::vector<uint32_t> path;
    const ir::Param* param = param_path(i, path);
    if (param == nullptr) return;
    const Member member = member_of(*param, path);
    Value*& field = made[{param->index, member.at}];
    if (field == nullptr) {
      out.push_back({param->index, member.at});
      ir::Param* own = module.add_param(&kernel, module.types().ptr(ir::Space::kGlobal), member.name);
      own->pos = param->pos;
      builder.at(kernel.body, start);
      builder.pos(param->pos);
      field = i->type == own->type ? own : builder.op(Op::kSpaceCast, i->type, {own});
    }
    instead[i->id] = field;
    taken.push_back(i);
  });
  for (Inst* i : taken) i->parent->remove(i);
  return out;
}

bool uses_param_fields(const ir::Function& kernel) {
  bool found = false;
  traverse(kernel.body, [&](const Inst* i) {
    for (const Value* v : i->operands) {
      std::vector<uint32_t> path;
      const Inst* def = ir::as_inst(v);
      const bool is_param = v->kind == ir::ValueKind::kParam && v->type->is_aggregate();
      if (!is_param && (def == nullptr || param_path(def, path) == nullptr)) continue;
      const bool looks_inside = i->is(Op::kExtract) && !i->type->is_ptr();
      found |= contains_pointer(v->type) && !looks_inside;
    }
  });
  return found;
}

}  // namespace quern::pass
