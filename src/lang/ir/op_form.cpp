#include "lang/ir/op_form.hpp"

namespace quern::ir {

Yields yields(Op op) {
  switch (op) {
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe: return Yields::kCompared;
    case Op::kVar: return Yields::kVariable;
    case Op::kCall: return Yields::kCalled;
    case Op::kStore:
    case Op::kMemCopy:
    case Op::kMemSet:
    case Op::kAtomicStore:
    case Op::kMatrixFill:
    case Op::kMatrixLoad:
    case Op::kMatrixStore:
    case Op::kMatrixMultiply:
    case Op::kBarrier:
    case Op::kWarpBarrier:
    case Op::kGridBarrier:
    case Op::kClusterBarrier:
    case Op::kBarrierInit:
    case Op::kAsyncCopy:
    case Op::kAsyncCommit:
    case Op::kAsyncWait:
    case Op::kAsyncArrive:
    case Op::kFence:
    case Op::kPrintf:
    case Op::kAssert:
    case Op::kTrap:
    case Op::kNanoSleep: return Yields::kNothing;
    default: break;
  }
  if (has(op, kControl | kTerminator)) return Yields::kNothing;
  return fixed_result(op) != TypeKind::kVoid ? Yields::kFixed : Yields::kTyped;
}

TypeKind fixed_result(Op op) {
  switch (op) {
    case Op::kIsNan:
    case Op::kIsInf:
    case Op::kSignBit:
    case Op::kIsSpace:
    case Op::kBarrierAnd:
    case Op::kBarrierOr:
    case Op::kBarrierPassed:
    case Op::kBarrierParity:
    case Op::kVoteAny:
    case Op::kVoteAll: return TypeKind::kBool;
    case Op::kPopc:
    case Op::kClz:
    case Op::kCtz:
    case Op::kIlogb:
    case Op::kBarrierCount: return TypeKind::kI32;
    case Op::kBytePerm:
    case Op::kFunnel:
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim:
    case Op::kClusterDim:
    case Op::kLaneId:
    case Op::kDynamicSharedSize:
    case Op::kMatrixForm:
    case Op::kBarrierForm:
    case Op::kCopyForm:
    case Op::kActiveMask:
    case Op::kBallot:
    case Op::kMatchAny:
    case Op::kMatchAll: return TypeKind::kU32;
    case Op::kPtrDiff: return TypeKind::kI64;
    case Op::kPtrToInt:
    case Op::kBarrierArrive:
    case Op::kBarrierDrop:
    case Op::kClock:
    case Op::kGlobalTimer: return TypeKind::kU64;
    default: return TypeKind::kVoid;
  }
}

}  // namespace quern::ir
