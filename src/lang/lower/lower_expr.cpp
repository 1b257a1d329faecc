// Expressions as values.
#include <bit>

#include "lang/ir/float_bits.hpp"
#include "lang/lower/function_lowering.hpp"
#include "lang/lower/messages.hpp"

namespace quern::lang {
namespace {

ir::Op ir_op(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return ir::Op::kAdd;
    case BinaryOp::kSub: return ir::Op::kSub;
    case BinaryOp::kMul: return ir::Op::kMul;
    case BinaryOp::kDiv: return ir::Op::kDiv;
    case BinaryOp::kRem: return ir::Op::kRem;
    case BinaryOp::kAnd: return ir::Op::kAnd;
    case BinaryOp::kOr: return ir::Op::kOr;
    case BinaryOp::kXor: return ir::Op::kXor;
    case BinaryOp::kShl: return ir::Op::kShl;
    case BinaryOp::kShr: return ir::Op::kShr;
    case BinaryOp::kEq: return ir::Op::kEq;
    case BinaryOp::kNe: return ir::Op::kNe;
    case BinaryOp::kLt: return ir::Op::kLt;
    case BinaryOp::kLe: return ir::Op::kLe;
    case BinaryOp::kGt: return ir::Op::kGt;
    default: return ir::Op::kGe;
  }
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEq && op <= BinaryOp::kGe; }

}  // namespace

ir::Value* FunctionLowering::value(const Expr* e) { return generic(rvalue(e)); }

ir::Value* FunctionLowering::pointer(const Expr* e) { return rvalue(e); }

ir::Value* FunctionLowering::generic(ir::Value* v) {
  if (!v->type->is_ptr() || v->type->space == ir::Space::kGeneric) return v;
  return builder_.op(ir::Op::kSpaceCast, generic_ptr(), {v});
}

void FunctionLowering::discard(const Expr* e) {
  if (e->type && makes_destroyed(e)) {
    temporary(e);
    return;
  }
  switch (e->kind) {
    case ExprKind::kAssign: assign(as<AssignExpr>(e)); return;
    case ExprKind::kCompound: compound(as<CompoundExpr>(e)); return;
    case ExprKind::kIncDec: inc_dec(as<IncDecExpr>(e)); return;
    case ExprKind::kCall: call(as<CallExpr>(e)); return;
    case ExprKind::kCallPointer: call_pointer(as<CallPointerExpr>(e)); return;
    case ExprKind::kConst:
    case ExprKind::kThis:
    case ExprKind::kFunction: return;
    case ExprKind::kMaterialize: discard(as<MaterializeExpr>(e)->value); return;
    case ExprKind::kCast:
      if (as<CastExpr>(e)->cast == CastKind::kToVoid || as<CastExpr>(e)->cast == CastKind::kQualify) {
        discard(as<CastExpr>(e)->operand);
        return;
      }
      break;
    case ExprKind::kBinary:
      if (as<BinaryExpr>(e)->op == BinaryOp::kComma) {
        discard(as<BinaryExpr>(e)->left);
        discard(as<BinaryExpr>(e)->right);
        return;
      }
      break;
    case ExprKind::kConditional: {
      const auto* c = as<ConditionalExpr>(e);
      ir::Value* condition = value(c->condition);
      place(e);
      ExpressionBranch branch(*this, condition);
      branch.side(0);
      discard(c->then_value);
      branch.side(1);
      discard(c->else_value);
      return;
    }
    default: break;
  }
  if (!e->is_lvalue) {
    rvalue(e);
  } else if (e->type.is_volatile) {
    load(e, address(e));  // reading a volatile object is a side effect
  } else if (e->kind != ExprKind::kVar) {
    address(e);
  }
}

