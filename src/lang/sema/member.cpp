// Members of objects, and plain names: variables and this.
#include "base/text.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

// The class among `decl` and its bases that declares the field; nullptr: none.
ClassDecl* owner_of(ClassDecl* decl, const FieldDecl* field) {
  if (field->index < decl->fields.size() && decl->fields[field->index] == field) return decl;
  for (const FieldDecl* f : decl->fields) {
    if (f == field) return decl;
  }
  for (const BaseClass& b : decl->bases) {
    if (b.decl == nullptr) continue;
    if (ClassDecl* owner = owner_of(b.decl, field)) return owner;
  }
  return nullptr;
}

void add_member_names(const ClassDecl* decl, std::vector<std::string_view>& out) {
  if (decl->members != nullptr) {
    for (const auto& [name, decls] : decl->members->names) {
      if (name != nullptr && !decls.empty() && name->text.substr(0, 8) != "operator")
        out.push_back(name->text);
    }
  }
  for (const FieldDecl* f : decl->fields) {
    if (f->name != nullptr) out.push_back(f->name->text);
  }
  for (const BaseClass& b : decl->bases) {
    if (b.decl != nullptr) add_member_names(b.decl, out);
  }
}

base::MessageText no_such_member(const ClassDecl* decl, const Ident* name) {
  std::vector<std::string_view> names;
  add_member_names(decl, names);
  const auto near = base::nearest(name->text, names);
  base::MessageText problem = message::kNoSuchMember(decl->full_name, name->text);
  return near ? with_hint(std::move(problem), message::kDidYouMean(*near)) : problem;
}

bool is_pure(const Expr* e) {
  if (e == nullptr || e->kind == ExprKind::kConst) return true;
  return e->kind == ExprKind::kIntrinsic && ir::has(as<IntrinsicExpr>(e)->op, ir::kPure) &&
         as<IntrinsicExpr>(e)->args.empty();
}

// threadIdx.x is the operation itself, not a member of a struct.
Expr* member_of_aggregate(const Expr* object, const FieldDecl* field, SourceLoc loc) {
  if (object->kind != ExprKind::kAggregate) return nullptr;
  const AggregateExpr* aggregate = as<AggregateExpr>(object);
  if (!aggregate->bases.empty() || field->index >= aggregate->members.size()) return nullptr;
  for (const Expr* e : aggregate->members) {
    if (!is_pure(e)) return nullptr;
  }
  Expr* value = aggregate->members[field->index];
  if (value != nullptr) value->loc = loc;
  return value;
}

Expr* field_of(Sema& sema, Expr* object, FieldDecl* field, SourceLoc loc) {
  const std::string name = field->name != nullptr ? std::string(field->name->text) : std::string();
  if (object == nullptr) {
    sema.error(loc, static_cast<uint32_t>(name.size()), message::kFieldWithoutObject(name));
    return sema.error_expr(loc);
  }
  ClassDecl* owner = owner_of(object->type->class_decl, field);
  if (owner == nullptr || field->type->is_error()) return sema.error_expr(loc);
  if (Expr* value = member_of_aggregate(object, field, loc)) return value;
  object = to_base(sema, object, owner);
  const bool is_ref = field->type->is_ref();
  QualType type = strip_ref(field->type);
  if (!is_ref) type = add_quals(sema, type, object->type.is_const, object->type.is_volatile);
  FieldExpr* e = make_expr<FieldExpr>(sema, type, loc, is_ref || object->is_lvalue);
  e->length = static_cast<uint32_t>(name.size());
  e->object = object;
  e->field = field;
  return e;
}

// The object that `object->` or `object.` refers to, as a class lvalue or prvalue. nullptr: reported.
Expr* accessed_object(Sema& sema, Expr* object, bool arrow, const Ident* name, SourceLoc loc) {
  const std::string member(name->text);
  for (int steps = 0; arrow && object->type->is_class(); ++steps) {
    Expr* args[] = {object};
    Expr* next = steps < 16 ? overloaded_operator(sema, "->", args, loc) : nullptr;
    if (next == nullptr) {
      sema.error(loc, message::kNotPointer(describe(object), member));
      return nullptr;
    }
    if (is_error(next)) return nullptr;
    object = next;
  }
  if (arrow) {
    object = sema.decay(object);
    if (object->type->is_pointer() && object->type->elem->is_class()) return deref(sema, object, object->loc);
  } else if (object->type->is_class()) {
    return object;
  } else if (object->type->is_pointer() && object->type->elem->is_class()) {
    sema.error(loc, message::kIsPointer(describe(object), member));
    return nullptr;
  }
  const std::string type = to_string(object->type.unqualified());
  const std::string text = describe(object);
  sema.error(
      loc, static_cast<uint32_t>(member.size()),
      text == "the value" ? message::kTypeWithoutMembers(type) : message::kValueWithoutMembers(text, type));
  return nullptr;
}

