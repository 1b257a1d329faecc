// Lvalues as addresses, and the accesses through them.
#include <bit>

#include "lang/ir/tensor_map.hpp"
#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

// The bases on the path from a class to one of its (direct or indirect) bases at `offset`.
bool find_base(const ClassDecl* from, const Type* base, uint64_t offset, std::vector<size_t>& path) {
  for (size_t i = 0; i < from->bases.size(); ++i) {
    const BaseClass& b = from->bases[i];
    path.push_back(i);
    const bool is_it = b.decl->type == base && b.offset == offset;
    if (is_it || (b.offset <= offset && find_base(b.decl, base, offset - b.offset, path))) return true;
    path.pop_back();
  }
  return false;
}

}  // namespace

const FunctionLowering::Local* FunctionLowering::local(const VarDecl* var) const {
  const auto found = locals_.find(var);
  return found != locals_.end() ? &found->second : nullptr;
}

ir::Value* FunctionLowering::address(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kVar: return variable_address(as<VarExpr>(e));
    case ExprKind::kString: return shared_.string_literal(as<StringExpr>(e)->text, e->type->count);
    case ExprKind::kField: return field_address(as<FieldExpr>(e));
    case ExprKind::kDeref: return pointer(as<DerefExpr>(e)->pointer);
    case ExprKind::kIndex: return index_address(as<IndexExpr>(e));
    case ExprKind::kBinary:
      if (!e->is_lvalue) break;
      discard(as<BinaryExpr>(e)->left);  // a comma
      return address(as<BinaryExpr>(e)->right);
    case ExprKind::kIncDec:
      if (!e->is_lvalue) break;
      return inc_dec(as<IncDecExpr>(e)).address;
    case ExprKind::kAssign: return assign(as<AssignExpr>(e)).address;
    case ExprKind::kCompound: return compound(as<CompoundExpr>(e)).address;
    case ExprKind::kCast: return e->is_lvalue ? cast_address(as<CastExpr>(e)) : temporary(e);
    case ExprKind::kConditional:
      if (!e->is_lvalue) break;
      return conditional_address(as<ConditionalExpr>(e));
    case ExprKind::kCall:
      if (!e->is_lvalue) break;
      return call(as<CallExpr>(e));
    case ExprKind::kCallPointer:
      if (!e->is_lvalue) break;
      return call_pointer(as<CallPointerExpr>(e));
    case ExprKind::kMaterialize: {
      const Expr* made = as<MaterializeExpr>(e)->value;
      const bool is_part = made->kind == ExprKind::kField && !is_value(made) && !is_bit_field(made);
      return is_part ? field_address(as<FieldExpr>(made)) : temporary(made);
    }
    default: break;
  }
  return temporary(e);
}

ir::Value* FunctionLowering::variable_address(const VarExpr* e) {
  if (const Local* here = local(e->var)) {
    if (here->slot != nullptr) return here->slot;
    if (here->address != nullptr) {
      place(e);
      return builder_.load(generic_ptr(), here->address);
    }
    if (e->var->type->is_ref()) return here->value;
    // The address of a read-only variable is needed after all (a const member call): a copy suffices.
    place(e);
    if (ir::contains_tensor_map(type(e->type))) error(e->loc, message::kLocalTensorMap(e->var->name->text));
    ir::Inst* copy = temporary_memory(type(e->type));
    builder_.store(copy, generic(here->value));
    return copy;
  }
  VarDecl* var = e->var;
  const bool is_automatic = var->storage == Storage::kLocal || var->storage == Storage::kParam;
  if (is_automatic && !(var->is_constexpr || is_constant_local(var))) {
    error(e, message::kNotCaptured(var->name != nullptr ? var->name->text : "variable"));
    return module_.undef(generic_ptr());
  }
  if (var->type->is_ref() && var->init != nullptr) return address(var->init);  // a constant reference
  ir::Global* global = shared_.global(var, *function_, e);
  if (global != nullptr) return global;
  failed_ = true;
  return module_.undef(generic_ptr());
}

ir::Value* FunctionLowering::field_address(const FieldExpr* e) {
  const ClassLayout* layout = shared_.types.layout(e->object->type->class_decl);
  if (layout == nullptr) {
    failed_ = true;
    return module_.undef(generic_ptr());
  }
  const bool is_ref = e->field->type->is_ref();
  const uint32_t index = layout->first_field + e->field->index;
  if (is_ref && is_value(e->object) && !layout->overlaps) {
    ir::Value* object = value(e->object);
    place(e);
    return builder_.extract(object, index);
  }
  ir::Value* object = address(e->object);
  place(e);
  ir::Value* field = builder_.field(object, layout->type, index);
  return is_ref ? builder_.load(generic_ptr(), field) : field;
}

ir::Value* FunctionLowering::index_address(const IndexExpr* e) {
  ir::Value* base = pointer(e->pointer);
  ir::Value* index = value(e->index);
  place(e);
  return pointer_add(base, e->pointer->type.type, index, false);
}