ir::Value* FunctionLowering::rvalue(const Expr* e) {
  if (e->is_lvalue && e->type->is_class() && copies_by_member(e->type, Copy::kConstruct)) {
    return load(e, in_memory(e));
  }
  switch (e->kind) {
    case ExprKind::kConst: return constant(as<ConstExpr>(e));
    case ExprKind::kVar:
      if (ir::Value* known = known_variable(as<VarExpr>(e))) return known;
      if (as<VarExpr>(e)->var->type->is_function_ref()) return function_ref(as<VarExpr>(e));
      break;
    case ExprKind::kFunction: return function_number(as<FunctionExpr>(e)->function, e);
    case ExprKind::kThis: return this_ != nullptr ? this_ : undef(e->type);
    case ExprKind::kField:
      if (is_value(e)) return part_of_value(as<FieldExpr>(e));
      break;
    case ExprKind::kIndex:
      if (ir::Value* known = known_element(as<IndexExpr>(e))) return known;
      break;
    case ExprKind::kAddress: return address(as<AddressExpr>(e)->object);
    case ExprKind::kUnary: return unary(as<UnaryExpr>(e));
    case ExprKind::kIncDec: {
      const Changed changed = inc_dec(as<IncDecExpr>(e));
      return as<IncDecExpr>(e)->is_prefix ? changed.after : changed.before;
    }
    case ExprKind::kBinary: return binary(as<BinaryExpr>(e));
    case ExprKind::kAssign: return assign(as<AssignExpr>(e)).after;
    case ExprKind::kCompound: return compound(as<CompoundExpr>(e)).after;
    case ExprKind::kCast: return cast(as<CastExpr>(e));
    case ExprKind::kConditional: return conditional(as<ConditionalExpr>(e));
    case ExprKind::kCall:
      if (!e->is_lvalue) return call(as<CallExpr>(e));
      break;
    case ExprKind::kCallPointer:
      if (!e->is_lvalue) return call_pointer(as<CallPointerExpr>(e));
      break;
    case ExprKind::kIntrinsic: return intrinsic(as<IntrinsicExpr>(e));
    case ExprKind::kConstruct: return construct_value(as<ConstructExpr>(e));
    case ExprKind::kAggregate: {
      if (ir::Value* made = aggregate_value(as<AggregateExpr>(e))) return made;
      ir::Value* memory = in_memory(e);
      place(e);
      return load(e, memory);
    }
    case ExprKind::kZero: return e->type->is_void() ? undef({}) : module_.constant(type(e->type), 0);
    case ExprKind::kMaterialize:
      if (is_destroyed(e->type)) break;
      return rvalue(as<MaterializeExpr>(e)->value);
    case ExprKind::kNew: return new_object(as<NewExpr>(e));
    case ExprKind::kDestroy: destroy_object(as<DestroyExpr>(e)); return undef({});
    case ExprKind::kError: failed_ = true; return undef(e->type);
    default: break;
  }
  ir::Value* from = address(e);
  place(e);
  return load(e, from);
}

ir::Value* FunctionLowering::constant(const ConstExpr* e) {
  const ir::Type* t = type(e->type);
  if (t->is_float()) return module_.constant_float(t, e->number);
  return module_.constant(t, t->is_ptr() ? 0 : e->bits);
}

ir::Const* FunctionLowering::to_ir_constant(const ConstValue& v) {
  const ir::Type* t = v.type ? shared_.types.get(v.type) : nullptr;
  const bool is_address = v.pointee != nullptr || v.literal != nullptr || v.function != nullptr;
  if (v.function != nullptr) return ir::as_const(function_number(v.function, nullptr));
  if (t == nullptr || !t->is_scalar() || is_address) return nullptr;
  if (t->is_float()) return module_.constant_float(t, v.number);
  return module_.constant(t, v.bits);
}

ir::Value* FunctionLowering::known_variable(const VarExpr* e) {
  const VarDecl* var = e->var;
  if (var->known_function != nullptr && e->type->is_function_pointer()) {
    return function_number(var->known_function, e);
  }
  if (const Local* here = local(var); here != nullptr && here->value != nullptr && !var->type->is_ref()) {
    return here->value;
  }
  const bool may_be_known = var->is_constexpr || var->is_const_init || var->storage == Storage::kHost;
  if (!may_be_known || !e->type->is_scalar() || e->type.is_volatile || var->init == nullptr ||
      !(var->is_constexpr || is_const_data(var->type)) || var->type->is_ref()) {
    return nullptr;
  }
  const auto [entry, is_new] = constants_.try_emplace(var, nullptr);
  if (is_new) {
    ConstValue known;
    if (evaluate(sema_, var->init, known)) entry->second = to_ir_constant(known);
  }
  if (entry->second != nullptr) return entry->second;
  // A constant pointer, of the host or of the function around a lambda, to an object that devices have too: a
  // string, a table.
  const bool is_elsewhere = local(var) == nullptr && (var->is_const_init || var->storage == Storage::kHost);
  return is_elsewhere && e->type->is_pointer() ? rvalue(var->init) : nullptr;
}

