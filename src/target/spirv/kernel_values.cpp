// Functions, bits, threads and control flow, as in OpenCL.
#include "target/spirv/kernel_emitter.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;
using ir::Type;

namespace {

constexpr uint32_t kAllMemory = kAcquireRelease | kCrossWorkgroupMemory | kWorkgroupMemory;

}  // namespace

std::optional<OpenCl> opencl_function(Op op) {
  switch (op) {
    case Op::kAcos: return OpenCl::kAcos;
    case Op::kAcosh: return OpenCl::kAcosh;
    case Op::kAsin: return OpenCl::kAsin;
    case Op::kAsinh: return OpenCl::kAsinh;
    case Op::kAtan: return OpenCl::kAtan;
    case Op::kAtan2: return OpenCl::kAtan2;
    case Op::kAtanh: return OpenCl::kAtanh;
    case Op::kCbrt: return OpenCl::kCbrt;
    case Op::kCeil: return OpenCl::kCeil;
    case Op::kCopysign: return OpenCl::kCopysign;
    case Op::kCos: return OpenCl::kCos;
    case Op::kCosh: return OpenCl::kCosh;
    case Op::kErfc: return OpenCl::kErfc;
    case Op::kErf: return OpenCl::kErf;
    case Op::kExp: return OpenCl::kExp;
    case Op::kExp2: return OpenCl::kExp2;
    case Op::kExp10: return OpenCl::kExp10;
    case Op::kExpm1: return OpenCl::kExpm1;
    case Op::kAbs: return OpenCl::kFabs;
    case Op::kFdim: return OpenCl::kFdim;
    case Op::kFloor: return OpenCl::kFloor;
    case Op::kFma: return OpenCl::kFma;
    case Op::kRem: return OpenCl::kFmod;
    case Op::kHypot: return OpenCl::kHypot;
    case Op::kLdexp: return OpenCl::kLdexp;
    case Op::kLgamma: return OpenCl::kLgamma;
    case Op::kLog: return OpenCl::kLog;
    case Op::kLog2: return OpenCl::kLog2;
    case Op::kLog10: return OpenCl::kLog10;
    case Op::kLog1p: return OpenCl::kLog1p;
    case Op::kNextafter: return OpenCl::kNextafter;
    case Op::kPow: return OpenCl::kPow;
    case Op::kRemainder: return OpenCl::kRemainder;
    case Op::kRint: return OpenCl::kRint;
    case Op::kRound: return OpenCl::kRound;
    case Op::kRsqrt: return OpenCl::kRsqrt;
    case Op::kSin: return OpenCl::kSin;
    case Op::kSinh: return OpenCl::kSinh;
    case Op::kSqrt: return OpenCl::kSqrt;
    case Op::kTan: return OpenCl::kTan;
    case Op::kTanh: return OpenCl::kTanh;
    case Op::kTgamma: return OpenCl::kTgamma;
    case Op::kTrunc: return OpenCl::kTrunc;
    default: return std::nullopt;
  }
}

// Translators to LLVM require shift amounts as wide as the shifted value.
Id KernelEmitter::op(Opcode code, Id type, const Ids& operands) {
  const bool is_shift = code == Opcode::kShiftLeftLogical || code == Opcode::kShiftRightLogical ||
                        code == Opcode::kShiftRightArithmetic;
  if (!is_shift || type != u64()) return Emitter::op(code, type, operands);
  return Emitter::op(code, type, Ids{operands[0], widen(operands[1])});
}

Id KernelEmitter::real(const Inst* i) {
  const std::optional<OpenCl> function = opencl_function(i->op);
  if (!function) return Emitter::real(i);
  Ids operands;
  for (const ir::Value* v : i->operands) operands.push_back(scalar(v));
  return extended(to_word(*function), held(i->type), operands);
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
    case Op::kPopc: return count(op(Opcode::kBitCount, type, {x}));
    case Op::kClz: return count(extended(to_word(OpenCl::kClz), type, {x}));
    case Op::kCtz: {
      const Id lowest = op(Opcode::kBitwiseAnd, type, {x, op(Opcode::kSNegate, type, {x})});
      const Id leading = count(extended(to_word(OpenCl::kClz), type, {lowest}));
      const Id trailing = op(Opcode::kISub, u32(), {b_.u32(t->bits() - 1), leading});
      const Id is_zero = op(Opcode::kIEqual, b_.bool_type(), {x, word(rep, 0)});
      return op(Opcode::kSelect, u32(), {is_zero, b_.u32(t->bits()), trailing});
    }
    case Op::kBrev: return reversed(x, rep);
    default: return 0;
  }
}

// Swaps halves, then their halves.
Id KernelEmitter::reversed(Id id, Rep rep) {
  const Id type = rep_type(b_, rep);
  uint64_t mask = rep == Rep::kU64 ? ~uint64_t{0} : 0xffffffffU;
  for (uint32_t by = rep == Rep::kU64 ? 32 : 16; by != 0; by /= 2) {
    mask ^= mask << by;
    const Id ones = word(rep, rep == Rep::kU64 ? mask : mask & 0xffffffffU);
    const Id upper = op(Opcode::kShiftRightLogical, type, {id, b_.u32(by)});
    const Id lower = op(Opcode::kBitwiseAnd, type, {id, ones});
    id = op(Opcode::kBitwiseOr, type,
            {op(Opcode::kBitwiseAnd, type, {upper, ones}),
             op(Opcode::kShiftLeftLogical, type, {lower, b_.u32(by)})});
  }
  return id;
}

Id KernelEmitter::sign_extended(Id id, uint32_t bits) {
  const Id narrow = op(Opcode::kUConvert, b_.int_type(bits), {id});
  return op(Opcode::kSConvert, u32(), {narrow});
}

Id KernelEmitter::index_value(const Inst* i) {
  const auto part = [&](BuiltIn which, std::string_view name, uint32_t dimension) {
    const Id whole = op(Opcode::kLoad, b_.vector_type(u64(), 3), {b_.builtin(which, name, 64)});
    return low(op(Opcode::kCompositeExtract, u64(), {whole, dimension}));
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
  Id linear = op(Opcode::kIMul, u32(), {size(1), thread(2)});
  linear = op(Opcode::kIAdd, u32(), {linear, thread(1)});
  linear = op(Opcode::kIMul, u32(), {linear, size(0)});
  linear = op(Opcode::kIAdd, u32(), {linear, thread(0)});
  return op(Opcode::kBitwiseAnd, u32(), {linear, b_.u32(31)});
}

void KernelEmitter::barrier() {
  const Id workgroup = b_.u32(static_cast<uint32_t>(Scope::kWorkgroup));
  effect(Opcode::kControlBarrier, {workgroup, workgroup, b_.u32(kAllMemory)});
}

void KernelEmitter::fence(const Inst* i) {
  const bool in_block = i->attr().scope == ir::Scope::kBlock;
  const Id scope = b_.u32(static_cast<uint32_t>(in_block ? Scope::kWorkgroup : Scope::kDevice));
  effect(Opcode::kMemoryBarrier, {scope, b_.u32(kAllMemory)});
}

// Only an explicit request is written.
void KernelEmitter::loops(Id merge, Id next, uint32_t requested) {
  if (requested != 0) effect(Opcode::kLoopMerge, {merge, next, requested});
}

}  // namespace quern::target::spirv
