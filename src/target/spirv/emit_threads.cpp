// Thread indices, and cooperation between threads.
#include "target/messages.hpp"
#include "target/spirv/emitter.hpp"
#include "target/spirv/model.hpp"

namespace quern::target::spirv {

using ir::Inst;
using ir::Op;

namespace {

constexpr uint32_t kAllMemory = kAcquireRelease | kUniformMemory | kWorkgroupMemory;

}  // namespace

uint32_t Emitter::all_memory() const {
  return kAllMemory | (b_.has_vulkan_memory() ? kMakeAvailable | kMakeVisible : 0);
}

Id Emitter::index_value(const Inst* i) {
  const uint32_t d = i->attr().index;
  const auto part = [&](BuiltIn which, std::string_view name, uint32_t dimension) {
    const Id variable = b_.builtin(which, name);
    const Id type = b_.pointer_type(StorageClass::kInput, u32());
    return op(Opcode::kLoad, u32(), {op(Opcode::kAccessChain, type, {variable, b_.u32(dimension)})});
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
  Id linear = op(Opcode::kIMul, u32(), {b_.block_size(1), thread(2)});
  linear = op(Opcode::kIAdd, u32(), {linear, thread(1)});
  linear = op(Opcode::kIMul, u32(), {linear, b_.block_size(0)});
  linear = op(Opcode::kIAdd, u32(), {linear, thread(0)});
  return op(Opcode::kBitwiseAnd, u32(), {linear, b_.u32(31)});
}

// Its position was checked before anything was lowered.
void Emitter::barrier() {
  const Id workgroup = b_.u32(static_cast<uint32_t>(Scope::kWorkgroup));
  effect(Opcode::kControlBarrier, {workgroup, workgroup, b_.u32(all_memory())});
}

void Emitter::warp_barrier() {
  const Id subgroup = b_.u32(static_cast<uint32_t>(Scope::kSubgroup));
  effect(Opcode::kControlBarrier, {subgroup, subgroup, b_.u32(all_memory())});
}

// The lanes in which `yes` is true.
Id Emitter::ballot(Id yes) {
  b_.need(Capability::kGroupNonUniformBallot);
  const Id subgroup = b_.u32(static_cast<uint32_t>(Scope::kSubgroup));
  const Id words = op(Opcode::kGroupNonUniformBallot, b_.vector_type(u32(), 4), {subgroup, yes});
  return op(Opcode::kCompositeExtract, u32(), {words, 0});
}

// Words of another lane: lower_warps leaves no other shuffles.
Id Emitter::shuffle(const Inst* i) {
  b_.need(Capability::kGroupNonUniformShuffle);
  const Id subgroup = b_.u32(static_cast<uint32_t>(Scope::kSubgroup));
  const Id v = scalar(i->operand(1)), lane = scalar(i->operand(2));
  const auto from_lane = [&](Id word) {
    return op(Opcode::kGroupNonUniformShuffle, u32(), {subgroup, word, lane});
  };
  if (i->type->size < 8) return from_lane(v);
  const Id lower = widen(from_lane(low(v)));
  const Id upper = widen(from_lane(low(op(Opcode::kShiftRightLogical, u64(), {v, b_.u32(32)}))));
  return op(Opcode::kBitwiseOr, u64(), {lower, op(Opcode::kShiftLeftLogical, u64(), {upper, b_.u32(32)})});
}

void Emitter::fence(const Inst* i) {
  const bool in_block = i->attr().scope == ir::Scope::kBlock;
  const Id scope = b_.u32(static_cast<uint32_t>(in_block ? Scope::kWorkgroup : Scope::kDevice));
  effect(Opcode::kMemoryBarrier, {scope, b_.u32(all_memory())});
}

Id Emitter::clock(const Inst* i) {
  if (unit_.options.kind != driver::CodeKind::kSpirv) {
    refuse(i, message::kClockIsExtension(unit_.model.api_of(unit_.options)));
    return b_.u64(0);
  }
  if (i->is(Op::kGlobalTimer)) {
    refuse(i, message::kNanosecondClock());
    return b_.u64(0);
  }
  if (!unit_.has(driver::Feature::clock)) {
    refuse(i, message::kClockMissing());
    return b_.u64(0);
  }
  b_.need(Capability::kShaderClock);
  b_.need_extension("SPV_KHR_shader_clock");
  return op(Opcode::kReadClockKHR, u64(), {b_.u32(static_cast<uint32_t>(Scope::kSubgroup))});
}

}  // namespace quern::target::spirv