// table[2] of a constant table is a constant; with a run-time index the table is placed in memory.
ir::Value* FunctionLowering::known_element(const IndexExpr* e) {
  if (e->index->kind != ExprKind::kConst || !e->type->is_scalar() || e->pointer->kind != ExprKind::kCast)
    return nullptr;
  const auto* decays = as<CastExpr>(e->pointer);
  if (decays->cast != CastKind::kArrayToPointer || decays->operand->kind != ExprKind::kVar) return nullptr;
  const VarDecl* var = as<VarExpr>(decays->operand)->var;
  if (!(var->is_constexpr || var->is_const_init) || var->storage == Storage::kConstant) return nullptr;
  ConstValue known;
  return evaluate(sema_, e, known) ? to_ir_constant(known) : nullptr;
}

ir::Value* FunctionLowering::unary(const UnaryExpr* e) {
  ir::Value* operand = value(e->operand);
  place(e);
  switch (e->op) {
    case UnaryOp::kPlus: return operand;
    case UnaryOp::kMinus: return builder_.unary(ir::Op::kNeg, operand);
    default: return builder_.unary(ir::Op::kNot, operand);
  }
}

ir::Value* FunctionLowering::binary(const BinaryExpr* e) {
  switch (e->op) {
    case BinaryOp::kLogicalAnd:
    case BinaryOp::kLogicalOr: return logical(e);
    case BinaryOp::kComma: discard(e->left); return rvalue(e->right);
    case BinaryOp::kPtrAdd:
    case BinaryOp::kPtrSub: {
      const bool pointer_first = e->left->type->is_pointer();
      ir::Value* left = pointer(e->left);
      ir::Value* right = pointer(e->right);
      place(e);
      if (!pointer_first) std::swap(left, right);
      return pointer_add(left, e->type.type, right, e->op == BinaryOp::kPtrSub);
    }
    case BinaryOp::kPtrDiff: return pointer_difference(e);
    default: break;
  }
  ir::Value* left = pointer(e->left);
  ir::Value* right = pointer(e->right);
  place(e);
  return is_comparison(e->op) ? compare(e->op, left, right) : arithmetic(e->op, left, right);
}

ir::Value* FunctionLowering::arithmetic(BinaryOp op, ir::Value* a, ir::Value* b) {
  return builder_.op(ir_op(op), a->type, {a, b});
}

ir::Value* FunctionLowering::compare(BinaryOp op, ir::Value* a, ir::Value* b) {
  if (a->type != b->type) {
    a = generic(a);
    b = generic(b);
  }
  return builder_.compare(ir_op(op), a, b);
}

ir::Value* FunctionLowering::logical(const BinaryExpr* e) {
  const bool is_and = e->op == BinaryOp::kLogicalAnd;
  ir::Value* left = value(e->left);
  if (const ir::Const* known = ir::as_const(left)) {
    const bool decided = (known->bits != 0) != is_and;
    return decided ? left : value(e->right);
  }
  if (usage_.is_speculable(e->right)) {
    ir::Value* right = value(e->right);
    place(e);
    return builder_.binary(is_and ? ir::Op::kAnd : ir::Op::kOr, left, right);
  }
  place(e);
  ir::Inst* result = builder_.var(ir_type(ir::TypeKind::kBool), {});
  builder_.store(result, left);
  {
    ExpressionBranch branch(*this, left);
    branch.side(is_and ? 0 : 1);
    ir::Value* right = value(e->right);
    place(e);
    builder_.store(result, right);
  }
  return builder_.load(ir_type(ir::TypeKind::kBool), result);
}

ir::Value* FunctionLowering::conditional(const ConditionalExpr* e) {
  if (e->type->is_void()) {
    discard(e);
    return undef({});
  }
  ir::Value* condition = value(e->condition);
  if (const ir::Const* known = ir::as_const(condition))
    return rvalue(known->bits != 0 ? e->then_value : e->else_value);
  if (e->type->is_scalar() && usage_.is_speculable(e->then_value) && usage_.is_speculable(e->else_value)) {
    ir::Value* a = pointer(e->then_value);
    ir::Value* b = pointer(e->else_value);
    place(e);
    if (a->type != b->type) {
      a = generic(a);
      b = generic(b);
    }
    return builder_.select(condition, a, b);
  }
  place(e);
  const ir::Type* t = type(e->type);
  ir::Inst* result = builder_.var(t, {});
  {
    ExpressionBranch branch(*this, condition);
    branch.side(0);
    init_as(e->type, e->then_value, result);
    branch.side(1);
    init_as(e->type, e->else_value, result);
  }
  place(e);
  return builder_.load(t, result);
}

