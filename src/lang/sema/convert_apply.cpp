// Applies conversions: builds the nodes, or reports why there is no conversion.
#include "lang/sema/expression.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

CastKind scalar_cast_kind(Sema& sema, QualType from, QualType to, uint64_t* offset) {
  const bool from_pointer = from->is_pointer() || from->is(TypeKind::kNullPtr);
  if (to->is_bool()) return from_pointer ? CastKind::kPointerToBool : CastKind::kNumber;
  if (to->is_pointer() || to->is(TypeKind::kNullPtr)) {
    if (from->is(TypeKind::kNullPtr)) return CastKind::kNullToPointer;
    if (!from->is_pointer()) return CastKind::kIntToPointer;
    ClassDecl* a = class_of(from->elem);
    ClassDecl* b = to->is_pointer() ? class_of(to->elem) : nullptr;
    if (a != nullptr && b != nullptr && a != b && sema.is_derived_from(a, b, offset))
      return CastKind::kDerivedToBase;
    return CastKind::kPointer;
  }
  return from_pointer ? CastKind::kPointerToInt : CastKind::kNumber;
}

Expr* bind_reference(Sema& sema, Expr* e, QualType to, const Sequence& sequence) {
  const QualType target = to->elem;
  if (is_bit_field(e)) e = read_bits(sema, e);
  if (target->is_function()) return e;  // functions are only ever used through pointers
  if (is_braced(e)) return materialize(sema, sema.init_list(target, static_cast<BracedExpr*>(e)->list));
  if (sequence.rank == Rank::kUser) {
    return materialize(sema,
                       apply_user_conversion(sema, e, sequence.binds_reference ? target : to, sequence));
  }
  const bool same = bare(sema, e->type) == bare(sema, target);
  if (!same && e->type->is_class() && target->is_class())
    e = to_base(sema, e, target->class_decl);
  else if (!same && !(e->type->is_array() && target->is_array()))
    return materialize(sema, sema.convert(e, target.unqualified()));
  e = materialize(sema, e);
  return e->type == target ? e : make_cast(sema, CastKind::kQualify, e, target, true);
}

base::MessageText reference_failure(Sema& sema, const Expr* e, QualType to) {
  const QualType target = to->elem;
  if (bare(sema, e->type) != bare(sema, target)) return cannot_convert(e->type, to);
  if (is_bit_field(e)) return message::kReferenceToBitField(describe(e));
  if (to->is(TypeKind::kRRef)) return message::kReferenceNeedsTemporary(to_string(to), describe(e));
  if (!e->is_lvalue || is_xvalue(e)) return message::kReferenceNeedsVariable(to_string(to));
  return message::kBindingDrops(to_string(e->type), to_string(to),
                                e->type.is_const && !target.is_const ? "const" : "volatile");
}

void report_conversion(Sema& sema, const Expr* e, QualType to, const Sequence& sequence,
                       std::string_view what) {
  if (is_braced(e)) {
    sema.error(e, message::kCannotMakeFromList(to_string(to)));
  } else if (sequence.is_ambiguous) {
    sema.error(e, message::kConversionAmbiguous(to_string(e->type), to_string(to)));
  } else if (e->type->is_void()) {
    sema.error(e, what.empty() ? message::kNoValue(describe(e)) : message::kNoValueFor(describe(e), what));
  } else if (to->is_ref()) {
    sema.error(e, reference_failure(sema, e, to));
  } else if (!what.empty()) {
    base::MessageText problem = message::kExpectsType(what, to_string(to), to_string(e->type));
    problem.hint = cannot_convert(e->type, to).hint;
    sema.error(e, std::move(problem));
  } else {
    sema.error(e, cannot_convert(e->type, to));
  }
}

}  // namespace

base::MessageText cannot_convert(QualType from, QualType to) {
  base::MessageText problem = message::kCannotConvert(to_string(from), to_string(to));
  if (from->is_pointer() && to->is_pointer()) {
    const QualType a = from->elem;
    const QualType b = to->elem;
    if (a.type == b.type)
      return message::kConversionDrops(to_string(from), to_string(to),
                                       a.is_const && !b.is_const ? "const" : "volatile");
    if (a->is_function() || b->is_function()) return problem;
    return with_hint(std::move(problem), a->is_void() ? message::kWriteStaticCast(to_string(to))
                                                      : message::kWriteReinterpretCast(to_string(to)));
  }
  const bool number_to_enum = to->is_enum() && (from->is_arithmetic() || from->is_enum());
  if (number_to_enum || (is_scoped_enum(from) && to->is_arithmetic())) {
    return with_hint(std::move(problem), message::kWriteStaticCast(to_string(to.unqualified())));
  }
  if (from->is_pointer() && to->is_integer())
    return with_hint(std::move(problem), message::kWriteReinterpretCast("size_t"));
  return problem;
}

Expr* to_base(Sema& sema, Expr* object, ClassDecl* base) {
  uint64_t offset = 0;
  if (class_of(object->type) == base || !sema.is_derived_from(object->type->class_decl, base, &offset))
    return object;
  object = materialize(
      sema, object);  // the base of a temporary is also part of it, and may access the complete object
  const QualType type(base->type, object->type.is_const, object->type.is_volatile);
  return make_cast(sema, CastKind::kDerivedToBase, object, type, true, offset);
}

