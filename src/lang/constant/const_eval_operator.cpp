// Operators, casts and intrinsics of the evaluator, all through the arithmetic of the IR.
#include "lang/constant/const_evaluator.hpp"
#include "lang/constant/messages.hpp"
#include "lang/ir/eval.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::lang {
namespace {

const ir::Type* ir_scalar(QualType type) {
  static const ir::TypeTable table;
  const Type* t = scalar_of(type).type;
  using K = ir::TypeKind;
  switch (t->kind) {
    case TypeKind::kBool: return table.get(K::kBool);
    case TypeKind::kChar:
    case TypeKind::kSChar: return table.get(K::kI8);
    case TypeKind::kUChar: return table.get(K::kU8);
    case TypeKind::kShort: return table.get(K::kI16);
    case TypeKind::kUShort: return table.get(K::kU16);
    case TypeKind::kInt: return table.get(K::kI32);
    case TypeKind::kUInt: return table.get(K::kU32);
    case TypeKind::kLong:
    case TypeKind::kLongLong: return table.get(K::kI64);
    case TypeKind::kULong:
    case TypeKind::kULongLong: return table.get(K::kU64);
    case TypeKind::kHalf: return table.get(K::kF16);
    case TypeKind::kBFloat: return table.get(K::kBF16);
    case TypeKind::kFloat: return table.get(K::kF32);
    case TypeKind::kDouble: return table.get(K::kF64);
    default: return nullptr;
  }
}

uint64_t mask_of(const ir::Type* type) {
  if (type->is_bool()) return 1;
  return type->size >= 8 ? ~uint64_t{0} : (uint64_t{1} << type->bits()) - 1;
}

uint64_t to_ir_bits(const ConstValue& value, const ir::Type* type) {
  return type->is_float() ? ir::float_to_bits(type->kind, value.number) : value.bits & mask_of(type);
}

ConstValue from_ir_bits(QualType as, const ir::Type* type, uint64_t bits) {
  if (type->is_float()) return float_value(as, ir::float_from_bits(type->kind, bits));
  bits &= mask_of(type);
  if (type->is_signed() && type->size < 8) {
    const uint32_t unused = 64 - type->bits();
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  }
  return scalar_value(as, bits);
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEq && op <= BinaryOp::kGe; }

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

}  // namespace

bool ConstEvaluator::apply(ir::Op op, QualType result, std::initializer_list<const ConstValue*> args,
                           ConstValue& out, const ir::Attr& attr) {
  return apply(op, result, std::span<const ConstValue* const>(args.begin(), args.size()), attr, out);
}

bool ConstEvaluator::apply(ir::Op op, QualType result, std::span<const ConstValue* const> args,
                           const ir::Attr& attr, ConstValue& out) {
  constexpr size_t kMost = 4;
  const ir::Type* types[kMost] = {};
  uint64_t bits[kMost] = {};
  const ir::Type* result_type = ir_scalar(result);
  if (args.size() > kMost || result_type == nullptr) return fail(message::kDeviceOnlyOperation());
  for (size_t i = 0; i < args.size(); ++i) {
    if (is_undefined(*args[i])) return fail(message::kReadsUninitialized());
    types[i] = ir_scalar(args[i]->type);
    if (types[i] == nullptr) return fail(message::kDeviceOnlyOperation());
    bits[i] = to_ir_bits(*args[i], types[i]);
  }
  uint64_t value = 0;
  if (!ir::evaluate(op, result_type, {types, args.size()}, {bits, args.size()}, attr, value)) {
    return fail(message::kDeviceOnlyOperation());
  }
  out = from_ir_bits(result.unqualified(), result_type, value);
  return true;
}

bool ConstEvaluator::convert(const ConstValue& from, QualType to, ConstValue& out) {
  if (from.type.type == to.type) {
    ConstValue same = from;
    out = std::move(same);
    return true;
  }
  if (ir_scalar(from.type) == ir_scalar(to) && ir_scalar(to) != nullptr) {
    ConstValue same = from;
    same.type = to.unqualified();
    out = std::move(same);
    return true;
  }
  return apply(ir::Op::kConvert, to, {&from}, out);
}

