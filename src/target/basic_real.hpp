// Properties of operations on floats that the lists of native operations share.
#pragma once

#include "lang/ir/ir.hpp"

namespace quern::target {

// Whether it computes with doubles or converts to or from them.
inline bool is_double(const ir::Inst& i) {
  return i.type->kind == ir::TypeKind::kF64 || i.operand(0)->type->kind == ir::TypeKind::kF64;
}

// NVIDIA's GLSL and SPIR-V compilers (driver 580) replace the lower half of such a number by a conversion of
// the float to 32 bits, which saturates.
inline bool is_float_to_wide(const ir::Inst& i) {
  return i.is(ir::Op::kConvert) && i.operand(0)->type->is_float() && i.type->is_int() && i.type->size == 8;
}

}  // namespace quern::target