Expr* scalar_cast(Sema& sema, Expr* e, QualType to) {
  e = sema.decay(e);
  to = to.unqualified();
  if (e->type.type == to.type) return e;
  if (to->is_pointer() && is_null_constant(e) && e->kind == ExprKind::kConst)
    return null_pointer(sema, to, e);
  uint64_t offset = 0;
  const CastKind kind = scalar_cast_kind(sema, e->type, to, &offset);
  if (kind == CastKind::kNumber && e->kind == ExprKind::kConst)
    return fold_number(sema, as<ConstExpr>(e), to);
  const QualType address = sema.basic(TypeKind::kULong);
  if (kind == CastKind::kPointerToInt && to.type != address.type) {
    return scalar_cast(sema, make_cast(sema, kind, e, address), to);
  }
  if (kind == CastKind::kIntToPointer && e->type.type != address.type) e = scalar_cast(sema, e, address);
  return make_cast(sema, kind, e, to, false, offset);
}

Expr* copy_class(Sema& sema, Expr* from, QualType to) {
  ClassDecl* decl = to->class_decl;
  // A prvalue is the new object itself; a member of one is not.
  const bool is_elided = !from->is_lvalue && from->kind != ExprKind::kField;
  if (is_elided && from->type->class_decl == decl) return from;
  from = to_base(sema, from, decl);
  bool has_copy = false;
  for (const FunctionDecl* f : decl->ctors)
    has_copy = has_copy || (is_copy_constructor(f) && !f->is_defaulted);
  if (!has_copy) return from;
  OverloadSet set;
  set.candidates = constructors(sema, decl);
  set.name = decl->name;
  Expr* args[] = {from};
  const Choice choice = choose(sema, {.set = &set, .args = args});
  if (choice.function == nullptr || choice.function->is_defaulted) return from;
  return construct(sema, choice.function, decl->type, {from}, from->loc);
}

Expr* Sema::convert(Expr* expr, QualType to, std::string_view what) {
  if (is_error(expr) || !to || to->is_error()) return error_expr(expr == nullptr ? SourceLoc{} : expr->loc);
  if (to->is(TypeKind::kAuto) && !is_braced(expr)) return decay(expr);
  if (expr->type.type == to.type && to->is_scalar()) return expr;  // by far the most frequent case
  const Sequence sequence = classify(*this, expr, to);
  if (!sequence || sequence.is_ambiguous) {
    report_conversion(*this, expr, to, sequence, what);
    return error_expr(expr->loc);
  }
  if (to->is_ref()) return bind_reference(*this, expr, to, sequence);
  if (is_braced(expr)) return init_list(to, static_cast<BracedExpr*>(expr)->list);
  if (sequence.rank == Rank::kUser) return apply_user_conversion(*this, expr, to, sequence);
  if (to->is_class()) return copy_class(*this, expr, to);
  if (to->is_array() || to->is_void()) return expr;
  return scalar_cast(*this, expr, to);
}

Expr* Sema::to_bool(Expr* expr) {
  if (is_error(expr)) return expr;
  const QualType type = basic(TypeKind::kBool);
  if (expr->type->is_class()) {
    const Sequence sequence = user_conversion(*this, expr, type, true);
    if (sequence && !sequence.is_ambiguous) return apply_user_conversion(*this, expr, type, sequence);
  } else {
    Expr* value = decay(expr);
    const bool fits = value->type->is_scalar() && !is_scoped_enum(value->type);
    if (fits && value->type->is(TypeKind::kNullPtr)) return bool_constant(false, expr->loc);
    if (fits && value->type->is_function_pointer() && known_target(value) != nullptr)
      return bool_constant(true, expr->loc);
    if (fits) return scalar_cast(*this, value, type);
  }
  error(expr, expr->type->is_void() ? message::kConditionVoid(describe(expr))
                                    : message::kConditionType(to_string(expr->type)));
  return error_expr(expr->loc);
}

Expr* read_bits(Sema& sema, Expr* e) { return make_cast(sema, CastKind::kNumber, e, e->type.unqualified()); }

// A bit-field whose values fit into an int becomes an int, otherwise it is promoted like its type.
Expr* promote_bits(Sema& sema, Expr* e) {
  constexpr int kIntBits = 32;
  const QualType type = underlying(sema, e->type);
  const int width = as<FieldExpr>(e)->field->bit_width;
  const bool is_int = width < kIntBits || (width == kIntBits && type->is_signed_integer());
  if (e->type->is_enum() || type->is_bool() || !is_int) return read_bits(sema, e);
  return scalar_cast(sema, read_bits(sema, e), sema.basic(TypeKind::kInt));
}

Expr* Sema::promote(Expr* expr) {
  if (is_error(expr)) return expr;
  Expr* value = scalar_operand(*this, expr);
  if (value == nullptr) return expr;
  const QualType t = value->type;
  if (is_scoped_enum(t) || !(t->is_integer() || t->is_enum())) return value;
  return scalar_cast(*this, value, common_arithmetic(t, t));
}

}  // namespace quern::lang
