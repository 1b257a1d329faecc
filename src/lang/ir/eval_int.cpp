// Integers and bool: everything is computed in uint64_t, which wraps in C++ too.
#include <bit>

#include "lang/ir/eval_parts.hpp"
#include "lang/ir/float_bits.hpp"

namespace quern::ir {
namespace {

__extension__ using Wide = unsigned __int128;

uint64_t divide(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
uint64_t remainder(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }

// Division by -1: the only quotient that may not fit.
uint64_t divide_signed(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? uint64_t{0} - static_cast<uint64_t>(a) : static_cast<uint64_t>(a / b);
}
uint64_t remainder_signed(int64_t a, int64_t b) {
  if (b == 0) return static_cast<uint64_t>(a);
  return b == -1 ? 0 : static_cast<uint64_t>(a % b);
}

uint64_t mul_hi(uint32_t width, bool is_signed, uint64_t a, uint64_t b, int64_t sa, int64_t sb) {
  if (width < 64) return is_signed ? static_cast<uint64_t>((sa * sb) >> width) : (a * b) >> width;
  auto high = static_cast<uint64_t>((Wide{a} * b) >> 64);
  if (is_signed && sa < 0) high -= b;  // the sign bit weighs -2^63, was taken as +2^63
  if (is_signed && sb < 0) high -= a;
  return high;
}

uint64_t reversed(uint32_t width, uint64_t bits) {
  uint64_t result = 0;
  for (uint32_t i = 0; i < width; ++i) result |= ((bits >> i) & 1) << (width - 1 - i);
  return result;
}

// Selects four of the eight bytes of b:a by the low three bits of the selector's nibbles.
uint64_t byte_perm(uint64_t a, uint64_t b, uint64_t selector) {
  const uint64_t all = a | (b << 32);
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t byte = (selector >> (4 * i)) & 7;
    result |= ((all >> (8 * byte)) & 0xff) << (8 * i);
  }
  return result;
}

uint64_t dot4(bool is_signed, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t sum = c;
  for (unsigned i = 0; i < 4; ++i) {
    const auto x = static_cast<uint8_t>(a >> (8 * i));
    const auto y = static_cast<uint8_t>(b >> (8 * i));
    sum += is_signed ? static_cast<uint64_t>(int64_t{static_cast<int8_t>(x)} * static_cast<int8_t>(y))
                     : uint64_t{x} * y;
  }
  return sum;
}

template <typename T>
bool compare(Op op, T a, T b) {
  switch (op) {
    case Op::kEq: return a == b;
    case Op::kNe: return a != b;
    case Op::kLt: return a < b;
    case Op::kLe: return a <= b;
    case Op::kGt: return a > b;
    default: return a >= b;
  }
}

}  // namespace

uint32_t value_width(const Type* type) { return type->is_bool() ? 1 : type->bits(); }

int64_t sign_extended(const Type* type, uint64_t bits) {
  if (!type->is_signed() || type->size >= 8) return static_cast<int64_t>(bits);
  const uint64_t sign = uint64_t{1} << (type->bits() - 1);
  return static_cast<int64_t>((bits ^ sign) - sign);
}

bool evaluate_compare(Op op, const Type* type, uint64_t a, uint64_t b, uint64_t& out) {
  bool result = false;
  if (type->is_float()) {
    result = compare(op, float_from_bits(type->kind, a), float_from_bits(type->kind, b));
  } else if (type->is_signed()) {
    result = compare(op, sign_extended(type, a), sign_extended(type, b));
  } else {
    result = compare(op, a, b);
  }
  out = result ? 1 : 0;
  return true;
}

bool evaluate_int(Op op, const Type* result, const Type* type, std::span<const uint64_t> in, uint64_t& out) {
  const uint32_t width = value_width(type);
  const uint32_t result_width = value_width(result);
  const uint64_t mask = result_width >= 64 ? ~uint64_t{0} : (uint64_t{1} << result_width) - 1;
  const bool is_signed = type->is_signed();
  const uint64_t a = in[0];
  const uint64_t b = in.size() > 1 ? in[1] : 0;
  const uint64_t c = in.size() > 2 ? in[2] : 0;
  const int64_t sa = sign_extended(type, a);
  const int64_t sb = in.size() > 1 ? sign_extended(type, b) : 0;
  const bool less = is_signed ? sa < sb : a < b;
  uint64_t r = 0;
  switch (op) {
    case Op::kAdd: r = a + b; break;
    case Op::kSub: r = a - b; break;
    case Op::kMul: r = a * b; break;
    case Op::kDiv: r = is_signed ? divide_signed(sa, sb) : divide(a, b); break;
    case Op::kRem: r = is_signed ? remainder_signed(sa, sb) : remainder(a, b); break;
    case Op::kNeg: r = uint64_t{0} - a; break;
    case Op::kAnd: r = a & b; break;
    case Op::kOr: r = a | b; break;
    case Op::kXor: r = a ^ b; break;
    case Op::kNot: r = ~a; break;
    case Op::kShl: r = a << (b & (width - 1)); break;
    case Op::kShr:
      r = is_signed ? static_cast<uint64_t>(sa >> (b & (width - 1))) : a >> (b & (width - 1));
      break;
    case Op::kMulHi: r = mul_hi(width, is_signed, a, b, sa, sb); break;
    case Op::kMin: r = less ? a : b; break;
    case Op::kMax: r = less ? b : a; break;
    case Op::kAbs: r = sa < 0 && is_signed ? uint64_t{0} - a : a; break;
    case Op::kPopc: r = static_cast<uint64_t>(std::popcount(a)); break;
    case Op::kClz: r = static_cast<uint64_t>(std::countl_zero(a)) - (64 - width); break;
    case Op::kCtz: r = a == 0 ? width : static_cast<uint64_t>(std::countr_zero(a)); break;
    case Op::kBrev: r = reversed(width, a); break;
    case Op::kBytePerm: r = byte_perm(a, b, c); break;
    case Op::kFunnel: r = (((b << 32) | a) << (c & 31)) >> 32; break;
    case Op::kDot4: r = dot4(result->is_signed(), a, b, c); break;
    default: return false;
  }
  out = r & mask;
  return true;
}

}  // namespace quern::ir
