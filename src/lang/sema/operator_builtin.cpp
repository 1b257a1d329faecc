// The built-in binary operators and ?:, on operands that are numbers, enums or pointers.
#include "lang/sema/expression.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

bool is_number(QualType t) { return t->is_arithmetic() || (t->is_enum() && !is_scoped_enum(t)); }
bool is_integral(QualType t) { return t->is_integer() || (t->is_enum() && !is_scoped_enum(t)); }
bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEq && op <= BinaryOp::kGe; }

Expr* fail(Sema& sema, SourceLoc loc, const Operator& op, base::MessageText message) {
  sema.error(loc, static_cast<uint32_t>(op.text.size()), std::move(message));
  return sema.error_expr(loc);
}

base::MessageText types_taken(const Operator& op, const Expr* a, const Expr* b) {
  return message::kOperands(op.text, to_string(a->type.unqualified()), to_string(b->type.unqualified()));
}

// Scoped enums and void are rejected here: the advice depends on the other operand.
Expr* not_numbers(Sema& sema, const Operator& op, const Expr* a, const Expr* b, SourceLoc loc) {
  base::MessageText problem = types_taken(op, a, b);
  const Expr* e = is_scoped_enum(a->type) ? a : is_scoped_enum(b->type) ? b : nullptr;
  if (e != nullptr)
    problem = with_hint(std::move(problem), message::kCastScopedEnum(to_string(e->type.unqualified())));
  return fail(sema, loc, op, std::move(problem));
}

Expr* wants_integers(Sema& sema, const Operator& op, const Expr* a, const Expr* b, SourceLoc loc) {
  const Expr* given = is_integral(a->type) ? b : a;
  if (!is_number(a->type) || !is_number(b->type)) return not_numbers(sema, op, a, b, loc);
  base::MessageText problem = message::kOperandsNotIntegers(op.text, to_string(given->type.unqualified()));
  if (op.op == BinaryOp::kRem) {
    const bool is_double = a->type->is(TypeKind::kDouble) || b->type->is(TypeKind::kDouble);
    problem = with_hint(std::move(problem), message::kWriteRemainder(is_double ? "fmod" : "fmodf"));
  }
  return fail(sema, loc, op, std::move(problem));
}

Expr* arithmetic(Sema& sema, const Operator& op, Expr* a, Expr* b, SourceLoc loc) {
  if (!is_number(a->type) || !is_number(b->type)) return not_numbers(sema, op, a, b, loc);
  const QualType type = sema.common_arithmetic(a->type, b->type);
  return make_binary(sema, op.op, scalar_cast(sema, a, type), scalar_cast(sema, b, type), type, loc);
}

Expr* bitwise(Sema& sema, const Operator& op, Expr* a, Expr* b, SourceLoc loc) {
  if (!is_integral(a->type) || !is_integral(b->type)) return wants_integers(sema, op, a, b, loc);
  return arithmetic(sema, op, a, b, loc);
}

Expr* shift(Sema& sema, const Operator& op, Expr* a, Expr* b, SourceLoc loc) {
  if (!is_integral(a->type) || !is_integral(b->type)) return wants_integers(sema, op, a, b, loc);
  a = sema.promote(a);
  return make_binary(sema, op.op, a, sema.promote(b), a->type, loc);
}

bool can_step(Sema& sema, const Operator& op, const Expr* pointer, SourceLoc loc) {
  const QualType elem = pointer->type->elem;
  if (elem->is_void() || elem->is_function()) {
    base::MessageText problem = message::kPointerStep(op.text, to_string(pointer->type.unqualified()));
    if (elem->is_void()) problem = with_hint(std::move(problem), message::kCastToElementPointer());
    fail(sema, loc, op, std::move(problem));
    return false;
  }
  return sema.require_complete(elem, loc);
}

Expr* pointer_step(Sema& sema, const Operator& op, Expr* pointer, Expr* count, SourceLoc loc) {
  if (!is_integral(count->type)) return fail(sema, loc, op, types_taken(op, pointer, count));
  if (!can_step(sema, op, pointer, loc)) return sema.error_expr(loc);
  if (count->type->is_enum() || count->type->is_bool()) count = sema.promote(count);
  const BinaryOp step = op.op == BinaryOp::kAdd ? BinaryOp::kPtrAdd : BinaryOp::kPtrSub;
  return make_binary(sema, step, pointer, count, pointer->type, loc);
}

