// Initialisation: default, value, copy and direct. Lists are in init_list.cpp.
#include "lang/sema/expression.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

OverloadSet constructor_set(Sema& sema, ClassDecl* decl, SourceLoc loc) {
  OverloadSet set;
  set.candidates = constructors(sema, decl);
  set.name = decl->name;
  set.loc = loc;
  return set;
}

// Whether the default of a member refers to other members.
bool uses_members(const ClassDecl* decl, const FieldDecl* field) {
  for (const Token* t = field->init_range.begin; t < field->init_range.end; ++t) {
    if (t->kind == Tok::kw_this) return true;
    if (t->kind != Tok::kIdentifier) continue;
    const auto found = decl->members->names.find(t->ident);
    if (found == decl->members->names.end() || found->second.empty()) continue;
    const Decl* d = found->second[0];
    const bool is_method = d->kind == DeclKind::kFunction && static_cast<const FunctionDecl*>(d)->is_method();
    if (d->kind == DeclKind::kField || is_method) return true;
  }
  return false;
}

// T() {}, in which the default initialisers of members can access the object.
FunctionDecl* implicit_constructor(Sema& sema, ClassDecl* decl) {
  if (decl->implicit_ctor != nullptr) return decl->implicit_ctor;
  FunctionDecl* f = sema.make<FunctionDecl>();
  f->name = decl->name;
  f->loc = decl->loc;
  f->scope = decl->members;
  f->class_decl = decl;
  f->is_ctor = f->is_device = f->is_constexpr = true;
  f->is_library = decl->is_library;
  f->result = sema.basic(TypeKind::kVoid);
  f->signature = Lazy::kDone;
  return decl->implicit_ctor = f;
}

// The effect of the implicit constructor; nullptr: nothing.
Expr* implicit_default(Sema& sema, ClassDecl* decl, bool is_value, SourceLoc loc) {
  if (!decl->has_default_init) {
    return is_value ? make_expr<ZeroExpr>(sema, decl->type, loc) : nullptr;
  }
  for (const FieldDecl* field : decl->fields) {
    if (uses_members(decl, field))
      return construct(sema, implicit_constructor(sema, decl), decl->type, {}, loc);
  }
  AggregateExpr* e = make_expr<AggregateExpr>(sema, decl->type, loc);
  e->rest = is_value ? AggregateExpr::Rest::kZeroFirst : AggregateExpr::Rest::kUndefined;
  bool runs = is_value || decl->is_polymorphic;
  for (const BaseClass& b : decl->bases) {
    e->bases.push_back(sema.init_default(b.decl->type, loc));
    runs = runs || e->bases.back() != nullptr;
  }
  for (FieldDecl* field : decl->fields) {
    Expr* value = field->init_range.empty() ? nullptr : sema.field_default(field);
    if (field->init_range.empty() && !field->type->is_ref()) value = sema.init_default(field->type, loc);
    if (value != nullptr && is_error(value)) return value;
    e->members.push_back(value);
    runs = runs || value != nullptr;
  }
  return runs ? e : nullptr;
}

Expr* default_class(Sema& sema, ClassDecl* decl, bool is_value, SourceLoc loc) {
  const OverloadSet set = constructor_set(sema, decl, loc);
  if (set.candidates.empty()) return implicit_default(sema, decl, is_value, loc);
  const Choice choice = choose(sema, {.set = &set, .args = {}});
  if (choice.function == nullptr) {
    const bool has_one = decl->ctors.size() == 1 && set.candidates.size() == 1;
    sema.error(loc, has_one ? message::kOnlyConstructor(decl->full_name, signature(decl->ctors[0]))
                            : message::kNoDefaultConstructor(decl->full_name));
    return sema.error_expr(loc);
  }
  return choice.function->is_defaulted ? implicit_default(sema, decl, is_value, loc)
                                       : construct(sema, choice.function, decl->type, {}, loc);
}

// All elements are initialised alike. The node is shared: it is evaluated once per element.
Expr* fill_array(Sema& sema, QualType to, Expr* element, SourceLoc loc) {
  static constexpr uint64_t kMostElements = 4096;
  if (is_error(element)) return element;
  if (to->count > kMostElements) {
    sema.error(loc, message::kTooManyObjects(std::to_string(to->count), std::to_string(kMostElements)));
    return sema.error_expr(loc);
  }
  AggregateExpr* e = make_expr<AggregateExpr>(sema, to.unqualified(), loc);
  e->members.assign(to->count, element);
  return e;
}

