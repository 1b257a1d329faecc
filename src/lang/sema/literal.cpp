// Constants, and the small nodes that every part of the expression code builds.
#include <cmath>
#include <limits>

#include "lang/ir/float_bits.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages_expression.hpp"

namespace quern::lang {

namespace {

double round_to(const Type* type, double value) {
  switch (type->kind) {
    case TypeKind::kHalf: return ir::f16_to_f64(ir::f64_to_f16(value));
    case TypeKind::kBFloat: return ir::bf16_to_f64(ir::f64_to_bf16(value));
    case TypeKind::kFloat: return static_cast<double>(ir::f64_to_f32(value, ir::Rounding::kNearest));
    default: return value;
  }
}

// As ir convert: truncates, saturates, NaN is 0.
uint64_t float_to_integer(const Type* type, double value) {
  if (std::isnan(value)) return 0;
  const uint32_t bits = integer_bits(type);
  if (type->is_signed_integer()) {
    const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
    const int64_t largest = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    if (value >= limit) return static_cast<uint64_t>(largest);
    if (value < -limit) return static_cast<uint64_t>(-largest - 1);
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1.0, static_cast<int>(bits))) return ~uint64_t{0} >> (64 - bits);
  return static_cast<uint64_t>(value);
}

double integer_to_double(const Type* type, uint64_t bits) {
  return type->is_signed_integer() ? static_cast<double>(static_cast<int64_t>(bits))
                                   : static_cast<double>(bits);
}

// Integers beyond 2^53 must not be rounded twice when converted to float.
double integer_to_float(const Type* from, uint64_t bits, const Type* to) {
  if (to->kind != TypeKind::kFloat) return round_to(to, integer_to_double(from, bits));
  const float f =
      from->is_signed_integer() ? static_cast<float>(static_cast<int64_t>(bits)) : static_cast<float>(bits);
  return static_cast<double>(f);
}

}  // namespace

uint64_t extend_bits(const Type* type, uint64_t bits) {
  if (type->is_bool()) return bits != 0 ? 1 : 0;
  const uint32_t width = integer_bits(type);
  if (width == 0 || width >= 64) return bits;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  bits &= mask;
  const bool negative = type->is_signed_integer() && ((bits >> (width - 1)) & 1) != 0;
  return negative ? bits | ~mask : bits;
}

Expr* Sema::int_constant(QualType type, uint64_t bits, SourceLoc loc) {
  ConstExpr* e = make_expr<ConstExpr>(*this, type.unqualified(), loc);
  const QualType integer = underlying(*this, type);
  e->bits = integer->is_integer() ? extend_bits(integer.type, bits) : bits;
  return e;
}

Expr* Sema::float_constant(QualType type, double value, SourceLoc loc) {
  ConstExpr* e = make_expr<ConstExpr>(*this, type.unqualified(), loc);
  e->number = round_to(type.type, value);
  return e;
}

Expr* Sema::bool_constant(bool value, SourceLoc loc) {
  ConstExpr* e = make_expr<ConstExpr>(*this, basic(TypeKind::kBool), loc);
  e->bits = value ? 1 : 0;
  return e;
}

std::optional<int64_t> Sema::constant_integer(Expr* expr, bool report) {
  if (is_error(expr)) return std::nullopt;
  Expr* value = scalar_operand(*this, expr);
  const bool is_integral = value != nullptr && (value->type->is_integer() || value->type->is_enum());
  if (!is_integral) {
    if (report) error(expr, message::kConstantNotInteger(to_string(expr->type)));
    return std::nullopt;
  }
  if (value->kind == ExprKind::kConst) return static_cast<int64_t>(as<ConstExpr>(value)->bits);
  ConstValue result;
  std::string why;
  if (evaluate(*this, value, result, &why)) return static_cast<int64_t>(result.bits);
  if (report) error(expr, why.empty() ? message::kConstantExpected() : message::kConstantExpectedBut(why));
  return std::nullopt;
}

bool any_error(std::span<Expr* const> args) {
  for (const Expr* e : args) {
    if (is_error(e)) return true;
  }
  return false;
}

Expr* make_cast(Sema& sema, CastKind kind, Expr* operand, QualType type, bool is_lvalue, uint64_t offset) {
  CastExpr* e = make_expr_at<CastExpr>(sema, is_lvalue ? type : type.unqualified(), operand, is_lvalue);
  e->cast = kind;
  e->operand = operand;
  e->offset = offset;
  return e;
}

Expr* make_binary(Sema& sema, BinaryOp op, Expr* left, Expr* right, QualType type, SourceLoc loc) {
  BinaryExpr* e = make_expr<BinaryExpr>(sema, type.unqualified(), loc);
  e->op = op;
  e->left = left;
  e->right = right;
  return e;
}

Expr* make_intrinsic(Sema& sema, ir::Op op, QualType type, std::vector<Expr*> args, SourceLoc loc) {
  IntrinsicExpr* e = make_expr<IntrinsicExpr>(sema, type.unqualified(), loc);
  e->op = op;
  e->args = std::move(args);
  return e;
}

Expr* null_pointer(Sema& sema, QualType type, const Expr* at) {
  return make_expr_at<ConstExpr>(sema, type.unqualified(), at);
}

Expr* materialize(Sema& sema, Expr* value) {
  if (value->is_lvalue) return value;
  MaterializeExpr* e = make_expr_at<MaterializeExpr>(sema, value->type, value, true);
  e->value = value;
  return e;
}

Expr* address_of(Sema& sema, Expr* object) {
  object = materialize(sema, object);
  if (object->kind == ExprKind::kDeref) return as<DerefExpr>(object)->pointer;  // &*p
  AddressExpr* e = make_expr_at<AddressExpr>(sema, sema.types.pointer(object->type), object);
  e->object = object;
  return e;
}

Expr* deref(Sema& sema, Expr* pointer, SourceLoc loc) {
  if (pointer->kind == ExprKind::kAddress) return as<AddressExpr>(pointer)->object;  // *&x
  DerefExpr* e = make_expr<DerefExpr>(sema, pointer->type->elem, loc, true);
  e->pointer = pointer;
  return e;
}

Expr* fold_number(Sema& sema, const ConstExpr* value, QualType to) {
  const Type* from = underlying(sema, value->type).type;
  const Type* target = underlying(sema, to).type;
  ConstExpr* e = make_expr_at<ConstExpr>(sema, to.unqualified(), value);
  if (target->is_bool()) {
    e->bits = (from->is_floating() ? value->number != 0 : value->bits != 0) ? 1 : 0;
  } else if (target->is_integer()) {
    e->bits = from->is_floating() ? extend_bits(target, float_to_integer(target, value->number))
                                  : extend_bits(target, value->bits);
  } else if (from->is_floating()) {
    e->number = round_to(target, value->number);
  } else {
    e->number = integer_to_float(from, value->bits, target);
  }
  return e;
}

Expr* Sema::braced_expr(const BracedInit& list) {
  BracedExpr* e = make_expr<BracedExpr>(*this, basic(TypeKind::kAuto), list.loc);
  e->list = list;
  for (const BracedInit::Item& item : list.items) {  // an error inside makes the whole an error
    if (item.list == nullptr && is_error(item.expr)) return error_expr(list.loc);
  }
  return e;
}

}  // namespace quern::lang