Expr* add_or_subtract(Sema& sema, const Operator& op, Expr* a, Expr* b, SourceLoc loc) {
  const bool left = a->type->is_pointer();
  const bool right = b->type->is_pointer();
  if (!left && !right) return arithmetic(sema, op, a, b, loc);
  if (left && !right) return pointer_step(sema, op, a, b, loc);
  if (!left) {
    if (op.op == BinaryOp::kSub) return fail(sema, loc, op, types_taken(op, a, b));
    return pointer_step(sema, op, b, a, loc);
  }
  const bool same = bare(sema, a->type->elem) == bare(sema, b->type->elem);
  if (op.op == BinaryOp::kAdd || !same) return fail(sema, loc, op, types_taken(op, a, b));
  if (!can_step(sema, op, a, loc)) return sema.error_expr(loc);
  b = scalar_cast(sema, b, a->type);
  return make_binary(sema, BinaryOp::kPtrDiff, a, b, sema.basic(TypeKind::kLong), loc);
}

// A pointer with a known target function holds nothing at run time: the result is known as well.
Expr* compare_functions(Sema& sema, const Operator& op, const Expr* a, const Expr* b, SourceLoc loc) {
  if (op.op != BinaryOp::kEq && op.op != BinaryOp::kNe) return nullptr;
  if (!a->type->is_function_pointer() && !b->type->is_function_pointer()) return nullptr;
  const FunctionDecl* f = constant_target(sema, a);
  const FunctionDecl* g = constant_target(sema, b);
  if ((f == nullptr && !is_null_constant(a)) || (g == nullptr && !is_null_constant(b))) return nullptr;
  return sema.bool_constant((f == g) == (op.op == BinaryOp::kEq), loc);
}

Expr* compare_values(Sema& sema, const Operator& op, Expr* a, Expr* b, SourceLoc loc) {
  const QualType result = sema.basic(TypeKind::kBool);
  if (is_number(a->type) && is_number(b->type)) {
    const QualType type = sema.common_arithmetic(a->type, b->type);
    return make_binary(sema, op.op, scalar_cast(sema, a, type), scalar_cast(sema, b, type), result, loc);
  }
  if (a->type->is_enum() && a->type.type == b->type.type) {
    const QualType type = underlying(sema, a->type);
    return make_binary(sema, op.op, scalar_cast(sema, a, type), scalar_cast(sema, b, type), result, loc);
  }
  if (Expr* known = compare_functions(sema, op, a, b, loc)) return known;
  if (a->type->is(TypeKind::kNullPtr) && b->type->is(TypeKind::kNullPtr)) {
    return sema.bool_constant(op.op == BinaryOp::kEq, loc);
  }
  const QualType type = composite_pointer(sema, a, b);
  if (type) {
    return make_binary(sema, op.op, scalar_cast(sema, a, type), scalar_cast(sema, b, type), result, loc);
  }
  const bool pointers = a->type->is_pointer() && b->type->is_pointer();
  if (a->type->is_pointer() || b->type->is_pointer()) {
    base::MessageText problem =
        message::kCannotCompare(to_string(a->type.unqualified()), to_string(b->type.unqualified()));
    if (pointers) problem = with_hint(std::move(problem), message::kCastOneOfThem());
    return fail(sema, loc, op, std::move(problem));
  }
  return not_numbers(sema, op, a, b, loc);
}

QualType merge_quals(QualType a, QualType b) {
  return {a.type, a.is_const || b.is_const, a.is_volatile || b.is_volatile};
}

bool has_value(const Expr* e) { return !e->type->is_void(); }

Expr* make_conditional(Sema& sema, Expr* c, Expr* a, Expr* b, QualType type, bool is_lvalue, SourceLoc loc) {
  if (is_error(a) || is_error(b)) return sema.error_expr(loc);
  ConditionalExpr* e =
      make_expr<ConditionalExpr>(sema, is_lvalue ? type : type.unqualified(), loc, is_lvalue);
  e->condition = c;
  e->then_value = a;
  e->else_value = b;
  return e;
}

// The common type of both branches, for classes: one must convert to the other's, but not vice versa.
QualType common_class(Sema& sema, Expr* a, Expr* b) {
  if (a->type.type == b->type.type) return a->type.unqualified();
  const bool to_b = static_cast<bool>(classify(sema, a, b->type.unqualified()));
  const bool to_a = static_cast<bool>(classify(sema, b, a->type.unqualified()));
  if (to_a == to_b) return {};
  return (to_a ? a : b)->type.unqualified();
}

