// Calls: by name, of methods, of functors and lambdas, through pointers whose target is known.
#include <algorithm>

#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/virtual.hpp"

namespace quern::lang {

namespace {

bool is_in_function(const Scope* s) {
  for (; s != nullptr; s = s->parent) {
    if (s->kind == Scope::Kind::kFunction || s->kind == Scope::Kind::kBlock) return true;
  }
  return false;
}

// Whether the body of `f` may change this parameter: it assigns to it or takes its address.
bool may_change(const FunctionDecl* f, const VarDecl* param) {
  const TokenRange body = f->body_range;
  for (const Token* t = body.begin; t < body.end; ++t) {
    if (t->kind != Tok::kIdentifier || t->ident != param->name) continue;
    if (t + 1 < body.end && (t + 1)->kind == Tok::kEqual) return true;
    if (t > body.begin && (t - 1)->kind == Tok::kAmp) return true;
  }
  return false;
}

// A function without execution space specifiers runs on the host. Members of a local class of a kernel run
// where the kernel runs.
bool is_function_parameter(QualType type) {
  const QualType t = strip_ref(type);
  return t->is_function_pointer() || t->is_function();
}

FunctionDecl* copy_unread(Sema& sema, const FunctionDecl* f) {
  FunctionDecl* copy = sema.make<FunctionDecl>(*f);
  copy->signature = Lazy::kNot;
  copy->body = Lazy::kNot;
  copy->tree = nullptr;
  copy->params.clear();
  copy->empty_packs.clear();
  copy->ctor_inits.clear();
  copy->body_scope = nullptr;
  return copy;
}

// The copy of `f` whose pointer-to-function parameters are bound to these targets (nullptr: an ordinary
// parameter). Its body is parsed again, so that calls through the parameters are direct.
FunctionDecl* with_targets(Sema& sema, FunctionDecl* f, const std::vector<FunctionDecl*>& targets) {
  FunctionDecl*& known = sema.known_targets[{f, targets}];
  if (known != nullptr) return known;
  FunctionDecl* copy = copy_unread(sema, f);
  known = copy;
  if (!sema.complete_signature(copy)) return copy;
  const std::vector<VarDecl*>& params = copy->params;
  const std::vector<VarDecl*>& original = f->params;
  for (size_t i = 0; i < params.size() && i < targets.size(); ++i) {
    params[i]->known_function = targets[i];
    params[i]->default_range = original[i]->default_range;  // may come from another declaration
  }
  return copy;
}

Expr* default_promotion(Sema& sema, Expr* e) {
  e = sema.promote(sema.decay(e));
  if (is_error(e) || !e->type->is_floating() || e->type->is(TypeKind::kDouble)) return e;
  return sema.convert(e, sema.basic(TypeKind::kDouble));
}

void add_namespace(std::vector<Scope*>& out, Scope* scope) {
  while (scope != nullptr && scope->kind != Scope::Kind::kNamespace && scope->kind != Scope::Kind::kGlobal) {
    scope = scope->parent;
  }
  for (; scope != nullptr; scope = scope->parent) {
    if (std::find(out.begin(), out.end(), scope) == out.end()) out.push_back(scope);
    if (!scope->is_inline) break;  // the names of an inline namespace are also names of its parent
  }
}

void add_namespaces(Sema& sema, std::vector<Scope*>& out, QualType type, int depth) {
  while (type->is_pointer() || type->is_array() || type->is_ref()) type = type->elem;
  if (depth > 4) return;
  if (type->is_enum()) return add_namespace(out, type->enum_decl->outer);
  ClassDecl* decl = class_of(type);
  if (decl == nullptr || decl->is_closure) return;
  add_namespace(out, decl->outer);
  for (const TemplateArg& arg : decl->template_args) {
    if (arg.kind == TemplateArg::Kind::kType && arg.type) add_namespaces(sema, out, arg.type, depth + 1);
  }
  if (decl->state != Lazy::kDone && (!decl->is_defined || !sema.complete_class(decl))) return;
  for (const BaseClass& b : decl->bases) {
    if (b.decl != nullptr) add_namespaces(sema, out, b.decl->type, depth + 1);
  }
}

bool has_method(std::span<Decl* const> candidates) {
  return std::any_of(candidates.begin(), candidates.end(), [](Decl* d) {
    if (FunctionDecl* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction)) return f->class_decl != nullptr;
    return d->kind == DeclKind::kTemplate && static_cast<TemplateDecl*>(d)->member_of != nullptr;
  });
}

Expr* object_address(Sema& sema, FunctionDecl* f, Expr* object) {
  return address_of(sema, to_base(sema, object, f->class_decl));
}

Expr* finish_call(Sema& sema, FunctionDecl* f, std::vector<Expr*> args, SourceLoc loc) {
  if (has_auto(f->result)) sema.complete_body(f);
  if (f->result->is_error() && f->body == Lazy::kFailed) {  // `auto`, of a body with errors
    sema.report_again(f);
    return sema.error_expr(loc);
  }
  if (has_auto(f->result)) {
    if (f->body != Lazy::kFailed) {
      sema.error(loc, message::kResultNotKnown(name_of(f)));
    }
    return sema.error_expr(loc);
  }
  CallExpr* e = make_expr<CallExpr>(sema, strip_ref(f->result), loc, f->result->is_ref());
  if (!e->is_lvalue) e->type = e->type.unqualified();
  e->length = f->name != nullptr && !f->is_lambda_call ? static_cast<uint32_t>(f->name->text.size()) : 1;
  e->function = f;
  e->args = std::move(args);
  sema.mark_used(f);
  return e;
}

// Whether the type of the expression is the dynamic type of the object.
bool is_complete_object(const Expr* object) {
  if (object->kind == ExprKind::kVar) return !as<VarExpr>(object)->var->type->is_ref();
  if (object->kind == ExprKind::kField) return !as<FieldExpr>(object)->field->type->is_ref();
  return object->kind == ExprKind::kMaterialize;
}

// A call of the function that the pointer holds at run time.
Expr* call_pointer(Sema& sema, Expr* callee, std::vector<Expr*> args, SourceLoc loc) {
  Expr* pointer = sema.decay(callee);
  if (is_error(pointer)) return pointer;
  const Type* type = pointer->type->elem.type;
  if (args.size() != type->params.size() || type->is_variadic) {
    const size_t count = type->params.size();
    const std::string takes = std::to_string(count) + (count == 1 ? " argument" : " arguments");
    sema.error(callee, message::kPointerArguments(describe(callee), takes, std::to_string(args.size())));
    return sema.error_expr(loc);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    args[i] = sema.convert(args[i], type->params[i]);
    if (is_error(args[i])) return args[i];
  }
  const QualType result = type->elem;
  CallPointerExpr* e = make_expr<CallPointerExpr>(sema, strip_ref(result), loc, result->is_ref());
  if (!e->is_lvalue) e->type = e->type.unqualified();
  e->length = callee->length;
  e->pointer = pointer;
  e->args = std::move(args);
  return e;
}

}  // namespace

