// Where a thread is, and what threads do together.
#include "target/spirv/emitter.hpp"
#include "target/spirv/model.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;

namespace {

constexpr uint32_t kAllMemory = kAcquireRelease | kUniformMemory | kWorkgroupMemory;

}  // namespace

Id Emitter::index_value(const Inst* i) {
  const uint32_t d = i->attr().index;
  const auto part = [&](BuiltIn which, std::string_view name, uint32_t dimension) {
    const Id variable = b_.builtin(which, name);
    const Id type = b_.pointer_type(Storage::kInput, u32());
    return op(Code::kLoad, u32(), {op(Code::kAccessChain, type, {variable, b_.u32(dimension)})});
  };
  const auto thread = [&](uint32_t dimension) {
    return part(BuiltIn::kLocalInvocationId, "threadIdx", dimension);
  };
  switch (i->op) {
    case Op::kThreadId: return thread(d);
    case Op::kBlockId: return part(BuiltIn::kWorkgroupId, "blockIdx", d);
    case Op::kBlockDim: return b_.block_size(d);
    case Op::kGridDim: return part(BuiltIn::kNumWorkgroups, "gridDim", d);
    case Op::kDynamicSharedSize: return unit_.dynamic_bytes();
    default: break;
  }
  // The lane: x + size.x * (y + size.y * z), modulo 32.
  Id linear = op(Code::kIMul, u32(), {b_.block_size(1), thread(2)});
  linear = op(Code::kIAdd, u32(), {linear, thread(1)});
  linear = op(Code::kIMul, u32(), {linear, b_.block_size(0)});
  linear = op(Code::kIAdd, u32(), {linear, thread(0)});
  return op(Code::kBitwiseAnd, u32(), {linear, b_.u32(31)});
}

// Where it may stand was checked before anything was lowered.
void Emitter::barrier() {
  const Id workgroup = b_.u32(static_cast<uint32_t>(Scope::kWorkgroup));
  effect(Code::kControlBarrier, {workgroup, workgroup, b_.u32(kAllMemory)});
}

void Emitter::fence(const Inst* i) {
  const bool in_block = i->attr().scope == ir::Scope::kBlock;
  const Id scope = b_.u32(static_cast<uint32_t>(in_block ? Scope::kWorkgroup : Scope::kDevice));
  effect(Code::kMemoryBarrier, {scope, b_.u32(kAllMemory)});
}

Id Emitter::clock(const Inst* i) {
  refuse(i, "reads a clock, which " + std::string(unit_.model.api) + " has only as an extension");
  return b_.u64(0);
}

}  // namespace quern::target::spirv
