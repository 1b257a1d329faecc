#include "target/spirv/native.hpp"

#include "target/basic_real.hpp"
namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Type;

namespace {

bool is_native_real(const Inst& i, const Type* t, const Options& options) {
  if (is_float_to_wide(i)) return false;
  if (ir::has(i.op, ir::kBasic)) return true;
  switch (i.op) {
    case Op::kFloor:
    case Op::kCeil:
    case Op::kTrunc:
    case Op::kRint: return true;
    case Op::kFma: return options.math == driver::Math::fast || (options.floats.fused & t->bits()) != 0;
    // Vulkan guarantees little accuracy for these: division within 2.5 units, the others less.
    case Op::kDiv:
    case Op::kSqrt: return options.math == driver::Math::fast;
    case Op::kRsqrt:
    case Op::kExp:
    case Op::kExp2:
    case Op::kLog:
    case Op::kLog2:
    case Op::kSin:
    case Op::kCos:
    case Op::kTan: return options.math == driver::Math::fast && t->kind == ir::TypeKind::kF32;
    default: return false;
  }
}

}  // namespace

bool is_native_operation(const Inst& i, const Options& options) {
  const Type* t = i.operand(0)->type;
  if (t->is_float()) return is_native_real(i, t, options);
  switch (i.op) {
    case Op::kMulHi: return t->size < 8;
    // NVIDIA's driver 580 sometimes divides 64-bit integers incorrectly.
    case Op::kDiv:
    case Op::kRem: return t->size < 8;
    case Op::kConvertR: return false;
    default: break;
  }
  return ir::group(i.op) != ir::OpGroup::kBits || (ir::has(i.op, ir::kBasic) && t->size >= 4);
}

bool is_native_atomic(const Inst& i, const Options& options) {
  return i.is(Op::kAtomicRmw) && i.attr().rmw == ir::Rmw::kAdd && i.type->kind == ir::TypeKind::kF32 &&
         i.operand(0)->type->space == ir::Space::kGlobal &&
         options.features.has(driver::Feature::addresses) && options.native.has(driver::Feature::atomics_f32);
}

}  // namespace quern::target::spirv
