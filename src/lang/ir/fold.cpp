// Folding: constants through evaluate(), and the identities that hold for every value. A float identity is
// here only if it is exact (x * 1, x - 0; not x + 0, which turns -0 into +0).
#include <array>
#include <bit>

#include "lang/ir/builder.hpp"
#include "lang/ir/eval.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::ir {
namespace {

using Values = std::span<Value* const>;

bool is_bits(const Value* value, uint64_t bits) {
  const Const* c = as_const(value);
  return c != nullptr && c->bits == bits;
}

bool is_zero(const Value* value) { return is_bits(value, 0); }

uint64_t all_ones(const Type* type) {
  if (type->is_bool()) return 1;
  return type->size >= 8 ? ~uint64_t{0} : (uint64_t{1} << type->bits()) - 1;
}

bool is_float(const Value* value, double number) {
  const Const* c = as_const(value);
  return c != nullptr && c->bits == float_to_bits(c->type->kind, number);
}

bool is_same_op(const Value* value, Op op) {
  const Inst* inst = as_inst(value);
  return inst != nullptr && inst->op == op;
}

// Division by zero is not folded: it has a value, but the simulator reports it.
bool divides_by_zero(Op op, Values operands) {
  return (op == Op::kDiv || op == Op::kRem) && operands[1]->type->is_int() && is_zero(operands[1]);
}

Const* fold_address(Module& module, Op op, const Type* result, Values operands) {
  const bool null_stays_zero = op == Op::kSpaceCast || op == Op::kPtrToInt || op == Op::kIntToPtr;
  return null_stays_zero && is_zero(operands[0]) ? module.constant(result, 0) : nullptr;
}

// Aggregates: only all-zero ones are constants.
Const* fold_aggregate(Module& module, Op op, const Type* result, Values operands) {
  if (op == Op::kExtract) return module.constant(result, 0);
  if (op != Op::kConstruct && op != Op::kInsert) return nullptr;
  for (const Value* operand : operands) {
    if (!is_zero(operand)) return nullptr;
  }
  return module.constant(result, 0);
}

Value* identity_int(Module& module, Op op, const Type* type, Value* a, Value* b) {
  const uint64_t ones = all_ones(type);
  switch (op) {
    case Op::kAdd:
      if (is_zero(b)) return a;
      return is_zero(a) ? b : nullptr;
    case Op::kSub:
      if (a == b) return module.constant(type, 0);
      return is_zero(b) ? a : nullptr;
    case Op::kMul:
      if (is_zero(a) || is_bits(b, 1)) return a;
      return is_zero(b) || is_bits(a, 1) ? b : nullptr;
    case Op::kDiv: return is_bits(b, 1) ? a : nullptr;
    case Op::kRem: return is_bits(b, 1) ? module.constant(type, 0) : nullptr;
    case Op::kAnd:
      if (a == b || is_zero(a) || is_bits(b, ones)) return a;
      return is_zero(b) || is_bits(a, ones) ? b : nullptr;
    case Op::kOr:
      if (a == b || is_zero(b) || is_bits(a, ones)) return a;
      return is_zero(a) || is_bits(b, ones) ? b : nullptr;
    case Op::kXor:
      if (a == b) return module.constant(type, 0);
      if (is_zero(b)) return a;
      return is_zero(a) ? b : nullptr;
    case Op::kMin:
    case Op::kMax: return a == b ? a : nullptr;
    case Op::kShl:
    case Op::kShr: {
      const Const* amount = as_const(b);
      const bool by_zero = amount != nullptr && (amount->bits & (type->bits() - 1)) == 0;
      return by_zero || is_zero(a) ? a : nullptr;
    }
    default: return nullptr;
  }
}

Value* identity_float(Op op, Value* a, Value* b) {
  switch (op) {
    case Op::kAdd:
      if (is_float(b, -0.0)) return a;
      return is_float(a, -0.0) ? b : nullptr;
    case Op::kSub: return is_float(b, 0.0) ? a : nullptr;
    case Op::kMul:
      if (is_float(b, 1.0)) return a;
      return is_float(a, 1.0) ? b : nullptr;
    case Op::kDiv: return is_float(b, 1.0) ? a : nullptr;
    default: return nullptr;
  }
}

Value* identity_compare(Module& module, Op op, const Value* a, const Value* b) {
  if (a != b || a->type->is_float()) return nullptr;  // NaN differs from itself
  return module.constant_bool(op == Op::kEq || op == Op::kLe || op == Op::kGe);
}

Value* identity_select(Op, Values operands) {
  const Const* cond = as_const(operands[0]);
  if (cond != nullptr) return cond->bits != 0 ? operands[1] : operands[2];
  if (operands[1] == operands[2]) return operands[1];
  const bool is_itself = operands[1]->type->is_bool() && is_bits(operands[1], 1) && is_zero(operands[2]);
  return is_itself ? operands[0] : nullptr;
}

Value* identity_extract(Module& module, const Type* result, Value* aggregate, uint32_t index) {
  if (aggregate->kind == ValueKind::kUndef) return module.undef(result);
  const Inst* inst = as_inst(aggregate);
  if (inst == nullptr) return nullptr;
  if (inst->is(Op::kConstruct) && index < inst->operands.size()) return inst->operand(index);
  return inst->is(Op::kInsert) && inst->attr().index == index ? inst->operand(1) : nullptr;
}

// f(f(x)) = x, and g(f(x)) = x for functions that are inverse to each other.
Value* identity_undone(Op op, const Type* result, Value* a) {
  if (!is_same_op(a, op)) return nullptr;
  Value* inner = as_inst(a)->operand(0);
  return inner->type == result ? inner : nullptr;
}

Value* identity(Module& module, Op op, const Type* result, Values operands, const Attr& attr) {
  switch (op) {
    case Op::kSelect: return identity_select(op, operands);
    case Op::kConvert:
    case Op::kSpaceCast: return operands[0]->type == result ? operands[0] : nullptr;
    case Op::kBitcast:
      if (operands[0]->type == result) return operands[0];
      return identity_undone(op, result, operands[0]);
    case Op::kNot:
    case Op::kNeg: return identity_undone(op, result, operands[0]);
    case Op::kExtract: return identity_extract(module, result, operands[0], attr.index);
    case Op::kOffset:
      return operands[0]->type == result && (is_zero(operands[1]) || attr.scale == 0) ? operands[0] : nullptr;
    case Op::kPtrDiff: return operands[0] == operands[1] ? module.constant(result, 0) : nullptr;
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe: return identity_compare(module, op, operands[0], operands[1]);
    default: break;
  }
  if (operands.size() != 2 || operands[0]->type != result) return nullptr;
  if (result->is_float()) return identity_float(op, operands[0], operands[1]);
  if (result->is_int() || result->is_bool())
    return identity_int(module, op, result, operands[0], operands[1]);
  return nullptr;
}

bool well_sized(Op op, Values operands) {
  const int arity = info(op).arity;
  return !operands.empty() && (arity < 0 || operands.size() == static_cast<size_t>(arity));
}

}  // namespace