FunctionDecl* function_of_lambda(Sema& sema, FunctionDecl* call) {
  FunctionDecl*& known = sema.known_targets[{call, {}}];
  if (known == nullptr) {
    known = copy_unread(sema, call);
    known->is_static = true;
  }
  return known;
}

FunctionDecl* known_target(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kFunction: return as<FunctionExpr>(e)->function;
    case ExprKind::kMaterialize: return known_target(as<MaterializeExpr>(e)->value);
    case ExprKind::kDeref: return known_target(as<DerefExpr>(e)->pointer);
    case ExprKind::kCast: return known_target(as<CastExpr>(e)->operand);
    case ExprKind::kVar: {
      const VarDecl* var = as<VarExpr>(e)->var;
      if (var->known_function != nullptr) return var->known_function;
      const bool is_fixed = var->is_constexpr || var->type.is_const || var->type->is_ref();
      return is_fixed && var->init != nullptr ? known_target(var->init) : nullptr;
    }
    default: return nullptr;
  }
}

FunctionDecl* constant_target(Sema& sema, const Expr* e) {
  if (FunctionDecl* f = known_target(e)) return f;
  if (is_error(e) || !strip_ref(e->type)->is_function_pointer()) return nullptr;
  ConstValue constant;
  return evaluate(sema, e, constant) ? constant.function : nullptr;
}

std::vector<Decl*> found_by_arguments(Sema& sema, Ident* name, std::span<Expr* const> args) {
  std::vector<Scope*> scopes;
  for (const Expr* e : args) add_namespaces(sema, scopes, e->type, 0);
  std::vector<Decl*> out;
  for (Scope* s : scopes) add_decls(out, sema.lookup_in(name, s));
  return out;
}

bool is_host_only(const FunctionDecl* f) {
  if (f->is_device || f->is_kernel || f->is_constexpr || f->is_library) return false;
  if (f->is_lambda_call || f->is_defaulted) return false;
  return f->class_decl == nullptr || !is_in_function(f->class_decl->outer);
}

bool check_callable(Sema& sema, FunctionDecl* f, SourceLoc loc) {
  if (f->is_kernel) {
    sema.error(loc, message::kLaunchInKernel());
  } else if (f->is_deleted) {
    sema.error(loc, message::kDeletedFunction(signature(f)));
  } else if (is_host_only(f)) {
    sema.error(loc, f->is_ctor   ? message::kHostConstructor(name_of(f))
                    : f->is_dtor ? message::kHostDestructor(f->class_decl->full_name)
                                 : message::kHostFunction(name_of(f)));
  } else {
    return true;
  }
  return false;
}

