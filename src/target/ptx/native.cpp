#include "target/ptx/native.hpp"

#include "target/ptx/register_class.hpp"

namespace quern::target::ptx {

using ir::Inst;
using ir::Op;
using ir::Rmw;
using ir::Type;
using ir::TypeKind;

namespace {

bool is_native_function(Op op, int architecture) {
  switch (op) {
    case Op::kExp:
    case Op::kExp2:
    case Op::kExp10:
    case Op::kLog:
    case Op::kLog2:
    case Op::kLog10:
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kPow: return true;
    case Op::kTanh: return architecture >= 75;
    default: return false;
  }
}

bool is_native_real(const Inst& i, const Type* t, const Options& options, int architecture) {
  if (ir::has(i.op, ir::kBasic)) return true;
  switch (i.op) {
    case Op::kDiv:
    case Op::kSqrt:
    case Op::kFma:
    case Op::kMin:
    case Op::kMax:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kTrunc:
    case Op::kRint:
    case Op::kCopysign:
    case Op::kAddR:
    case Op::kMulR:
    case Op::kDivR:
    case Op::kFmaR:
    case Op::kSqrtR:
    case Op::kConvertR: return true;
    case Op::kRsqrt: return t->kind == TypeKind::kF32;  // within two units in the last place
    default: break;
  }
  const bool is_fast = i.attr().fast || options.math == driver::Math::fast;
  return is_fast && t->kind == TypeKind::kF32 && is_native_function(i.op, architecture);
}

}  // namespace

bool is_native_operation(const Inst& i, const Options& options, int architecture) {
  const Type* t = i.operand(0)->type;
  if (is_half(t) || is_half(i.type)) return true;  // the remaining ones
  if (t->is_float()) return is_native_real(i, t, options, architecture);
  return !i.is(Op::kDot4) || architecture >= 61;
}

bool is_native_half(const Inst& i, int architecture) {
  const Type* to = i.type;
  const Type* from = i.operand(0)->type;
  switch (i.op) {
    case Op::kNeg:
    case Op::kAbs: return true;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul: return to->kind == TypeKind::kF16 && architecture >= 53;
    case Op::kFma: return to->kind == TypeKind::kF16 ? architecture >= 53 : architecture >= 80;
    case Op::kConvert:
      if (to->kind == TypeKind::kF32 || from->kind == TypeKind::kF32)
        return to->is_float() && from->is_float();
      return to->kind == TypeKind::kF16 &&
             (from->is_int() || from->kind == TypeKind::kF64 || from->is_bool());
    case Op::kConvertR: return to->kind == TypeKind::kF16 && !is_half(from);
    default: return false;
  }
}

bool is_native_atomic(const Inst& i, int architecture) {
  if (i.operand(0)->type->space == ir::Space::kLocal) return false;
  if (!i.is(Op::kAtomicRmw)) return false;
  const Rmw rmw = i.attr().rmw;
  switch (i.type->kind) {
    case TypeKind::kF16: return rmw == Rmw::kAdd && architecture >= 70;
    case TypeKind::kBF16: return rmw == Rmw::kAdd && architecture >= 90;
    case TypeKind::kF32: return rmw == Rmw::kAdd || rmw == Rmw::kSub;
    case TypeKind::kF64: return (rmw == Rmw::kAdd || rmw == Rmw::kSub) && architecture >= 60;
    case TypeKind::kU32: return rmw == Rmw::kInc || rmw == Rmw::kDec;
    default: return false;
  }
}

}  // namespace quern::target::ptx
