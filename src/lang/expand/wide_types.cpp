#include "lang/expand/wide_types.hpp"

namespace quern::expand {

using ir::Type;
using ir::TypeKind;

WideTypes::WideTypes(ir::TypeTable& types) : types_(types), pair_(types.declare_struct(ir::kWordsName)) {
  if (!pair_->fields.empty()) return;
  const Type* u32 = types.get(TypeKind::kU32);
  types.define_struct(pair_, {{"low", u32, 0}, {"high", u32, 4}}, 8, 8);
}

const Type* WideTypes::of(const Type* type) {
  if (is_wide(type)) return pair_;
  if (!type->is_aggregate()) return type;
  const auto known = known_.find(type);
  if (known != known_.end()) return known->second;
  const Type* result = made(type);
  known_[type] = result;
  known_[result] = result;
  return result;
}

const Type* WideTypes::made(const Type* type) {
  if (type->is_array()) {
    const Type* elem = of(type->elem);
    return elem == type->elem ? type : types_.array(elem, type->count);
  }
  std::vector<ir::Field> fields;
  bool differs = false;
  for (const ir::Field& f : type->fields) {
    fields.push_back({f.name, of(f.type), f.offset});
    differs = differs || fields.back().type != f.type;
  }
  if (!differs) return type;
  const Type* result = types_.declare_struct(type->name + " of words");
  types_.define_struct(result, std::move(fields), type->size, type->align);
  return result;
}

ir::Value* WideTypes::adapted(ir::Module& module, ir::Value* v) {
  const bool is_const = v->kind == ir::ValueKind::kConst;
  if ((!is_const && v->kind != ir::ValueKind::kUndef) || !v->type->is_aggregate()) return v;
  const Type* type = of(v->type);
  if (type == v->type) return v;
  return is_const ? static_cast<ir::Value*>(module.constant(type, 0)) : module.undef(type);
}

}  // namespace quern::expand
