// Explicit casts.
#include "lang/sema/expression.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

bool is_number(QualType t) { return t->is_arithmetic() || t->is_enum(); }

bool drops_quals(QualType from, QualType to) {
  return (from.is_const && !to.is_const) || (from.is_volatile && !to.is_volatile);
}

Expr* refuse(Sema& sema, const Expr* e, QualType to, std::string_view which,
             const base::Message<3>& message = message::kCast, base::MessageText hint = {}) {
  base::MessageText problem = message(which, to_string(e->type.unqualified()), to_string(to));
  sema.error(e, hint.text.empty() ? std::move(problem) : with_hint(std::move(problem), std::move(hint)));
  return sema.error_expr(e->loc);
}

// Two classes that are not convertible to each other.
bool are_strangers(Sema& sema, Expr* e, QualType to) {
  if (!e->type->is_class() || !to->is_class() || !sema.require_complete(to, e->loc)) return false;
  if (base_distance(sema, e->type->class_decl, to->class_decl) >= 0) return false;
  if (user_conversion(sema, e, to, true)) return false;
  const ClassDecl* c = to->class_decl;
  Expr* args[] = {e};
  if (!constructors(sema, to->class_decl).empty()) return !can_construct(sema, to, args);
  return c->fields.empty() || !classify(sema, e, c->fields[0]->type);
}

// static_cast from a base to a derived class, of an lvalue or a pointer; nullptr: they are not related that
// way.
Expr* down(Sema& sema, Expr* e, QualType from, QualType to, QualType type, bool is_lvalue) {
  uint64_t offset = 0;
  ClassDecl* base = class_of(from);
  ClassDecl* derived = class_of(to);
  if (base == nullptr || derived == nullptr || base == derived) return nullptr;
  if (!sema.is_derived_from(derived, base, &offset)) return nullptr;
  return make_cast(sema, CastKind::kBaseToDerived, e, type, is_lvalue, offset);
}

Expr* as_xvalue(Sema& sema, Expr* e) {
  return is_xvalue(e) ? e : make_cast(sema, CastKind::kQualify, e, e->type, true);
}

// To a reference to the same class or a related one; nullptr: only reinterpretation is left.
Expr* related_reference(Sema& sema, Expr* e, QualType to) {
  const QualType target = to->elem;
  const bool same = bare(sema, e->type) == bare(sema, target);
  if (!e->is_lvalue && to->is(TypeKind::kLRef) && !target.is_const) return nullptr;
  Expr* object = nullptr;
  if (same)
    object = materialize(sema, e);
  else if (e->type->is_class() && target->is_class()) {
    if (base_distance(sema, e->type->class_decl, target->class_decl) > 0) {
      object = materialize(sema, to_base(sema, e, target->class_decl));
    } else {
      const QualType type(target.type, e->type.is_const, e->type.is_volatile);
      object = down(sema, materialize(sema, e), e->type, target, type, true);
    }
  }
  if (object == nullptr) return nullptr;
  if (object->type != target) object = make_cast(sema, CastKind::kQualify, object, target, true);
  return to->is(TypeKind::kRRef) ? as_xvalue(sema, object) : object;
}

Expr* reinterpret_reference(Sema& sema, Expr* e, QualType to, std::string_view which) {
  if (!e->is_lvalue) return refuse(sema, e, to, which, message::kCastTemporary);
  return make_cast(sema, CastKind::kReinterpret, e, to->elem, true);
}

Expr* static_pointer(Sema& sema, Expr* e, QualType to) {
  const QualType from = e->type;
  if (drops_quals(from->elem, to->elem)) {
    return refuse(sema, e, to, "static_cast",
                  from->elem.is_const ? message::kCastDropsConst : message::kCastDropsVolatile);
  }
  if (from->elem->is_void()) return scalar_cast(sema, e, to);
  if (Expr* cast = down(sema, e, from->elem, to->elem, to, false)) return cast;
  return refuse(sema, e, to, "static_cast", message::kCast, message::kUseReinterpretCast());
}

Expr* static_cast_to(Sema& sema, QualType to, Expr* e, SourceLoc loc) {
  if (to->is_ref()) {
    Expr* cast = e->type->is_class() && !to->elem->is_class() ? nullptr : related_reference(sema, e, to);
    return cast != nullptr ? cast : sema.convert(e, to);
  }
  if (are_strangers(sema, e, to)) return refuse(sema, e, to, "static_cast", message::kCastUnrelated);
  if (to->is_class()) return sema.init_direct(to, {e}, loc);
  if (e->type->is_class()) return sema.init_direct(to, {e}, loc);
  Expr* value = sema.decay(e);
  if (is_number(value->type) && is_number(to)) return scalar_cast(sema, value, to);
  if (classify(sema, value, to)) return sema.convert(value, to);
  if (value->type->is_pointer() && to->is_pointer()) return static_pointer(sema, value, to);
  const bool is_address =
      (value->type->is_pointer() && to->is_integer()) || (value->type->is_integer() && to->is_pointer());
  return refuse(sema, value, to, "static_cast", message::kCast,
                is_address ? message::kUseReinterpretCast() : base::MessageText());
}

// Pointers as other pointers or integers; nullptr: not possible.
Expr* reinterpreted(Sema& sema, Expr* e, QualType to) {
  const QualType from = e->type;
  if (from.type == to.type) return e;
  if (from->is_pointer() && to->is_pointer()) return make_cast(sema, CastKind::kPointer, e, to);
  const bool from_integer = from->is_integer() || from->is_enum();
  const bool to_integer = to->is_integer() && !to->is_bool();
  if (from->is_pointer() && to_integer) return scalar_cast(sema, e, to);
  if (from->is(TypeKind::kNullPtr) && to_integer) return sema.int_constant(to, 0, e->loc);
  if (from_integer && to->is_pointer()) return scalar_cast(sema, e, to);
  return nullptr;
}

