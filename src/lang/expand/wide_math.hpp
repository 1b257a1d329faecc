// 64-bit integer arithmetic on two 32-bit words. Operations that need a loop are library functions.
#pragma once

#include "lang/ir/builder.hpp"

namespace quern::expand {

// The words are u32, whether the number is signed or not.
struct Wide {
  ir::Value* low = nullptr;
  ir::Value* high = nullptr;
};

class WideMath {
 public:
  explicit WideMath(ir::Builder& builder) : b_(builder) {}

  Wide constant(uint64_t bits);
  Wide undef();
  Wide extended(ir::Value* v);                 // from a smaller integer or bool, by its value
  ir::Value* cut(Wide a, const ir::Type* to);  // to a smaller integer or bool, as convert does

  Wide add(Wide a, Wide b);
  Wide subtract(Wide a, Wide b);
  Wide multiply(Wide a, Wide b);
  Wide negate(Wide a);
  Wide invert(Wide a);
  Wide bitwise(ir::Op op, Wide a, Wide b);
  Wide shift(ir::Op op, bool is_signed, Wide a, ir::Value* amount);  // modulo 64; the amount is u32
  Wide select(ir::Value* c, Wide a, Wide b);
  ir::Value* compare(ir::Op op, bool is_signed, Wide a, Wide b);
  ir::Value* count(ir::Op op, Wide a);  // popc, clz, ctz
  Wide reverse(Wide a);

  // Of numbers that fit into 32 bits: the high word is known to be 0.
  static bool is_small(Wide a);
  // The exponent if the constant is a power of two; otherwise, or if it is not constant, -1.
  static int power_of(Wide a);

 private:
  const ir::Type* u32() { return b_.type(ir::TypeKind::kU32); }
  const ir::Type* i32() { return b_.type(ir::TypeKind::kI32); }
  ir::Value* word(uint32_t n) { return b_.module().constant(u32(), n); }
  ir::Value* sign_word(ir::Value* word);  // all ones if the word is negative
  Wide shift_known(ir::Op op, bool is_signed, Wide a, uint32_t by);

  ir::Builder& b_;
};

}  // namespace quern::expand