ir::Value* FunctionLowering::pointer_add(ir::Value* pointer, const Type* pointer_type, ir::Value* index,
                                         bool subtract) {
  const ir::Type* wide = ir_type(ir::TypeKind::kI64);
  if (index->type->size < 4) index = builder_.convert(index, ir_type(ir::TypeKind::kI32));
  if (subtract) index = builder_.unary(ir::Op::kNeg, builder_.convert(index, wide));
  const uint64_t size = pointer_type->elem->is_void() ? 1 : size_of(pointer_type->elem);
  return builder_.offset(pointer, index, size);
}

ir::Value* FunctionLowering::pointer_difference(const BinaryExpr* e) {
  ir::Value* a = pointer(e->left);
  ir::Value* b = pointer(e->right);
  place(e);
  if (a->type != b->type) {
    a = generic(a);
    b = generic(b);
  }
  ir::Attr attr;
  const QualType pointee = e->left->type->elem;
  attr.scale = pointee->is_void() ? 1 : size_of(pointee);
  ir::Value* operands[] = {a, b};
  return builder_.op(ir::Op::kPtrDiff, ir_type(ir::TypeKind::kI64), operands, attr);
}

ir::Value* FunctionLowering::number_cast(ir::Value* v, QualType to) { return builder_.convert(v, type(to)); }

ir::Value* FunctionLowering::cast(const CastExpr* e) {
  switch (e->cast) {
    case CastKind::kToVoid: discard(e->operand); return undef({});
    case CastKind::kQualify: return rvalue(e->operand);
    case CastKind::kNullToPointer: discard(e->operand); return module_.constant(type(e->type), 0);
    case CastKind::kArrayToPointer: return address(e->operand);
    case CastKind::kReinterpret: {
      ir::Value* from = address(e->operand);
      place(e);
      return load(e, from);
    }
    case CastKind::kDerivedToBase:
    case CastKind::kBaseToDerived: {
      if (e->type->is_pointer()) {
        ir::Value* p = pointer(e->operand);
        place(e);
        return base_address(p, e->operand->type->elem.type, e->type->elem.type, e->offset);
      }
      if (e->type->class_decl->is_polymorphic) {  // the copy has the class of the base
        ir::Value* from = cast_address(e);
        ir::Inst* made = temporary_memory(type(e->type));
        copy_object(e->type.type, from, made, Copy::kConstruct);
        return load(e, made);
      }
      if (!is_value(e)) break;
      ir::Value* object = value(e->operand);
      place(e);
      return base_value(object, e->operand->type.type, e->type.type);
    }
    default: break;
  }
  if (e->is_lvalue || e->type->is_class()) {
    ir::Value* from = cast_address(e);
    place(e);
    return load(e, from);
  }
  if (e->cast == CastKind::kPointerToBool && e->operand->kind == ExprKind::kFunction)
    return module_.constant_bool(true);
  ir::Value* operand = pointer(e->operand);
  place(e);
  const ir::Type* wide = ir_type(ir::TypeKind::kU64);
  switch (e->cast) {
    case CastKind::kPointerToBool:
      return builder_.compare(ir::Op::kNe, operand, module_.constant(operand->type, 0));
    case CastKind::kPointerToInt:
      if (!operand->type->is_ptr()) return number_cast(operand, e->type);
      return number_cast(builder_.op(ir::Op::kPtrToInt, wide, {generic(operand)}), e->type);
    case CastKind::kIntToPointer:
      if (e->type->is_function_pointer()) return builder_.convert(operand, wide);
      return builder_.op(ir::Op::kIntToPtr, generic_ptr(), {builder_.convert(operand, wide)});
    case CastKind::kNumber: return number_cast(operand, e->type);
    default: break;
  }
  // kPointer: addresses have no type; pointers to functions are numbers
  if (e->type->is_function_pointer() && operand->type->is_ptr())
    return builder_.op(ir::Op::kPtrToInt, wide, {generic(operand)});
  if (!e->type->is_function_pointer() && !operand->type->is_ptr())
    return builder_.op(ir::Op::kIntToPtr, generic_ptr(), {operand});
  return operand;
}

}  // namespace quern::lang
