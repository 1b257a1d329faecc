#include "lang/expand/wide_math.hpp"

#include <bit>

namespace quern::expand {

using ir::Op;
using ir::Value;

namespace {

bool is_zero(const Value* v) {
  const ir::Const* c = ir::as_const(v);
  return c != nullptr && c->bits == 0;
}

Op strict(Op op) { return op == Op::kLe ? Op::kLt : op == Op::kGe ? Op::kGt : op; }

}  // namespace

Wide WideMath::constant(uint64_t bits) {
  return {word(static_cast<uint32_t>(bits)), word(static_cast<uint32_t>(bits >> 32))};
}

Wide WideMath::undef() { return {b_.module().undef(u32()), b_.module().undef(u32())}; }

Value* WideMath::sign_word(Value* w) {
  Value* sign = b_.op(Op::kShr, i32(), {b_.convert(w, i32()), word(31)});
  return b_.convert(sign, u32());
}

Wide WideMath::extended(Value* v) {
  Value* low = b_.convert(v, u32());
  return {low, v->type->is_signed() ? sign_word(low) : word(0)};
}

Value* WideMath::cut(Wide a, const ir::Type* to) {
  if (to->is_bool()) return b_.compare(Op::kNe, b_.binary(Op::kOr, a.low, a.high), word(0));
  return b_.convert(a.low, to);
}

Wide WideMath::add(Wide a, Wide b) {
  if (is_zero(a.low)) return {b.low, b_.binary(Op::kAdd, a.high, b.high)};
  Value* low = b_.binary(Op::kAdd, a.low, b.low);
  Value* high = b_.binary(Op::kAdd, a.high, b.high);
  if (is_zero(b.low)) return {low, high};
  Value* carry = b_.convert(b_.compare(Op::kLt, low, a.low), u32());
  return {low, b_.binary(Op::kAdd, high, carry)};
}

Wide WideMath::negate(Wide a) {
  Value* carry = b_.convert(b_.compare(Op::kEq, a.low, word(0)), u32());
  return {b_.unary(Op::kNeg, a.low), b_.binary(Op::kAdd, b_.unary(Op::kNot, a.high), carry)};
}

Wide WideMath::subtract(Wide a, Wide b) {
  if (is_zero(a.low) && is_zero(a.high)) return negate(b);
  Value* low = b_.binary(Op::kSub, a.low, b.low);
  Value* high = b_.binary(Op::kSub, a.high, b.high);
  if (is_zero(b.low)) return {low, high};
  Value* borrows = b_.compare(Op::kLt, a.low, b.low);
  // NVIDIA's GLES treats 0u - uint(yes) as signed in comparisons.
  if (is_zero(a.high) && is_zero(b.high)) return {low, b_.select(borrows, word(~0u), word(0))};
  return {low, b_.binary(Op::kSub, high, b_.convert(borrows, u32()))};
}

Wide WideMath::multiply(Wide a, Wide b) {
  Value* low = b_.binary(Op::kMul, a.low, b.low);
  Value* high = b_.binary(Op::kMulHi, a.low, b.low);
  if (!is_zero(b.high)) high = b_.binary(Op::kAdd, high, b_.binary(Op::kMul, a.low, b.high));
  if (!is_zero(a.high)) high = b_.binary(Op::kAdd, high, b_.binary(Op::kMul, a.high, b.low));
  return {low, high};
}

Wide WideMath::invert(Wide a) { return {b_.unary(Op::kNot, a.low), b_.unary(Op::kNot, a.high)}; }

Wide WideMath::bitwise(Op op, Wide a, Wide b) {
  return {b_.binary(op, a.low, b.low), b_.binary(op, a.high, b.high)};
}

Wide WideMath::shift_known(Op op, bool is_signed, Wide a, uint32_t by) {
  const auto moved = [&](Op o, Value* v, uint32_t n) { return b_.op(o, u32(), {v, word(n)}); };
  const auto high_right = [&](uint32_t n) {
    if (!is_signed) return moved(Op::kShr, a.high, n);
    Value* v = b_.op(Op::kShr, i32(), {b_.convert(a.high, i32()), word(n)});
    return b_.convert(v, u32());
  };
  if (by == 0) return a;
  if (op == Op::kShl) {
    if (by >= 32) return {word(0), by == 32 ? a.low : moved(Op::kShl, a.low, by - 32)};
    Value* over = moved(Op::kShr, a.low, 32 - by);
    return {moved(Op::kShl, a.low, by), b_.binary(Op::kOr, moved(Op::kShl, a.high, by), over)};
  }
  Value* fill = is_signed ? sign_word(a.high) : word(0);
  if (by >= 32) return {by == 32 ? a.high : high_right(by - 32), fill};
  Value* over = moved(Op::kShl, a.high, 32 - by);
  return {b_.binary(Op::kOr, moved(Op::kShr, a.low, by), over), high_right(by)};
}

Wide WideMath::shift(Op op, bool is_signed, Wide a, Value* amount) {
  if (const ir::Const* by = ir::as_const(amount))
    return shift_known(op, is_signed, a, static_cast<uint32_t>(by->bits) & 63);
  // 32-bit shift amounts are already modulo 32; the bits from the other word are shifted by one and by 31
  // minus the amount, since a shift by 32 would be one by 0.
  Value* by = b_.binary(Op::kAnd, amount, word(31));
  Value* rest = b_.binary(Op::kXor, by, word(31));
  Value* is_far = b_.compare(Op::kNe, b_.binary(Op::kAnd, amount, word(32)), word(0));
  const auto moved = [&](Op o, Value* v, Value* n) { return b_.op(o, u32(), {v, n}); };
  if (op == Op::kShl) {
    Value* near = moved(Op::kShl, a.low, by);
    Value* over = moved(Op::kShr, moved(Op::kShr, a.low, word(1)), rest);
    Value* high = b_.binary(Op::kOr, moved(Op::kShl, a.high, by), over);
    return {b_.select(is_far, word(0), near), b_.select(is_far, near, high)};
  }
  Value* near = is_signed ? b_.convert(b_.op(Op::kShr, i32(), {b_.convert(a.high, i32()), by}), u32())
                          : moved(Op::kShr, a.high, by);
  Value* over = moved(Op::kShl, moved(Op::kShl, a.high, word(1)), rest);
  Value* low = b_.binary(Op::kOr, moved(Op::kShr, a.low, by), over);
  return {b_.select(is_far, near, low), b_.select(is_far, is_signed ? sign_word(a.high) : word(0), near)};
}

Wide WideMath::select(Value* c, Wide a, Wide b) {
  return {b_.select(c, a.low, b.low), b_.select(c, a.high, b.high)};
}

Value* WideMath::compare(Op op, bool is_signed, Wide a, Wide b) {
  if (op == Op::kEq || op == Op::kNe) {
    Value* differs =
        b_.binary(Op::kOr, b_.binary(Op::kXor, a.low, b.low), b_.binary(Op::kXor, a.high, b.high));
    return b_.compare(op, differs, word(0));
  }
  if (is_zero(a.high) && is_zero(b.high)) return b_.compare(op, a.low, b.low);
  const auto top = [&](Value* v) { return is_signed ? b_.convert(v, i32()) : v; };
  if (is_zero(b.low) && (op == Op::kLt || op == Op::kGe)) return b_.compare(op, top(a.high), top(b.high));
  Value* decided = b_.compare(strict(op), top(a.high), top(b.high));
  Value* same = b_.compare(Op::kEq, a.high, b.high);
  return b_.binary(Op::kOr, decided, b_.binary(Op::kAnd, same, b_.compare(op, a.low, b.low)));
}

Value* WideMath::count(Op op, Wide a) {
  Value* low = b_.op(op, i32(), {a.low});
  Value* high = b_.op(op, i32(), {a.high});
  const bool from_top = op == Op::kClz;
  if (!from_top && op != Op::kCtz) return b_.binary(Op::kAdd, low, high);
  Value* first = from_top ? a.high : a.low;
  Value* beyond = b_.binary(Op::kAdd, from_top ? low : high, b_.module().constant(i32(), 32));
  return b_.select(b_.compare(Op::kNe, first, word(0)), from_top ? high : low, beyond);
}

Wide WideMath::reverse(Wide a) { return {b_.unary(Op::kBrev, a.high), b_.unary(Op::kBrev, a.low)}; }

bool WideMath::is_small(Wide a) { return is_zero(a.high); }

int WideMath::power_of(Wide a) {
  const ir::Const* low = ir::as_const(a.low);
  const ir::Const* high = ir::as_const(a.high);
  if (low == nullptr || high == nullptr) return -1;
  const uint64_t bits = low->bits | high->bits << 32;
  return std::has_single_bit(bits) ? std::countr_zero(bits) : -1;
}

}  // namespace quern::expand