ir::Value* FunctionLowering::conditional_address(const ConditionalExpr* e) {
  ir::Value* condition = value(e->condition);
  if (const ir::Const* known = ir::as_const(condition))
    return address(known->bits != 0 ? e->then_value : e->else_value);
  const auto is_variable = [&](const Expr* side) {
    const Local* here = side->kind == ExprKind::kVar ? local(as<VarExpr>(side)->var) : nullptr;
    return here != nullptr && (here->slot != nullptr || as<VarExpr>(side)->var->type->is_ref());
  };
  if (is_variable(e->then_value) && is_variable(e->else_value)) {
    ir::Value* a = address(e->then_value);
    ir::Value* b = address(e->else_value);
    place(e);
    if (a->type != b->type) {
      a = generic(a);
      b = generic(b);
    }
    return builder_.select(condition, a, b);
  }
  place(e);
  ir::Inst* result = builder_.var(generic_ptr(), {});
  {
    ExpressionBranch branch(*this, condition);
    for (size_t i = 0; i < 2; ++i) {
      branch.side(i);
      ir::Value* side = generic(address(i == 0 ? e->then_value : e->else_value));
      place(e);
      builder_.store(result, side);
    }
  }
  return builder_.load(generic_ptr(), result);
}

ir::Value* FunctionLowering::cast_address(const CastExpr* e) {
  ir::Value* object = address(e->operand);
  if (e->cast != CastKind::kDerivedToBase && e->cast != CastKind::kBaseToDerived) return object;
  place(e);
  return base_address(object, e->operand->type.type, e->type.type, e->offset);
}

// To a base through the fields that hold it, so that later passes see the members; back by plain arithmetic.
ir::Value* FunctionLowering::base_address(ir::Value* object, const Type* derived, const Type* base,
                                          uint64_t offset) {
  if (derived == base || !derived->is_class() || !base->is_class()) return object;
  std::vector<size_t> path;
  const bool found = find_base(derived->class_decl, base, offset, path);
  // A virtual call casts the pointer back: it must keep the whole object.
  if (found && base->class_decl->is_polymorphic) {
    return offset == 0 ? object
                       : builder_.offset(object, module_.constant(ir_type(ir::TypeKind::kU64), offset), 1);
  }
  if (!found) {  // a cast down
    if (offset == 0) return object;
    return builder_.offset(object, module_.constant_int(ir::TypeKind::kI64, -static_cast<int64_t>(offset)),
                           1);
  }
  ClassDecl* at = derived->class_decl;
  for (const size_t step : path) {
    const ClassLayout* layout = shared_.types.layout(at);
    const int field = layout->base_field[step];
    if (field < 0) return object;  // an empty base has no bytes to point to
    object = builder_.field(object, layout->type, static_cast<uint32_t>(field));
    at = at->bases[step].decl;
  }
  return object;
}

ir::Value* FunctionLowering::base_value(ir::Value* object, const Type* derived, const Type* base) {
  if (derived == base) return object;
  std::vector<size_t> path;
  uint64_t offset = 0;
  sema_.is_derived_from(derived->class_decl, base->class_decl, &offset);
  if (!find_base(derived->class_decl, base, offset, path)) return undef(base);
  ClassDecl* at = derived->class_decl;
  for (const size_t step : path) {
    const int field = shared_.types.layout(at)->base_field[step];
    if (field < 0) return module_.constant(type(base), 0);
    object = builder_.extract(object, static_cast<uint32_t>(field));
    at = at->bases[step].decl;
  }
  return object;
}

bool FunctionLowering::is_value(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kVar: {
      const Local* here = local(as<VarExpr>(e)->var);
      return here != nullptr && here->value != nullptr && !as<VarExpr>(e)->var->type->is_ref();
    }
    case ExprKind::kField: {
      const auto* f = as<FieldExpr>(e);
      if (f->field->type->is_ref() || f->field->is_bit_field()) return false;
      const ClassLayout* layout = shared_.types.layout(f->object->type->class_decl);
      return layout != nullptr && !layout->overlaps && is_value(f->object) && !makes_destroyed(f->object);
    }
    case ExprKind::kCast: {
      const auto* c = as<CastExpr>(e);
      if (c->cast == CastKind::kDerivedToBase) return is_value(c->operand) && !makes_destroyed(c->operand);
      return c->cast == CastKind::kQualify ? is_value(c->operand) : !e->is_lvalue;
    }
    default: return !e->is_lvalue;
  }
}

ir::Value* FunctionLowering::part_of_value(const FieldExpr* e) {
  const ClassLayout* layout = shared_.types.layout(e->object->type->class_decl);
  ir::Value* object = value(e->object);
  place(e);
  if (layout == nullptr || object->type != layout->type) {
    failed_ = true;
    return undef(e->type);
  }
  return builder_.extract(object, layout->first_field + e->field->index);
}

ir::Value* FunctionLowering::load(const Expr* e, ir::Value* from) {
  const ir::Type* t = type(e->type);
  if (t->is_struct() && t->fields.empty()) return module_.constant(t, 0);
  if (is_bit_field(e)) return load_bits(*as<FieldExpr>(e)->field, from, e->type.is_volatile);
  if (known_align(e) < t->align) return load_bytes(t, from);
  return builder_.load(t, from, 0, e->type.is_volatile);
}

// An object of an empty class has nothing to store, and as a base its byte belongs to another member.
ir::Value* FunctionLowering::store(const Expr* target, ir::Value* to, ir::Value* v) {
  if (v->type->is_struct() && v->type->fields.empty()) return v;
  if (is_bit_field(target)) return store_bits(*as<FieldExpr>(target)->field, to, v, target->type.is_volatile);
  v = generic(v);
  if (known_align(target) < v->type->align) {
    store_bytes(to, v);
  } else {
    builder_.store(to, v, 0, target->type.is_volatile);
  }
  return v;
}

}  // namespace quern::lang