Expr* string_array(Sema& sema, QualType to, const Expr* from) {
  const std::string& text = as<StringExpr>(from)->text;
  const QualType elem = to->elem;
  const uint64_t count = to->is_unsized ? text.size() + 1 : to->count;
  if (text.size() > count) {
    sema.error(from,
               message::kStringTooLong(to_string(to), std::to_string(count), std::to_string(text.size())));
    return sema.error_expr(from->loc);
  }
  AggregateExpr* e = make_expr_at<AggregateExpr>(sema, sema.types.array(elem, count), from);
  for (const char c : text) {
    e->members.push_back(sema.int_constant(elem.unqualified(),
                                           static_cast<uint64_t>(static_cast<unsigned char>(c)), from->loc));
  }
  return e;
}

bool is_char(QualType t) {
  return t->is(TypeKind::kChar) || t->is(TypeKind::kSChar) || t->is(TypeKind::kUChar);
}

// T x(a, b) for an aggregate without constructors, as in C++20.
Expr* aggregate_from(Sema& sema, QualType to, const std::vector<Expr*>& args, SourceLoc loc) {
  Sema::BracedInit list;
  list.loc = loc;
  for (Expr* e : args) {
    Sema::BracedInit::Item item;
    item.expr = e;
    if (is_braced(e)) item.list = &static_cast<BracedExpr*>(e)->list;
    list.items.push_back(item);
  }
  return sema.init_list(to, list);
}

Expr* no_constructor(Sema& sema, ClassDecl* decl, std::span<Expr* const> args, SourceLoc loc) {
  if (args.size() == 1)
    sema.error(loc, cannot_convert(args[0]->type, decl->type));
  else
    sema.error(loc, message::kNoConstructorFor(decl->full_name, types_of(args)));
  return sema.error_expr(loc);
}

// From one value of the class itself or of a derived class; nullptr: a constructor has to be found.
Expr* from_same_class(Sema& sema, ClassDecl* decl, Expr* from, const Choice& choice) {
  if (is_braced(from) || !from->type->is_class()) return nullptr;
  const int distance = base_distance(sema, from->type->class_decl, decl);
  if (distance < 0) return nullptr;
  const FunctionDecl* f = choice.function;
  const bool is_meant =
      f != nullptr && !is_copy_constructor(f) && choice.best.sequences[0].rank <= Rank::kQualify;
  return distance > 0 && is_meant ? nullptr : copy_class(sema, from, decl->type);
}

Expr* direct_class(Sema& sema, QualType to, std::vector<Expr*> args, SourceLoc loc) {
  ClassDecl* decl = to->class_decl;
  if (!sema.require_complete(to, loc)) return sema.error_expr(loc);
  if (args.empty()) return sema.init_value(to, loc);
  const OverloadSet set = constructor_set(sema, decl, loc);
  const Call call{.set = &set, .args = args};
  const Choice choice = set.candidates.empty() ? Choice{} : choose(sema, call);
  if (args.size() == 1) {
    if (Expr* e = from_same_class(sema, decl, args[0], choice)) return e;
  }
  if (choice.rival != nullptr) {
    report_ambiguous(sema, call, choice, loc);
    return sema.error_expr(loc);
  }
  if (choice.function != nullptr) return construct(sema, choice.function, to, std::move(args), loc);
  if (args.size() == 1 && is_braced(args[0]))
    return sema.init_list(to, static_cast<BracedExpr*>(args[0])->list);
  if (args.size() == 1 && args[0]->type->is_class()) {
    const Sequence s = user_conversion(sema, args[0], to, true);
    if (s && !s.is_ambiguous) return apply_user_conversion(sema, args[0], to, s);
  }
  if (!set.candidates.empty()) {
    report_no_match(sema, call, loc);
    return sema.error_expr(loc);
  }
  // T(x) for an aggregate of several members is C++20, and usually a mistake.
  const bool is_list = args.size() > 1 || decl->fields.size() + decl->bases.size() == 1;
  return is_list && !decl->is_closure ? aggregate_from(sema, to, args, loc)
                                      : no_constructor(sema, decl, args, loc);
}

}  // namespace

std::vector<Decl*> constructors(Sema& sema, ClassDecl* decl) {
  std::vector<Decl*> out;
  if (decl->state != Lazy::kDone && !sema.complete_class(decl)) return out;
  for (FunctionDecl* f : decl->ctors) out.push_back(f);
  if (decl->members == nullptr) return out;
  for (TemplateDecl* t : decl->ctor_templates) out.push_back(t);
  return out;
}

bool has_own_constructors(Sema& sema, ClassDecl* decl) {
  for (Decl* d : constructors(sema, decl)) {
    const FunctionDecl* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction);
    if (f == nullptr || !(f->is_defaulted || f->is_deleted)) return true;
  }
  return false;
}

bool is_copy_constructor(const FunctionDecl* f) {
  if (!f->is_ctor || f->from_template != nullptr || f->params.empty()) return false;
  const QualType p = f->params[0]->type;
  const bool fits = p && p->is_ref() && class_of(p->elem) == f->class_decl;
  return fits && (f->params.size() == 1 || !f->params[1]->default_range.empty());
}

