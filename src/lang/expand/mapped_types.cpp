#include "lang/expand/mapped_types.hpp"

namespace quern::expand {

using ir::Type;

const Type* MappedTypes::of(const Type* type) {
  if (!type->is_aggregate()) return scalar_(type);
  const auto known = known_.find(type);
  if (known != known_.end()) return known->second;
  const Type* result = made(type);
  known_[type] = result;
  known_[result] = result;
  return result;
}

const Type* MappedTypes::made(const Type* type) {
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
  const Type* result = types_.declare_struct(type->name + suffix_);
  types_.define_struct(result, std::move(fields), type->size, type->align);
  return result;
}

ir::Value* MappedTypes::adapted(ir::Module& module, ir::Value* v) {
  const bool is_const = v->kind == ir::ValueKind::kConst;
  if ((!is_const && v->kind != ir::ValueKind::kUndef) || !v->type->is_aggregate()) return v;
  const Type* type = of(v->type);
  if (type == v->type) return v;
  return is_const ? static_cast<ir::Value*>(module.constant(type, 0)) : module.undef(type);
}

}  // namespace quern::expand
