#include "lang/ir/eval.hpp"

#include "lang/ir/eval_parts.hpp"
#include "lang/ir/soft_float.hpp"

namespace quern::ir {
namespace {

bool is_compare(Op op) { return op >= Op::kEq && op <= Op::kGe; }

uint64_t convert_int(const Type* to, const Type* from, uint64_t bits, Rounding mode) {
  if (!to->is_float()) {
    const auto extended = static_cast<uint64_t>(sign_extended(from, bits));
    return to->size >= 8 ? extended : extended & ((uint64_t{1} << to->bits()) - 1);
  }
  const bool negative = from->is_signed() && sign_extended(from, bits) < 0;
  const uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(sign_extended(from, bits)) : bits;
  return int_to_float(format_of(to->kind), negative, magnitude, mode);
}

uint64_t convert_float(const Type* to, const Type* from, uint64_t bits, Rounding mode) {
  const FloatFormat format = format_of(from->kind);
  if (to->is_bool()) return format.is_zero(bits) ? 0 : 1;
  if (to->is_float()) return convert_rounded(format_of(to->kind), format, bits, mode);
  return float_to_int(format, bits, to->bits(), to->is_signed(), mode);
}

bool evaluate_convert(const Type* to, const Type* from, uint64_t bits, Rounding float_mode, Rounding int_mode,
                      uint64_t& out) {
  const auto is_value = [](const Type* type) {
    return type->is_bool() || type->is_int() || type->is_float();
  };
  if (!is_value(to) || !is_value(from)) return false;
  if (from->is_float()) {
    out = convert_float(to, from, bits, to->is_float() ? float_mode : int_mode);
  } else if (to->is_bool()) {
    out = bits != 0 ? 1 : 0;
  } else {
    out = convert_int(to, from, bits, float_mode);
  }
  return true;
}

}  // namespace

bool is_exact(Op op) {
  if (!has(op, kMath)) return true;
  switch (op) {
    case Op::kFma:
    case Op::kSqrt:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kTrunc:
    case Op::kRound:
    case Op::kRint:
    case Op::kCopysign:
    case Op::kFdim:
    case Op::kNextafter:
    case Op::kLdexp:
    case Op::kLogb:
    case Op::kIlogb: return true;
    default: return false;
  }
}

bool evaluate(Op op, const Type* result, std::span<const Type* const> operand_types,
              std::span<const uint64_t> operand_bits, const Attr& attr, uint64_t& result_bits) {
  if (operand_bits.empty() || operand_types.size() != operand_bits.size() || !has(op, kPure)) return false;
  const Type* type = operand_types[0];
  if (!result->is_scalar() || !type->is_scalar()) return false;
  switch (op) {
    case Op::kSelect: result_bits = operand_bits[0] != 0 ? operand_bits[1] : operand_bits[2]; return true;
    case Op::kBitcast:
      if (type->is_ptr() || result->is_ptr()) return false;
      result_bits = operand_bits[0];
      return true;
    case Op::kConvert:
      return evaluate_convert(result, type, operand_bits[0], Rounding::kNearest, Rounding::kZero,
                              result_bits);
    case Op::kConvertR:
      return evaluate_convert(result, type, operand_bits[0], attr.round, attr.round, result_bits);
    default: break;
  }
  if (is_compare(op)) return evaluate_compare(op, type, operand_bits[0], operand_bits[1], result_bits);
  if (type->is_ptr()) return false;
  if (type->is_float()) return evaluate_float(op, type->kind, operand_bits, attr.round, result_bits);
  return evaluate_int(op, result, type, operand_bits, result_bits);
}

}  // namespace quern::ir
