#include "lang/ir/op.hpp"

#include <array>

namespace quern::ir {
namespace {

constexpr std::array<OpInfo, kOpCount> kOps = {{
#define X(id, text, arity, properties, group, signature) {text, arity, properties, OpGroup::group, signature},
    QUERN_IR_OPS(X)
#undef X
}};

constexpr std::array<std::string_view, 10> kRmws = {"add", "sub", "min",      "max", "and",
                                                    "or",  "xor", "exchange", "inc", "dec"};
constexpr std::array<std::string_view, 3> kScopes = {"block", "device", "system"};
constexpr std::array<std::string_view, 4> kShuffles = {"index", "up", "down", "xor"};
constexpr std::array<std::string_view, 4> kRoundings = {"nearest", "zero", "up", "down"};

}  // namespace

const OpInfo& info(Op op) { return kOps[static_cast<size_t>(op)]; }

char operand_letter(Op op, size_t operand) {
  const std::string_view signature = info(op).signature;
  const bool is_checked = !signature.starts_with('*') && operand + 2 < signature.size();
  return is_checked ? signature[operand] : '\0';
}

char result_letter(Op op) {
  const std::string_view signature = info(op).signature;
  return signature.empty() ? '\0' : signature.back();
}

std::string_view name(Rmw rmw) { return kRmws[static_cast<size_t>(rmw)]; }
std::string_view name(Scope scope) { return kScopes[static_cast<size_t>(scope)]; }
std::string_view name(ShuffleKind kind) { return kShuffles[static_cast<size_t>(kind)]; }
std::string_view name(Rounding rounding) { return kRoundings[static_cast<size_t>(rounding)]; }

uint32_t attributes(Op op) {
  switch (op) {
    case Op::kAddR:
    case Op::kMulR:
    case Op::kDivR:
    case Op::kFmaR:
    case Op::kSqrtR:
    case Op::kConvertR: return kAttrRound;
    case Op::kExtract:
    case Op::kInsert:
    case Op::kAsyncCopy:
    case Op::kAsyncWait:
    case Op::kMatrixForm:
    case Op::kMatrixFill:
    case Op::kMatrixLoad:
    case Op::kMatrixStore:
    case Op::kMatrixMultiply:
    case Op::kMma:
    case Op::kMatrixRows:
    case Op::kSharedPointer: return kAttrIndex;
    case Op::kVar: return kAttrType | kAttrAlign;
    case Op::kLoad:
    case Op::kStore: return kAttrAlign | kAttrVolatile | kAttrStray;
    case Op::kOffset:
    case Op::kPtrDiff: return kAttrScale;
    case Op::kFieldPtr: return kAttrType | kAttrIndex;
    case Op::kIsSpace: return kAttrSpace;
    case Op::kAtomicRmw: return kAttrRmw | kAttrScope;
    case Op::kAtomicCas:
    case Op::kAtomicLoad:
    case Op::kAtomicStore: return kAttrScope;
    case Op::kFence: return kAttrScope | kAttrFast;
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim:
    case Op::kClusterDim: return kAttrDimension;
    case Op::kShuffle: return kAttrShuffle;
    case Op::kWarpReduce: return kAttrRmw;
    case Op::kPrintf:
    case Op::kAssert:
    case Op::kPtx: return kAttrText;
    case Op::kCall: return kAttrCallee;
    case Op::kLoop: return kAttrUnroll;
    case Op::kSwitch: return kAttrCases;
    case Op::kExit:
    case Op::kContinue: return kAttrTarget;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kRem: return kAttrFast;
    default: return has(op, kMath) ? uint32_t{kAttrFast} : 0;
  }
}

}  // namespace quern::ir