bool is_constant_type(QualType t) { return t->is_arithmetic() || t->is_enum(); }

Expr* constant_of(Sema& sema, VarDecl* var, SourceLoc loc) {
  if (!is_constant_type(var->type) || var->init == nullptr) return nullptr;
  if (var->init->kind == ExprKind::kConst && var->init->type.type == var->type.type) {
    ConstExpr* e = make_expr<ConstExpr>(sema, var->type.unqualified(), loc);
    e->bits = as<ConstExpr>(var->init)->bits;
    e->number = as<ConstExpr>(var->init)->number;
    return e;
  }
  ConstValue value;
  if (!evaluate(sema, var->init, value)) return nullptr;
  return to_expr(sema, value, loc);
}

}  // namespace

Expr* Sema::member_of_class(Expr* object, std::span<Decl* const> found, SourceLoc loc, OverloadSet* out) {
  if (found.empty() || (object != nullptr && is_error(object))) return error_expr(loc);
  Decl* first = found.front();
  switch (first->kind) {
    case DeclKind::kField: return field_of(*this, object, static_cast<FieldDecl*>(first), loc);
    case DeclKind::kVar: return var_ref(static_cast<VarDecl*>(first), loc);
    case DeclKind::kEnumConstant: {
      const EnumConstantDecl* constant = static_cast<EnumConstantDecl*>(first);
      return int_constant(constant->of->type, static_cast<uint64_t>(constant->value), loc);
    }
    case DeclKind::kFunction:
    case DeclKind::kTemplate: {
      out->candidates.clear();
      add_decls(out->candidates, found);
      out->object = object;
      out->name = first->name;
      out->loc = loc;
      out->length = static_cast<uint32_t>(first->name->text.size());
      return nullptr;
    }
    default: error(loc, message::kTypeAsValue(first->name->text)); return error_expr(loc);
  }
}

Expr* Sema::member(Expr* object, bool arrow, Ident* name, SourceLoc name_loc, Scope*, OverloadSet* out) {
  if (is_error(object)) return error_expr(name_loc);
  object = accessed_object(*this, object, arrow, name, name_loc);
  if (object == nullptr) return error_expr(name_loc);
  ClassDecl* decl = object->type->class_decl;
  if (!complete_class(decl)) {
    if (!decl->is_defined) error(name_loc, message::kDeclaredNotDefined(decl->full_name));
    return error_expr(name_loc);
  }
  const std::vector<Decl*> found = lookup_in(name, decl->members);
  if (found.empty()) {
    error(name_loc, static_cast<uint32_t>(name->text.size()), no_such_member(decl, name));
    return error_expr(name_loc);
  }
  return member_of_class(object, found, name_loc, out);
}

// `texture<float, 2> t;`: the host binds it, but it is written without __constant__.
static bool is_texture_reference(QualType type) {
  return to_string(type.unqualified()).starts_with("texture<");
}

Expr* Sema::var_ref(VarDecl* var, SourceLoc loc) {
  const bool is_known = var->state == Lazy::kBusy || complete_var(var);
  if (!is_known || !var->type || var->type->is_error()) return error_expr(loc);
  const uint32_t length = var->name != nullptr ? static_cast<uint32_t>(var->name->text.size()) : 1;
  const bool is_constant = var->is_constexpr || var->is_const_init;
  // A local keeps its identity (its address may be taken); otherwise it is replaced by its value.
  const bool has_place = var->storage == Storage::kLocal;
  if (is_constant && !has_place && !var->type->is_ref() && !var->type.is_volatile) {
    if (Expr* e = constant_of(*this, var, loc)) {
      e->length = length;
      return e;
    }
  }
  if (var->storage == Storage::kHost && is_texture_reference(var->type)) var->storage = Storage::kConstant;
  if (var->storage == Storage::kHost && !is_constant) {
    error(loc, length,
          message::kHostVariableUsed(var->name != nullptr ? var->name->text : std::string_view("this")));
    return error_expr(loc);
  }
  QualType type = strip_ref(var->type);
  if (!var->type->is_ref()) type = add_quals(*this, type.unqualified(), type.is_const, type.is_volatile);
  if (type->is_function()) type = types.pointer(type);  // functions are only used through pointers
  VarExpr* e = make_expr<VarExpr>(*this, type, loc, true);
  e->length = length;
  e->var = var;
  return e;
}

Expr* Sema::this_expr(FunctionDecl* method, SourceLoc loc) {
  const QualType object(method->class_decl->type, method->is_const, false);
  ThisExpr* e = make_expr<ThisExpr>(*this, types.pointer(object), loc);
  e->length = 4;
  return e;
}

}  // namespace quern::lang