Expr* reinterpret_cast_to(Sema& sema, QualType to, Expr* e) {
  if (to->is_ref()) {
    if (drops_quals(e->type, to->elem))
      return refuse(sema, e, to, "reinterpret_cast", message::kCastDropsConst);
    if (e->is_lvalue && e->type == to->elem) return e;
    return reinterpret_reference(sema, e, to, "reinterpret_cast");
  }
  Expr* value = sema.decay(e);
  const bool pointers = value->type->is_pointer() && to->is_pointer();
  if (pointers && drops_quals(value->type->elem, to->elem)) {
    return refuse(sema, value, to, "reinterpret_cast",
                  value->type->elem.is_const ? message::kCastDropsConst : message::kCastDropsVolatile);
  }
  if (value->type->is_pointer() && to->is_integer() && size_of(to) < size_of(value->type)) {
    return refuse(sema, value, to, "reinterpret_cast", message::kCastTooFewBits);
  }
  if (Expr* cast = reinterpreted(sema, value, to)) return cast;
  const bool numbers = is_number(value->type) && is_number(to);
  return refuse(sema, value, to, "reinterpret_cast", message::kCast,
                numbers ? message::kUseStaticCastOrBits() : base::MessageText());
}

Expr* const_cast_to(Sema& sema, QualType to, Expr* e) {
  if (to->is_ref()) {
    if (!e->is_lvalue || bare(sema, e->type) != bare(sema, to->elem))
      return refuse(sema, e, to, "const_cast");
    return e->type == to->elem ? e : make_cast(sema, CastKind::kQualify, e, to->elem, true);
  }
  Expr* value = sema.decay(e);
  QualType a = value->type;
  QualType b = to;
  while (a->is_pointer() && b->is_pointer()) {
    a = a->elem;
    b = b->elem;
  }
  if (!value->type->is_pointer() || bare(sema, a) != bare(sema, b))
    return refuse(sema, value, to, "const_cast");
  return value->type.type == to.type ? value : make_cast(sema, CastKind::kPointer, value, to);
}

Expr* to_void(Sema& sema, Expr* e) {
  return make_cast(sema, CastKind::kToVoid, e, sema.basic(TypeKind::kVoid));
}

// (T*)p: adjusts between base and derived, otherwise reinterprets.
Expr* c_style_pointer(Sema& sema, Expr* e, QualType to) {
  const QualType from = e->type->elem;
  ClassDecl* a = class_of(from);
  ClassDecl* b = class_of(to->elem);
  if (a != nullptr && b != nullptr && a != b) {
    if (Expr* cast = down(sema, e, from, to->elem, to, false)) return cast;
    return scalar_cast(sema, e, to);  // up, or a plain reinterpretation
  }
  return reinterpreted(sema, e, to);
}

}  // namespace

Expr* Sema::c_style_cast(QualType to, Expr* expr, SourceLoc loc) {
  if (is_error(expr) || !to || to->is_error()) return error_expr(loc);
  if (is_braced(expr)) return convert(expr, to);
  if (to->is_void()) return to_void(*this, expr);
  if (to->is_ref()) {
    Expr* cast = related_reference(*this, expr, to);
    if (cast != nullptr) return cast;
    const bool converts = static_cast<bool>(classify(*this, expr, to));
    return converts ? convert(expr, to) : reinterpret_reference(*this, expr, to, "a cast");
  }
  if (are_strangers(*this, expr, to)) return refuse(*this, expr, to, "a cast", message::kCastUnrelated);
  if (to->is_class() || expr->type->is_class()) return init_direct(to.unqualified(), {expr}, loc);
  Expr* value = decay(expr);
  if (value->type->is_pointer() && to->is_pointer()) return c_style_pointer(*this, value, to);
  if (to->is_scalar() && classify(*this, value, to)) return scalar_cast(*this, value, to);
  if (is_number(value->type) && is_number(to)) return scalar_cast(*this, value, to);
  if (Expr* cast = to->is_scalar() ? reinterpreted(*this, value, to) : nullptr) return cast;
  return refuse(*this, value, to, "a cast");
}

Expr* Sema::named_cast(Tok which, QualType to, Expr* expr, SourceLoc loc) {
  if (is_error(expr) || !to || to->is_error()) return error_expr(loc);
  if (is_braced(expr)) return convert(expr, to);
  if (which == Tok::kw_static_cast) {
    return to->is_void() ? to_void(*this, expr) : static_cast_to(*this, to, expr, loc);
  }
  if (which == Tok::kw_reinterpret_cast) return reinterpret_cast_to(*this, to, expr);
  if (which == Tok::kw_const_cast) return const_cast_to(*this, to, expr);
  error(loc, message::kDynamicCastUnsupported());
  return error_expr(loc);
}

Expr* Sema::functional_cast(QualType to, std::vector<Expr*> args, SourceLoc loc) {
  if (!to || to->is_error() || any_error(args)) return error_expr(loc);
  if (to->is_class()) return init_direct(to.unqualified(), std::move(args), loc);
  if (args.size() == 1) return c_style_cast(to, args[0], loc);
  if (args.empty() && !to->is_ref()) return init_value(to, loc);
  error(loc, message::kCastValueCount(to_string(to), std::to_string(args.size())));
  return error_expr(loc);
}

}  // namespace quern::lang
