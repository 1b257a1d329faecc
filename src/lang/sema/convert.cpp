// Which implicit conversions exist, and their ranks. Builds no nodes and reports no errors.
#include <algorithm>

#include "lang/sema/expression.hpp"

namespace quern::lang {

namespace {

Sequence exact() {
  Sequence s;
  s.rank = Rank::kExact;
  return s;
}

Sequence ranked(Rank rank) {
  Sequence s;
  s.rank = rank;
  return s;
}

int count_quals(QualType t) {
  while (t->is_array()) t = t->elem;
  return (t.is_const ? 1 : 0) + (t.is_volatile ? 1 : 0);
}

// Whether `to` has all qualifiers of `from`, including those of array elements.
bool has_quals_of(QualType to, QualType from) {
  while (to->is_array() && from->is_array()) {
    to = {to->elem.type, to.is_const || to->elem.is_const, to.is_volatile || to->elem.is_volatile};
    from = {from->elem.type, from.is_const || from->elem.is_const,
            from.is_volatile || from->elem.is_volatile};
  }
  return (!from.is_const || to.is_const) && (!from.is_volatile || to.is_volatile);
}

bool is_promotion(const Type* from, const Type* to) {
  using enum TypeKind;
  if (to->kind == kDouble) return from->kind == kFloat;
  if (to->kind == kFloat)
    return from->kind == kHalf || from->kind == kBFloat;  // so that sqrt(half) selects the float overload
  return to->kind == kInt && from->is_integer() && integer_rank(from) < integer_rank(to);
}

Sequence arithmetic(Sema& sema, QualType from, QualType to) {
  if (from.type == to.type) return exact();
  if (to->is_enum() || is_scoped_enum(from)) return {};
  if (from->is_enum()) {
    const QualType below = underlying(sema, from);
    const bool promotes = to.type == below.type || to.type == sema.common_arithmetic(below, below).type;
    return ranked(promotes ? Rank::kPromotion : Rank::kConversion);
  }
  Sequence s = ranked(is_promotion(from.type, to.type) ? Rank::kPromotion : Rank::kConversion);
  s.to_small_float = to->is(TypeKind::kHalf) || to->is(TypeKind::kBFloat);
  return s;
}

Sequence pointers(Sema& sema, QualType from, QualType to) {
  const QualType a = from->elem;
  const QualType b = to->elem;
  if (a == b) return exact();
  if (qualifies(a, b)) {
    Sequence s = ranked(Rank::kQualify);
    s.quals = count_quals(b);
    return s;
  }
  if (a->is_function() || b->is_function() || !has_quals_of(b, a)) return {};
  Sequence s = ranked(Rank::kConversion);
  s.quals = count_quals(b);
  if (b->is_void()) {
    s.to_void_pointer = true;
    return s;
  }
  if (!a->is_class() || !b->is_class()) return {};
  s.distance = base_distance(sema, a->class_decl, b->class_decl);
  return s.distance > 0 ? s : Sequence{};
}

Sequence scalars(Sema& sema, const Expr* e, QualType from, QualType to) {
  const bool from_number = from->is_arithmetic() || from->is_enum();
  if (from_number && (to->is_arithmetic() || to->is_enum())) return arithmetic(sema, from, to);
  if (from->is(TypeKind::kNullPtr)) {
    if (to->is(TypeKind::kNullPtr)) return exact();
    return ranked(to->is_pointer() ? Rank::kConversion : Rank::kNone);
  }
  if (to->is_pointer()) {
    if (from->is_pointer()) return pointers(sema, from, to);
    return ranked(is_null_constant(e) ? Rank::kConversion : Rank::kNone);
  }
  if (to->is(TypeKind::kNullPtr)) return ranked(is_null_constant(e) ? Rank::kConversion : Rank::kNone);
  if (from->is_pointer() && to->is_bool()) {
    Sequence s = ranked(Rank::kConversion);
    s.pointer_to_bool = true;
    return s;
  }
  return {};
}

size_t nesting(const Sema::BracedInit& list) {
  size_t deepest = 0;
  for (const Sema::BracedInit::Item& item : list.items) {
    if (item.list != nullptr) deepest = std::max(deepest, nesting(*item.list));
  }
  return deepest + 1;
}

Sequence braced(Sema& sema, Expr* from, QualType to) {
  static constexpr size_t kMostNesting = 6;  // each level may try every constructor of the next
  const BracedExpr* e = static_cast<BracedExpr*>(from);
  if (nesting(e->list) > kMostNesting) return {};
  if (to->is_ref()) {
    if (to->is(TypeKind::kLRef) && !is_const_object(to->elem)) return {};
    to = to->elem;
  }
  std::vector<Expr*> args;
  for (const Sema::BracedInit::Item& item : e->list.items) {
    args.push_back(item.list != nullptr ? sema.braced_expr(*item.list) : item.expr);
  }
  if (to->is_scalar()) {
    if (args.empty()) return exact();
    return args.size() == 1 && !is_braced(args[0]) ? classify(sema, args[0], to) : Sequence{};
  }
  if (to->is_array()) return ranked(Rank::kUser);
  const ClassDecl* c = class_of(to);
  if (c == nullptr || !can_construct(sema, to, args)) return {};
  return ranked(Rank::kUser);
}

// By value: lvalues are loaded, arrays decay.
Sequence by_value(Sema& sema, Expr* e, QualType to, bool allow_user) {
  const QualType from = e->type;
  if (to->is_void()) return from->is_void() ? exact() : Sequence{};
  if (from->is_void()) return {};
  if (from->is_class() && to->is_class()) {
    const int distance = base_distance(sema, from->class_decl, to->class_decl);
    if (distance == 0) return exact();
    if (distance > 0) {
      Sequence s = ranked(Rank::kConversion);
      s.distance = distance;
      return s;
    }
  }
  if (from->is_class() || to->is_class())
    return allow_user ? user_conversion(sema, e, to, false) : Sequence{};
  if (to->is_array()) return bare(sema, from) == bare(sema, to) ? exact() : Sequence{};
  if (from->is_array()) return scalars(sema, e, sema.types.pointer(from->elem), to);
  return scalars(sema, e, from, to);
}

// Steps from the expression's type up to the referenced type; -1: not related.
int reference_distance(Sema& sema, QualType from, QualType to) {
  if (bare(sema, from) == bare(sema, to)) return 0;
  if (from->is_class() && to->is_class()) return base_distance(sema, from->class_decl, to->class_decl);
  if (from->is_array() && to->is_array() && to->is_unsized && bare(sema, from->elem) == bare(sema, to->elem))
    return 0;
  return -1;
}

Sequence by_reference(Sema& sema, Expr* e, QualType to, bool allow_user) {
  const QualType target = to->elem;
  const bool rvalue_ref = to->is(TypeKind::kRRef);
  const bool is_rvalue = !e->is_lvalue || is_xvalue(e);
  const bool takes_temporary = rvalue_ref || (is_const_object(target) && !target.is_volatile);
  if (target->is_function()) {
    return e->type->is_function_pointer() && e->type->elem.type == target.type ? exact() : Sequence{};
  }
  const int distance = is_bit_field(e) ? -1 : reference_distance(sema, e->type, target);
  if (distance < 0) {
    if (!takes_temporary) {  // operator T&()
      return allow_user && e->type->is_class() ? user_conversion(sema, e, to, false) : Sequence{};
    }
    Sequence s = by_value(sema, e, target.unqualified(), allow_user);
    s.binds_reference = true;
    s.binds_rvalue_ref = rvalue_ref;
    s.from_rvalue = true;
    s.quals = count_quals(target);
    return s;
  }
  if (!has_quals_of(target, e->type) || (rvalue_ref && !is_rvalue) || (is_rvalue && !takes_temporary))
    return {};
  Sequence s = ranked(distance > 0 ? Rank::kConversion : Rank::kExact);
  s.binds_reference = true;
  s.binds_rvalue_ref = rvalue_ref;
  s.from_rvalue = is_rvalue;
  s.distance = distance;
  s.quals = count_quals(target);
  return s;
}

int compare_quals(const Sequence& a, const Sequence& b) {
  if (a.binds_reference != b.binds_reference || a.quals == b.quals) return 0;
  return a.quals < b.quals ? 1 : -1;
}

template <typename T>
int prefer_less(T a, T b) {
  return a == b ? 0 : a < b ? 1 : -1;
}

}  // namespace

QualType add_quals(Sema& sema, QualType type, bool is_const, bool is_volatile) {
  if (!is_const && !is_volatile) return type;
  if (!type->is_array()) return {type.type, type.is_const || is_const, type.is_volatile || is_volatile};
  const QualType elem = add_quals(sema, type->elem, is_const, is_volatile);
  return type->is_unsized ? sema.types.unsized_array(elem) : sema.types.array(elem, type->count);
}

QualType bare(Sema& sema, QualType type) {
  if (!type->is_array()) return type.unqualified();
  const QualType elem = bare(sema, type->elem);
  if (elem == type->elem) return type.unqualified();
  return type->is_unsized ? sema.types.unsized_array(elem) : sema.types.array(elem, type->count);
}

bool is_const_object(QualType type) {
  while (!type.is_const && type->is_array()) type = type->elem;
  return type.is_const;
}

ClassDecl* class_of(QualType type) { return type && type->is_class() ? type->class_decl : nullptr; }

QualType underlying(Sema& sema, QualType type) {
  if (!type->is_enum()) return type.unqualified();
  sema.complete_enum(type->enum_decl);
  const QualType below = type->enum_decl->underlying;
  return below ? below.unqualified() : sema.basic(TypeKind::kInt);
}

bool is_null_constant(const Expr* e) {
  if (e->type->is(TypeKind::kNullPtr)) return true;
  if (e->kind != ExprKind::kConst || !e->type->is_integer() || e->type->is_bool()) return false;
  return as<ConstExpr>(e)->bits == 0;
}

// The tree has no xvalues. They come from calls that return T&&, from casts to T&& (a kQualify that changes
// nothing, which const_cast never makes) and from temporaries.
bool is_xvalue(const Expr* e) {
  if (!e->is_lvalue) return false;
  switch (e->kind) {
    case ExprKind::kMaterialize: return true;
    case ExprKind::kCall: return as<CallExpr>(e)->function->result->is(TypeKind::kRRef);
    case ExprKind::kCast: {
      const CastExpr* cast = as<CastExpr>(e);
      if (cast->cast == CastKind::kQualify && cast->operand->type == e->type) return true;
      return cast->cast == CastKind::kDerivedToBase && is_xvalue(cast->operand);
    }
    case ExprKind::kField:
      return !as<FieldExpr>(e)->field->type->is_ref() && is_xvalue(as<FieldExpr>(e)->object);
    default: return false;
  }
}

QualType type_with_category(Sema& sema, const Expr* e) {
  if (!e->is_lvalue || e->type->is_error()) return e->type;
  return is_xvalue(e) ? sema.types.rref(e->type) : sema.types.lref(e->type);
}

bool Sema::is_derived_from(ClassDecl* derived, ClassDecl* base, uint64_t* offset) {
  if (derived == base) {
    if (offset != nullptr) *offset = 0;
    return true;
  }
  if (derived->state != Lazy::kDone && (!derived->is_defined || !complete_class(derived))) return false;
  for (const BaseClass& b : derived->bases) {
    uint64_t inner = 0;
    if (b.decl == nullptr || !is_derived_from(b.decl, base, &inner)) continue;
    if (offset != nullptr) *offset = b.offset + inner;
    return true;
  }
  return false;
}

int base_distance(Sema& sema, ClassDecl* derived, ClassDecl* base) {
  if (derived == base) return 0;
  if (derived->state != Lazy::kDone && (!derived->is_defined || !sema.complete_class(derived))) return -1;
  for (const BaseClass& b : derived->bases) {
    if (b.decl == nullptr) continue;
    const int inner = base_distance(sema, b.decl, base);
    if (inner >= 0) return inner + 1;
  }
  return -1;
}

namespace {

bool qualifies_below(QualType from, QualType to, bool outer_const) {
  if ((from.is_const && !to.is_const) || (from.is_volatile && !to.is_volatile)) return false;
  if (!outer_const && (from.is_const != to.is_const || from.is_volatile != to.is_volatile)) return false;
  if (from.type == to.type) return true;
  if (from->is_pointer() && to->is_pointer())
    return qualifies_below(from->elem, to->elem, outer_const && to.is_const);
  if (from->is_array() && to->is_array() && (from->count == to->count || to->is_unsized)) {
    return qualifies_below(from->elem, to->elem, outer_const);
  }
  return false;
}

}  // namespace

bool qualifies(QualType from, QualType to) { return qualifies_below(from, to, true); }

Sequence classify(Sema& sema, Expr* from, QualType to, bool allow_user) {
  if (is_error(from) || !to || to->is_error()) return exact();
  if (is_braced(from)) return allow_user ? braced(sema, from, to) : Sequence{};
  if (to->is(TypeKind::kAuto)) return exact();
  if (to->is_ref()) return by_reference(sema, from, to, allow_user);
  return by_value(sema, from, to, allow_user);
}

Sequence classify_object(Sema& sema, const Expr* object, const FunctionDecl* method) {
  ClassDecl* from = class_of(object->type);
  if (from == nullptr) return {};
  const int distance = base_distance(sema, from, method->class_decl);
  // The call operator of a lambda may modify its copies of captured variables only if `mutable`; nothing that
  // we accept depends on it.
  const bool drops_const = object->type.is_const && !method->is_const && !method->is_lambda_call;
  const bool is_rvalue = !object->is_lvalue || is_xvalue(object);
  const bool wrong_kind = is_rvalue ? method->for_lvalues && !method->is_const : method->for_rvalues;
  if (distance < 0 || drops_const || wrong_kind) return {};
  Sequence s = ranked(distance > 0 ? Rank::kConversion : Rank::kExact);
  s.binds_reference = true;
  s.from_rvalue = is_rvalue;
  s.binds_rvalue_ref = method->for_rvalues;
  s.distance = distance;
  s.quals = method->is_const ? 1 : 0;
  return s;
}

int compare(const Sequence& a, const Sequence& b) {
  if (a.is_ignored || b.is_ignored) return 0;
  if (a.rank != b.rank) return a.rank < b.rank ? 1 : -1;
  if (a.rank == Rank::kUser) {
    if (a.via != b.via || a.via == nullptr || a.is_ambiguous || b.is_ambiguous) return 0;
    if (a.inner != b.inner) return a.inner < b.inner ? 1 : -1;
  }
  if (a.pointer_to_bool != b.pointer_to_bool) return a.pointer_to_bool ? -1 : 1;
  if (a.to_void_pointer != b.to_void_pointer) return a.to_void_pointer ? -1 : 1;
  if (a.to_small_float != b.to_small_float) return a.to_small_float ? -1 : 1;
  if (a.distance != b.distance) return prefer_less(a.distance, b.distance);
  if (a.binds_reference && b.binds_reference && a.binds_rvalue_ref != b.binds_rvalue_ref && a.from_rvalue) {
    return a.binds_rvalue_ref ? 1 : -1;
  }
  return compare_quals(a, b);
}

Rank Sema::conversion_rank(Expr* expr, QualType to) { return classify(*this, expr, to).rank; }

Expr* Sema::decay(Expr* expr) {
  if (is_error(expr) || !expr->type->is_array()) return expr;
  return make_cast(*this, CastKind::kArrayToPointer, materialize(*this, expr),
                   types.pointer(expr->type->elem));
}

QualType Sema::common_arithmetic(QualType a, QualType b) {
  using enum TypeKind;
  a = underlying(*this, a);
  b = underlying(*this, b);
  if (a->is_floating() || b->is_floating()) {
    if (a->kind == kDouble || b->kind == kDouble) return basic(kDouble);
    if (a->kind == kFloat || b->kind == kFloat) return basic(kFloat);
    if (!a->is_floating() || a.type == b.type) return b;
    return b->is_floating() ? basic(kFloat) : a;  // half with bfloat16: neither type includes the other
  }
  const QualType int_type = basic(kInt);
  if (integer_rank(a.type) < integer_rank(int_type.type)) a = int_type;
  if (integer_rank(b.type) < integer_rank(int_type.type)) b = int_type;
  if (a.type == b.type) return a;
  if (a->is_signed_integer() == b->is_signed_integer())
    return integer_rank(a.type) < integer_rank(b.type) ? b : a;
  const QualType s = a->is_signed_integer() ? a : b;
  const QualType u = a->is_signed_integer() ? b : a;
  if (integer_rank(u.type) >= integer_rank(s.type)) return u;
  if (integer_bits(s.type) > integer_bits(u.type)) return s;
  return basic(s->kind == kLong ? kULong : kULongLong);
}

}  // namespace quern::lang
