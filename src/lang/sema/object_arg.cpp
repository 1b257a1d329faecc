#include "lang/sema/object_arg.hpp"

#include <algorithm>

#include "lang/sema/expression.hpp"
#include "lang/sema/impl.hpp"

namespace quern::lang {

namespace {

bool same_value(const ConstValue& a, const ConstValue& b) {
  if (a.type != b.type || a.bits != b.bits || a.number != b.number || a.function != b.function) return false;
  if (a.pointee != b.pointee || a.path != b.path) return false;
  return std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_value);
}

// &variable, or an array's name.
VarDecl* variable_at(const Expr* e) {
  if (e->kind == ExprKind::kAddress) e = as<AddressExpr>(e)->object;
  if (e->kind == ExprKind::kCast && as<CastExpr>(e)->cast == CastKind::kArrayToPointer)
    e = as<CastExpr>(e)->operand;
  if (e->kind != ExprKind::kVar) return nullptr;
  VarDecl* var = as<VarExpr>(e)->var;
  const bool is_static = var->storage != Storage::kLocal && var->storage != Storage::kParam;
  return is_static ? var : nullptr;
}

// The constant with that value: the same for all equal arguments.
VarDecl* constant_object(Sema& sema, const ConstValue& value, SourceLoc loc) {
  auto& known = sema.impl->argument_objects;
  for (const auto& [other, var] : known) {
    if (same_value(other, value)) return var;
  }
  Expr* init = to_expr(sema, value, loc);
  if (init == nullptr) return nullptr;
  VarDecl* var = sema.make<VarDecl>();
  var->name = sema.idents.get("{" + std::to_string(known.size()) + "}");
  var->loc = loc;
  var->parent = sema.global;
  var->type = value.type.with_const();
  var->storage = Storage::kHost;
  var->is_constexpr = var->is_const_init = true;
  var->init = init;
  known.emplace_back(value, var);
  return var;
}

}  // namespace

bool object_arg(Sema& sema, Expr* e, TemplateArg& arg) {
  if (e->type->is_pointer() || e->type->is_array()) {
    arg.object = variable_at(e);
    arg.type = sema.decay(e)->type;
  } else if (ConstValue known; e->is_lvalue && variable_at(e) != nullptr && !evaluate(sema, e, known)) {
    arg.object = variable_at(e);  // template <int& R>
    arg.type = sema.types.lref(e->type);
  } else if (e->type->is_class() || e->type->is_floating()) {
    ConstValue value;
    if (!evaluate(sema, e, value)) return false;
    value.type = e->type.unqualified();
    arg.object = constant_object(sema, value, e->loc);
    arg.type = value.type;
  }
  if (arg.object == nullptr) return false;
  arg.kind = TemplateArg::Kind::kObject;
  return true;
}

Expr* object_of(Sema& sema, const TemplateArg& arg, SourceLoc loc) {
  Expr* e = sema.var_ref(arg.object, loc);
  if (!arg.type->is_pointer()) return e;
  return e->type->is_array() ? sema.decay(e) : address_of(sema, e);
}

}  // namespace quern::lang