QualType common_type(Sema& sema, Expr* a, Expr* b) {
  if (a->type->is_class() || b->type->is_class()) return common_class(sema, a, b);
  if (a->type.type == b->type.type) return a->type.unqualified();
  if (is_number(a->type) && is_number(b->type)) return sema.common_arithmetic(a->type, b->type);
  return composite_pointer(sema, a, b);
}

}  // namespace

QualType composite_pointer(Sema& sema, const Expr* a, const Expr* b) {
  const bool left = a->type->is_pointer();
  const bool right = b->type->is_pointer();
  if (left && !right) return is_null_constant(b) ? a->type.unqualified() : QualType();
  if (right && !left) return is_null_constant(a) ? b->type.unqualified() : QualType();
  if (!left || a->type.type == b->type.type) return left ? a->type.unqualified() : QualType();
  const QualType x = a->type->elem;
  const QualType y = b->type->elem;
  if (x.type == y.type) return sema.types.pointer(merge_quals(x, y));
  if (x->is_void()) return sema.types.pointer(merge_quals(x, y));
  if (y->is_void()) return sema.types.pointer(merge_quals(y, x));
  if (qualifies(x, y)) return b->type.unqualified();
  if (qualifies(y, x)) return a->type.unqualified();
  if (!x->is_class() || !y->is_class()) return {};
  if (sema.is_derived_from(x->class_decl, y->class_decl, nullptr))
    return sema.types.pointer(merge_quals(y, x));
  if (sema.is_derived_from(y->class_decl, x->class_decl, nullptr))
    return sema.types.pointer(merge_quals(x, y));
  return {};
}

Expr* builtin_binary(Sema& sema, const Operator& op, Expr* left, Expr* right, SourceLoc loc) {
  if (op.op == BinaryOp::kLogicalAnd || op.op == BinaryOp::kLogicalOr) {
    left = sema.to_bool(left);
    right = sema.to_bool(right);
    if (is_error(left) || is_error(right)) return sema.error_expr(loc);
    return make_binary(sema, op.op, left, right, sema.basic(TypeKind::kBool), loc);
  }
  if (!has_value(left) || !has_value(right)) {
    const Expr* none = has_value(left) ? right : left;
    return fail(sema, loc, op, message::kOperandVoid(op.text, describe(none)));
  }
  if (is_comparison(op.op)) return compare_values(sema, op, left, right, loc);
  switch (op.op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub: return add_or_subtract(sema, op, left, right, loc);
    case BinaryOp::kMul:
    case BinaryOp::kDiv: return arithmetic(sema, op, left, right, loc);
    case BinaryOp::kShl:
    case BinaryOp::kShr: return shift(sema, op, left, right, loc);
    default: return bitwise(sema, op, left, right, loc);
  }
}

Expr* Sema::conditional(Expr* condition, Expr* a, Expr* b, SourceLoc loc) {
  if (is_error(condition) || is_error(a) || is_error(b)) return error_expr(loc);
  condition = to_bool(condition);
  if (is_error(condition)) return error_expr(loc);
  if (!has_value(a) && !has_value(b)) {
    return make_conditional(*this, condition, a, b, basic(TypeKind::kVoid), false, loc);
  }
  if (!has_value(a) || !has_value(b)) {
    error(loc, message::kBranchWithoutValue());
    return error_expr(loc);
  }
  if (is_braced(a) || is_braced(b)) {
    error(loc, message::kBranchList());
    return error_expr(loc);
  }
  if (is_bit_field(a) && is_bit_field(b) && a->type == b->type) {  // keep their type, as compilers agree
    a = read_bits(*this, a);
    b = read_bits(*this, b);
  }
  a = is_bit_field(a) ? promote_bits(*this, a) : decay(a);
  b = is_bit_field(b) ? promote_bits(*this, b) : decay(b);
  if (a->is_lvalue && b->is_lvalue && a->type == b->type) {
    return make_conditional(*this, condition, a, b, a->type, true, loc);
  }
  const QualType type = common_type(*this, a, b);
  if (!type) {
    error(loc, message::kBranchTypes(to_string(a->type.unqualified()), to_string(b->type.unqualified())));
    return error_expr(loc);
  }
  return make_conditional(*this, condition, convert(a, type), convert(b, type), type, false, loc);
}

}  // namespace quern::lang
