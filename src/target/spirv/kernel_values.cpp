// Functions, bits, threads and control flow, as in OpenCL.
#include "target/spirv/kernel_emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Type;

namespace {

constexpr uint32_t kClz = 151;  // of OpenCL.std
constexpr uint32_t kAllMemory = kAcquireRelease | kCrossWorkgroupMemory | kWorkgroupMemory;

}  // namespace

std::optional<uint32_t> opencl_function(Op op) {
  switch (op) {
    case Op::kAcos: return 0;
    case Op::kAcosh: return 1;
    case Op::kAsin: return 3;
    case Op::kAsinh: return 4;
    case Op::kAtan: return 6;
    case Op::kAtan2: return 7;
    case Op::kAtanh: return 8;
    case Op::kCbrt: return 11;
    case Op::kCeil: return 12;
    case Op::kCopysign: return 13;
    case Op::kCos: return 14;
    case Op::kCosh: return 15;
    case Op::kErfc: return 17;
    case Op::kErf: return 18;
    case Op::kExp: return 19;
    case Op::kExp2: return 20;
    case Op::kExp10: return 21;
    case Op::kExpm1: return 22;
    case Op::kAbs: return 23;
    case Op::kFdim: return 24;
    case Op::kFloor: return 25;
    case Op::kFma: return 26;
    case Op::kRem: return 29;
    case Op::kHypot: return 32;
    case Op::kLdexp: return 34;
    case Op::kLgamma: return 35;
    case Op::kLog: return 37;
    case Op::kLog2: return 38;
    case Op::kLog10: return 39;
    case Op::kLog1p: return 40;
    case Op::kNextafter: return 47;
    case Op::kPow: return 48;
    case Op::kRemainder: return 51;
    case Op::kRint: return 53;
    case Op::kRound: return 55;
    case Op::kRsqrt: return 56;
    case Op::kSin: return 57;
    case Op::kSinh: return 59;
    case Op::kSqrt: return 61;
    case Op::kTan: return 62;
    case Op::kTanh: return 63;
    case Op::kTgamma: return 65;
    case Op::kTrunc: return 66;
    default: return std::nullopt;
  }
}

// Translators to LLVM require shift amounts as wide as the shifted value.
Id KernelEmitter::op(Code code, Id type, const Ids& operands) {
  const bool is_shift = code == Code::kShiftLeftLogical || code == Code::kShiftRightLogical ||
                        code == Code::kShiftRightArithmetic;
  if (!is_shift || type != u64()) return Emitter::op(code, type, operands);
  return Emitter::op(code, type, Ids{operands[0], widen(operands[1])});
}

Id KernelEmitter::real(const Inst* i) {
  const std::optional<uint32_t> function = opencl_function(i->op);
  if (!function) return Emitter::real(i);
  Ids operands;
  for (const ir::Value* v : i->operands) operands.push_back(scalar(v));
  return extended(*function, held(i->type), operands);
}

// The lowest set bit alone has as many trailing zeros as the whole number; OpenCL 1.2 only counts leading
// ones.
Id KernelEmitter::bits_function(const Inst* i) {
  const Type* t = i->operand(0)->type;
  if (t->size < 4) return 0;
  const Rep rep = t->size == 8 ? Rep::kU64 : Rep::kU32;
  const Id type = rep_type(b_, rep), x = scalar(i->operand(0));
  const auto count = [&](Id id) { return rep == Rep::kU64 ? low(id) : id; };
  switch (i->op) {
    case Op::kPopc: return count(op(Code::kBitCount, type, {x}));
    case Op::kClz: return count(extended(kClz, type, {x}));
    case Op::kCtz: {
      const Id lowest = op(Code::kBitwiseAnd, type, {x, op(Code::kSNegate, type, {x})});
      const Id leading = count(extended(kClz, type, {lowest}));
      const Id trailing = op(Code::kISub, u32(), {b_.u32(t->bits() - 1), leading});
      const Id is_zero = op(Code::kIEqual, b_.bool_type(), {x, word(rep, 0)});
      return op(Code::kSelect, u32(), {is_zero, b_.u32(t->bits()), trailing});
    }
    default: return reversed(x, rep);
  }
}

// Swaps halves, then their halves.
Id KernelEmitter::reversed(Id id, Rep rep) {
  const Id type = rep_type(b_, rep);
  uint64_t mask = rep == Rep::kU64 ? ~uint64_t{0} : 0xffffffffU;
  for (uint32_t by = rep == Rep::kU64 ? 32 : 16; by != 0; by /= 2) {
    mask ^= mask << by;
    const Id ones = word(rep, rep == Rep::kU64 ? mask : mask & 0xffffffffU);
    const Id upper = op(Code::kShiftRightLogical, type, {id, b_.u32(by)});
    const Id lower = op(Code::kBitwiseAnd, type, {id, ones});
    id = op(
        Code::kBitwiseOr, type,
        {op(Code::kBitwiseAnd, type, {upper, ones}), op(Code::kShiftLeftLogical, type, {lower, b_.u32(by)})});
  }
  return id;
}

Id KernelEmitter::sign_extended(Id id, uint32_t bits) {
  const Id narrow = op(Code::kUConvert, b_.int_type(bits), {id});
  return op(Code::kSConvert, u32(), {narrow});
}

Id KernelEmitter::index_value(const Inst* i) {
  const auto part = [&](BuiltIn which, std::string_view name, uint32_t dimension) {
    const Id whole = op(Code::kLoad, b_.vector_type(u64(), 3), {b_.builtin(which, name, 64)});
    return low(op(Code::kCompositeExtract, u64(), {whole, dimension}));
  };
  const auto thread = [&](uint32_t d) { return part(BuiltIn::kLocalInvocationId, "threadIdx", d); };
  const auto size = [&](uint32_t d) { return part(BuiltIn::kWorkgroupSize, "blockDim", d); };
  const uint32_t d = i->attr().index;
  switch (i->op) {
    case Op::kThreadId: return thread(d);
    case Op::kBlockId: return part(BuiltIn::kWorkgroupId, "blockIdx", d);
    case Op::kBlockDim: return size(d);
    case Op::kGridDim: return part(BuiltIn::kNumWorkgroups, "gridDim", d);
    case Op::kDynamicSharedSize: return dynamic_bytes_;
    default: break;
  }
  Id linear = op(Code::kIMul, u32(), {size(1), thread(2)});
  linear = op(Code::kIAdd, u32(), {linear, thread(1)});
  linear = op(Code::kIMul, u32(), {linear, size(0)});
  linear = op(Code::kIAdd, u32(), {linear, thread(0)});
  return op(Code::kBitwiseAnd, u32(), {linear, b_.u32(31)});
}

void KernelEmitter::barrier() {
  const Id workgroup = b_.u32(static_cast<uint32_t>(Scope::kWorkgroup));
  effect(Code::kControlBarrier, {workgroup, workgroup, b_.u32(kAllMemory)});
}

void KernelEmitter::fence(const Inst* i) {
  const bool in_block = i->attr().scope == ir::Scope::kBlock;
  const Id scope = b_.u32(static_cast<uint32_t>(in_block ? Scope::kWorkgroup : Scope::kDevice));
  effect(Code::kMemoryBarrier, {scope, b_.u32(kAllMemory)});
}

// Only an explicit request is written.
void KernelEmitter::loops(Id merge, Id next, uint32_t requested) {
  if (requested != 0) effect(Code::kLoopMerge, {merge, next, requested});
}

}  // namespace quern::target::spirv