Const* fold(Module& module, Op op, const Type* result, std::span<Value* const> operands, const Attr& attr) {
  constexpr size_t kMost = 4;
  if (!has(op, kPure) || !is_exact(op) || !well_sized(op, operands) || divides_by_zero(op, operands))
    return nullptr;
  for (const Value* operand : operands) {
    if (operand->kind != ValueKind::kConst) return nullptr;
  }
  if (result->is_aggregate() || operands[0]->type->is_aggregate())
    return fold_aggregate(module, op, result, operands);
  if (result->is_ptr() || operands[0]->type->is_ptr()) {
    if (Const* folded = fold_address(module, op, result, operands)) return folded;
  }
  if (operands.size() > kMost) return nullptr;
  std::array<const Type*, kMost> types{};
  std::array<uint64_t, kMost> bits{};
  for (size_t i = 0; i < operands.size(); ++i) {
    types[i] = operands[i]->type;
    bits[i] = as_const(operands[i])->bits;
  }
  uint64_t value = 0;
  const bool known = evaluate(op, result, std::span(types).first(operands.size()),
                              std::span(bits).first(operands.size()), attr, value);
  return known ? module.constant(result, value) : nullptr;
}

Value* fold_value(Module& module, Op op, const Type* result, std::span<Value* const> operands,
                  const Attr& attr) {
  if (Const* constant = fold(module, op, result, operands, attr)) return constant;
  if (!has(op, kPure) || !well_sized(op, operands)) return nullptr;
  return identity(module, op, result, operands, attr);
}

}  // namespace quern::ir
