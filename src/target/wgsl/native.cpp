#include "target/wgsl/native.hpp"

#include "lang/expand/expand.hpp"
#include "target/basic_real.hpp"

namespace quern::target::wgsl {

using ir::Inst;
using ir::Op;

namespace {

bool is_native_real(const Inst& i, const Options& options) {
  if (ir::has(i.op, ir::kBasic)) return true;
  switch (i.op) {
    case Op::kFloor:
    case Op::kCeil:
    case Op::kTrunc:
    case Op::kRint: return true;
    // WGSL guarantees little accuracy for these: division within 2.5 units, the others less.
    case Op::kDiv:
    case Op::kSqrt:
    case Op::kFma:
    case Op::kRsqrt:
    case Op::kExp:
    case Op::kExp2:
    case Op::kLog:
    case Op::kLog2: return options.math == driver::Math::fast || i.attr().fast;
    // Within 2^-11; CUDA's __sinf and __cosf are within 2^-21.
    case Op::kSin:
    case Op::kCos:
    case Op::kTan: return options.math == driver::Math::fast;
    default: return false;
  }
}

}  // namespace

bool is_native_operation(const Inst& i, const Options& options) {
  const ir::Type* t = i.operand(0)->type;
  if (is_double(i)) return expand::is_soft_operation(i);
  if (t->is_float()) return is_native_real(i, options);
  if (t->size == 8) return true;  // expand::lower_wide_integers handles them
  if (ir::group(i.op) == ir::OpGroup::kBits) return ir::has(i.op, ir::kBasic) && t->size == 4;
  return !i.is(Op::kConvertR);
}

}  // namespace quern::target::wgsl