Expr* construct(Sema& sema, FunctionDecl* ctor, QualType type, std::vector<Expr*> args, SourceLoc loc) {
  if (!check_callable(sema, ctor, loc)) return sema.error_expr(loc);
  if (ctor->is_defaulted) {
    if (args.empty()) return implicit_default(sema, ctor->class_decl, true, loc);
    return to_base(sema, args[0], ctor->class_decl);
  }
  if (!convert_arguments(sema, ctor, args, loc)) return sema.error_expr(loc);
  ConstructExpr* e = make_expr<ConstructExpr>(sema, type.unqualified(), loc);
  e->ctor = ctor;
  e->args = std::move(args);
  sema.mark_used(ctor);
  return e;
}

bool can_construct(Sema& sema, QualType to, std::span<Expr* const> args) {
  ClassDecl* decl = class_of(to);
  if (decl == nullptr) {
    if (args.empty()) return !to->is_ref();
    return args.size() == 1 && static_cast<bool>(classify(sema, args[0], to));
  }
  if (decl->state != Lazy::kDone && (!decl->is_defined || !sema.complete_class(decl))) return false;
  const OverloadSet set = constructor_set(sema, decl, {});
  if (!set.candidates.empty()) {
    const Choice choice = choose(sema, {.set = &set, .args = args});
    if (choice.function != nullptr) return choice.rival == nullptr && !choice.function->is_deleted;
  }
  if (args.empty()) return !has_own_constructors(sema, decl);
  if (args.size() == 1 && !is_braced(args[0]) && classify(sema, args[0], to)) return true;
  if (has_own_constructors(sema, decl)) return false;
  if (args.size() > decl->fields.size() + decl->bases.size()) return false;
  for (size_t i = 0; i < args.size() && decl->bases.empty(); ++i) {
    const QualType field = decl->fields[i]->type;
    if (field->is_scalar() && !classify(sema, args[i], field)) return false;
  }
  return true;
}

Expr* Sema::init_default(QualType to, SourceLoc loc) {
  if (!to || to->is_error()) return error_expr(loc);
  if (to->is_array()) {
    Expr* element = init_default(to->elem.unqualified(), loc);
    return element == nullptr || to->is_unsized ? nullptr : fill_array(*this, to, element, loc);
  }
  if (!to->is_class()) return nullptr;
  if (!require_complete(to, loc)) return error_expr(loc);
  return default_class(*this, to->class_decl, false, loc);
}

Expr* Sema::init_value(QualType to, SourceLoc loc) {
  if (!to || to->is_error()) return error_expr(loc);
  if (to->is_ref()) {
    error(loc, message::kReferenceUninitialized(to_string(to)));
    return error_expr(loc);
  }
  if (to->is_scalar()) return make_expr<ConstExpr>(*this, to.unqualified(), loc);
  if (to->is_class()) {
    return require_complete(to, loc) ? default_class(*this, to->class_decl, true, loc) : error_expr(loc);
  }
  if (to->is_array() && !to->is_unsized && init_default(to, loc) != nullptr) {
    return fill_array(*this, to, init_value(to->elem.unqualified(), loc), loc);
  }
  return make_expr<ZeroExpr>(*this, to.unqualified(), loc);
}

Expr* Sema::init_copy(QualType to, Expr* from, std::string_view what) {
  if (is_error(from) || !to || to->is_error()) return error_expr(from == nullptr ? SourceLoc{} : from->loc);
  if (!to->is_array() || is_braced(from)) return convert(from, to, what);
  if (from->kind == ExprKind::kString && is_char(to->elem)) return string_array(*this, to, from);
  if (bare(*this, from->type) == bare(*this, to) && !from->is_lvalue) return from;
  const std::string type = to_string(from->type.unqualified());
  error(from, what.empty() ? message::kArrayNeedsList(type) : message::kVariableNeedsList(what, type));
  return error_expr(from->loc);
}

Expr* Sema::init_direct(QualType to, std::vector<Expr*> args, SourceLoc loc) {
  if (!to || to->is_error() || any_error(args)) return error_expr(loc);
  if (to->is_class()) return direct_class(*this, to.unqualified(), std::move(args), loc);
  if (args.empty()) return init_value(to, loc);
  if (args.size() > 1) {
    error(loc, message::kInitializerCount(to_string(to), std::to_string(args.size())));
    return error_expr(loc);
  }
  if (args[0]->type->is_class() && to->is_scalar() && !is_braced(args[0])) {
    const Sequence s = user_conversion(*this, args[0], to, true);
    if (s && !s.is_ambiguous) return apply_user_conversion(*this, args[0], to, s);
  }
  return init_copy(to, args[0], {});
}

}  // namespace quern::lang