bool convert_arguments(Sema& sema, FunctionDecl*& f, std::vector<Expr*>& args, SourceLoc loc) {
  if (!sema.complete_signature(f)) {
    if (!f->failure.empty()) sema.error(loc, message::kCannotCall(name_of(f), f->failure));
    return false;
  }
  const std::vector<VarDecl*>& params = f->params;
  const size_t given = args.size();
  std::vector<FunctionDecl*> targets(params.size(), nullptr);
  bool has_targets = false;
  for (size_t i = 0; i < std::max(given, params.size()); ++i) {
    if (i >= params.size()) {
      args[i] = default_promotion(sema, args[i]);
    } else if (i < given) {
      args[i] = sema.convert(args[i], params[i]->type);
    } else {
      Expr* value = sema.default_argument(f, params[i]);
      args.push_back(is_error(value) ? value : sema.convert(value, params[i]->type));
    }
    if (is_error(args[i])) return false;
    if (i >= params.size() || !is_function_parameter(params[i]->type)) continue;
    targets[i] = f->is_virtual || may_change(f, params[i]) ? nullptr : constant_target(sema, args[i]);
    if (targets[i] == nullptr) continue;
    has_targets = true;
    args[i] = null_pointer(sema, args[i]->type, args[i]);
    if (params[i]->type->is_ref()) args[i] = materialize(sema, args[i]);
  }
  if (has_targets) f = with_targets(sema, f, targets);
  return true;
}

Expr* Sema::call_function(FunctionDecl* f, Expr* object, std::vector<Expr*> args, SourceLoc loc) {
  if (any_error(args) || (object != nullptr && is_error(object))) return error_expr(loc);
  if (!check_callable(*this, f, loc)) return error_expr(loc);
  if (f->is_method() && object == nullptr) {
    error(loc, message::kMemberWithoutObject(name_of(f)));
    return error_expr(loc);
  }
  const bool is_dynamic = f->is_method() && is_virtual(*this, f) && !is_complete_object(object);
  if (!convert_arguments(*this, f, args, loc)) return error_expr(loc);
  if (f->is_method()) args.insert(args.begin(), object_address(*this, f, object));
  Expr* e = finish_call(*this, f, std::move(args), loc);
  if (is_dynamic && e->kind == ExprKind::kCall) as<CallExpr>(e)->is_virtual = true;
  return e;
}

Expr* Sema::call(const OverloadSet& set, std::vector<Expr*> args, SourceLoc loc) {
  if (any_error(args) || (set.object != nullptr && is_error(set.object))) return error_expr(loc);
  OverloadSet full = set;
  full.candidates.clear();
  add_decls(full.candidates, set.candidates);
  const bool by_arguments = set.object == nullptr && !set.is_qualified && !has_method(full.candidates);
  if (by_arguments && set.name != nullptr)
    add_decls(full.candidates, found_by_arguments(*this, set.name, args));
  FunctionDecl* f = resolve(full, args);
  if (f == nullptr) return error_expr(loc);
  Expr* e = call_function(f, set.object, std::move(args), loc);
  if (set.is_qualified && e->kind == ExprKind::kCall) as<CallExpr>(e)->is_virtual = false;  // Base::f()
  return e;
}

Expr* Sema::call_value(Expr* callee, std::vector<Expr*> args, SourceLoc loc) {
  if (is_error(callee) || any_error(args)) return error_expr(loc);
  OverloadSet set;
  set.loc = callee->loc;
  set.length = callee->length;
  if (ClassDecl* decl = class_of(callee->type)) {
    if (!require_complete(decl->type, loc)) return error_expr(loc);
    set.name = idents.get("operator()");
    set.object = callee;
    set.candidates = lookup_in(set.name, decl->members);
    if (!set.candidates.empty()) return call(set, std::move(args), loc);
  } else if (strip_ref(callee->type)->is_function_pointer()) {
    FunctionDecl* f = constant_target(*this, callee);
    if (f == nullptr) return call_pointer(*this, callee, std::move(args), loc);
    set.name = f->name;
    set.candidates = {f};
    f = resolve(set, args);
    return f == nullptr ? error_expr(loc) : call_function(f, nullptr, std::move(args), loc);
  }
  error(callee, message::kNotFunction(describe(callee), to_string(callee->type)));
  return error_expr(loc);
}

Expr* Sema::function_ref(FunctionDecl* f, SourceLoc loc) {
  if (!complete_signature(f)) {
    if (!f->failure.empty()) error(loc, message::kCannotUse(name_of(f), f->failure));
    return error_expr(loc);
  }
  if (f->is_method()) {
    error(loc, message::kMemberPointer(name_of(f)));
    return error_expr(loc);
  }
  if (has_auto(f->result)) complete_body(f);
  std::vector<QualType> params;
  for (const VarDecl* p : f->params) params.push_back(p->type.unqualified());
  const Type* type = types.function(f->result, std::move(params), f->is_variadic);
  FunctionExpr* e = make_expr<FunctionExpr>(*this, types.pointer(type), loc);
  e->length = f->name != nullptr ? static_cast<uint32_t>(f->name->text.size()) : 1;
  e->function = f;
  return e;
}

}  // namespace quern::lang