bool ConstEvaluator::unary(const UnaryExpr* e, ConstValue& out) {
  ConstValue operand;
  if (!value(e->operand, operand)) return false;
  switch (e->op) {
    case UnaryOp::kPlus:
      out = std::move(operand);
      out.type = e->type.unqualified();
      return true;
    case UnaryOp::kMinus: return apply(ir::Op::kNeg, e->type, {&operand}, out);
    case UnaryOp::kNot:
      if (operand.type->is_floating()) return fail(message::kNotNeedsBool());
      out = scalar_value(e->type.unqualified(), operand.bits == 0 ? 1 : 0);
      return true;
    case UnaryOp::kBitNot: return apply(ir::Op::kNot, e->type, {&operand}, out);
  }
  return false;
}

bool ConstEvaluator::binary(const BinaryExpr* e, ConstValue& out) {
  if (e->op == BinaryOp::kComma) return discard(e->left) && value(e->right, out);
  if (e->op == BinaryOp::kLogicalAnd || e->op == BinaryOp::kLogicalOr) {
    bool left = false;
    if (!truth(e->left, left)) return false;
    const bool decides = e->op == BinaryOp::kLogicalOr;
    bool right = left;
    if (left != decides && !truth(e->right, right)) return false;
    out = scalar_value(e->type.unqualified(), right ? 1 : 0);
    return true;
  }
  ConstValue left;
  ConstValue right;
  if (!value(e->left, left) || !value(e->right, right)) return false;
  const QualType t = left.type;
  const bool has_pointer = t->is_pointer() || t->is(TypeKind::kNullPtr);
  if (has_pointer || e->op == BinaryOp::kPtrAdd) return pointer_arithmetic(e->op, e->type, left, right, out);
  return arithmetic(e->op, e->type, left, right, out);
}

bool ConstEvaluator::arithmetic(BinaryOp op, QualType type, const ConstValue& a, const ConstValue& b,
                                ConstValue& out) {
  const bool divides = op == BinaryOp::kDiv || op == BinaryOp::kRem;
  if (divides && !b.type->is_floating() && b.bits == 0) return fail(message::kDividesByZero());
  if (is_comparison(op) && a.type->is_enum() && a.type.type != b.type.type)
    return fail(message::kComparesEnums());
  return apply(ir_op(op), type, {&a, &b}, out);
}

bool ConstEvaluator::pointer_arithmetic(BinaryOp op, QualType type, const ConstValue& a, const ConstValue& b,
                                        ConstValue& out) {
  if (is_comparison(op)) {
    bool result = false;
    if (!compare_pointers(op, a, b, result)) return false;
    out = scalar_value(type.unqualified(), result ? 1 : 0);
    return true;
  }
  if (op == BinaryOp::kPtrDiff) {
    const bool same_array =
        a.bits == b.bits && a.path.size() == b.path.size() &&
        std::equal(a.path.begin(), a.path.end() - (a.path.empty() ? 0 : 1), b.path.begin());
    if (!same_array) return fail(message::kSubtractsUnrelatedPointers());
    const uint64_t difference =
        a.path.empty() ? 0 : static_cast<uint64_t>(a.path.back()) - static_cast<uint64_t>(b.path.back());
    out = scalar_value(type.unqualified(), difference);
    return true;
  }
  const bool pointer_first = a.type->is_pointer();
  ConstValue pointer = pointer_first ? a : b;
  const uint64_t amount = pointer_first ? b.bits : a.bits;
  const uint64_t by = op == BinaryOp::kPtrSub ? uint64_t{0} - amount : amount;
  if (!move_pointer(pointer, static_cast<int64_t>(by))) return false;
  pointer.type = type.unqualified();
  out = std::move(pointer);
  return true;
}

bool ConstEvaluator::inc_dec(const IncDecExpr* e, Place& target, ConstValue& before) {
  if (!place(e->object, target) || !read(target, e->object->type, before)) return false;
  ConstValue after;
  const QualType type = e->object->type.unqualified();
  if (type->is_pointer()) {
    after = before;
    if (!move_pointer(after, e->is_increment ? 1 : -1)) return false;
  } else if (type->is_bool()) {
    after = scalar_value(type, e->is_increment ? 1 : 0);
  } else {
    const ConstValue one = type->is_floating() ? float_value(type, 1) : scalar_value(type, 1);
    if (!apply(e->is_increment ? ir::Op::kAdd : ir::Op::kSub, type, {&before, &one}, after)) return false;
  }
  return write(target, std::move(after));
}

