// Properties of operations on floats that the lists of native operations share.
#pragma once

#include "lang/ir/eval.hpp"
#include "lang/ir/ir.hpp"

namespace quern::target {

// Whether it computes with doubles or converts to or from them.
inline bool is_double(const ir::Inst& i) {
  return i.type->kind == ir::TypeKind::kF64 || i.operand(0)->type->kind == ir::TypeKind::kF64;
}

// Functions such as exp and sin. Compilers of WGSL and GLSL inline every call, and on doubles that are
// integers (expand::lower_doubles) one such function takes them seconds: lower_doubles refuses them there.
inline bool is_long_function(const ir::Inst& i) { return ir::has(i.op, ir::kMath) && !ir::is_exact(i.op); }

// NVIDIA's GLSL and SPIR-V compilers (driver 580) replace the lower half of such a number by a conversion of
// the float to 32 bits, which saturates.
inline bool is_float_to_wide(const ir::Inst& i) {
  return i.is(ir::Op::kConvert) && i.operand(0)->type->is_float() && i.type->is_int() && i.type->size == 8;
}

}  // namespace quern::target
