// Arithmetic on integers of 64 bits as two words of 32. What takes a loop is a function of the library.
#pragma once

#include "lang/ir/builder.hpp"

namespace quern::expand {

// The words are u32, whatever sign the number has.
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

  // Of numbers that fit into 32 bits, with the high word known to be 0.
  static bool is_small(Wide a);
  // Which power of two the constant is; -1: none, or not known.
  static int power_of(Wide a);

 private:
  const ir::Type* u32() { return b_.type(ir::TypeKind::kU32); }
  const ir::Type* i32() { return b_.type(ir::TypeKind::kI32); }
  ir::Value* word(uint32_t n) { return b_.module().constant(u32(), n); }
  ir::Value* sign_word(ir::Value* word);  // all ones where the word is negative
  Wide shift_known(ir::Op op, bool is_signed, Wide a, uint32_t by);

  ir::Builder& b_;
};

}  // namespace quern::expand
