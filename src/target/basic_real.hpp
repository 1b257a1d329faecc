// What every language can say of floats with its own operators: the part that the lists of native operations
// share.
#pragma once

#include "lang/ir/op.hpp"

namespace quern::target {

inline bool is_basic_real(ir::Op op) {
  switch (op) {
    case ir::Op::kAdd:
    case ir::Op::kSub:
    case ir::Op::kMul:
    case ir::Op::kNeg:
    case ir::Op::kAbs:
    case ir::Op::kIsNan:
    case ir::Op::kIsInf:
    case ir::Op::kSignBit:
    case ir::Op::kEq:
    case ir::Op::kNe:
    case ir::Op::kLt:
    case ir::Op::kLe:
    case ir::Op::kGt:
    case ir::Op::kGe:
    case ir::Op::kConvert: return true;
    default: return false;
  }
}

}  // namespace quern::target