// The right side first, as C++17 requires.
bool ConstEvaluator::assign(const AssignExpr* e, Place& target) {
  ConstValue held;
  if (!value(e->value, held) || !place(e->target, target)) return false;
  held.type = e->target->type.unqualified();
  return write(target, std::move(held));
}

bool ConstEvaluator::compound(const CompoundExpr* e, Place& target) {
  ConstValue right;
  ConstValue old;
  ConstValue result;
  if (!value(e->value, right) || !place(e->target, target) || !read(target, e->target->type, old))
    return false;
  const QualType type = e->target->type.unqualified();
  if (type->is_pointer()) {
    if (!pointer_arithmetic(e->op, type, old, right, result)) return false;
    return write(target, std::move(result));
  }
  ConstValue left;
  ConstValue fitted;
  if (!convert(old, e->compute, left) || !arithmetic(e->op, e->compute, left, right, result)) return false;
  return convert(result, type, fitted) && write(target, std::move(fitted));
}

bool ConstEvaluator::cast(const CastExpr* e, ConstValue& out) {
  const QualType to = e->type.unqualified();
  if (e->cast == CastKind::kToVoid) {
    out = {};
    out.type = to;
    return discard(e->operand);
  }
  if (e->cast == CastKind::kArrayToPointer) {
    Place array;
    if (!place(e->operand, array)) return false;
    array.path.push_back(0);
    out = pointer_to(array, to);
    return true;
  }
  ConstValue operand;
  if (!value(e->operand, operand)) return false;
  const bool is_null = operand.bits == 0 && operand.function == nullptr && operand.pointee == nullptr;
  switch (e->cast) {
    case CastKind::kNumber: return convert(operand, to, out);
    case CastKind::kPointerToBool: out = scalar_value(to, is_null ? 0 : 1); return true;
    case CastKind::kPointerToInt:
    case CastKind::kIntToPointer:
      if (!is_null) return fail(message::kPointerAsNumber());
      out = scalar_value(to, 0);
      return true;
    case CastKind::kNullToPointer: out = scalar_value(to, 0); return true;
    case CastKind::kDerivedToBase:
    case CastKind::kBaseToDerived: {
      if (!to->is_pointer()) {  // a class by value
        Place object;
        object.object = new_object(std::move(operand), nullptr);
        return object.object != 0 && to_base(e->operand->type.type, to.type, object) && read(object, to, out);
      }
      if (is_null) break;
      Place object;
      if (!target_of(operand, object)) return false;
      const Type* from = e->operand->type->elem.type;
      const bool ok = e->cast == CastKind::kDerivedToBase ? to_base(from, to->elem.type, object)
                                                          : to_derived(from, to->elem.type, object);
      if (!ok) return false;
      out = pointer_to(object, to);
      return true;
    }
    case CastKind::kReinterpret: return fail(message::kReadsAsAnotherType());
    default: break;
  }
  out = std::move(operand);
  out.type = to;
  return true;
}

bool ConstEvaluator::cast_place(const CastExpr* e, Place& out) {
  if (!place(e->operand, out)) return false;
  const Type* from = e->operand->type.type;
  switch (e->cast) {
    case CastKind::kDerivedToBase: return to_base(from, e->type.type, out);
    case CastKind::kBaseToDerived: return to_derived(from, e->type.type, out);
    default: return true;  // an invalid reinterpretation is detected when it is read
  }
}

bool ConstEvaluator::intrinsic(const IntrinsicExpr* e, ConstValue& out) {
  if (!ir::has(e->op, ir::kPure) || e->args.empty() || e->args.size() > 4) {
    return fail(message::kDeviceOnlyOperation());
  }
  ConstValue values[4];
  const ConstValue* args[4] = {};
  for (size_t i = 0; i < e->args.size(); ++i) {
    if (!value(e->args[i], values[i])) return false;
    args[i] = &values[i];
  }
  return apply(e->op, e->type, {args, e->args.size()}, e->attr, out);
}

}  // namespace quern::lang
