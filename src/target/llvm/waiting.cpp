// Requirements of a kernel on its execution.
#include <algorithm>

#include "lang/pass/waiting_loops.hpp"
#include "lang/pass/walk.hpp"
#include "target/llvm/abi.hpp"
#include "target/llvm/plan.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {

bool names_whole_warp(const Inst* i) {
  const ir::Const* mask = i->operands.empty() ? nullptr : ir::as_const(i->operand(0));
  return is_warp_op(i->op) && mask != nullptr && (mask->bits & 0xFFFF'FFFF) == 0xFFFF'FFFF;
}

// Whether both sides of a divergent branch synchronize the whole warp: each waits for the other.
bool meets_across_branches(const ir::Function& kernel) {
  const pass::Uniformity lanes(kernel, pass::Uniformity::Group::kVector);
  std::unordered_map<const Inst*, const ir::Block*> ways;
  bool found = false;
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (!names_whole_warp(i)) return;
    const ir::Block* way = i->parent;
    for (const Inst* c = way->owner; c != nullptr; way = c->parent, c = way->owner) {
      if (!c->is(Op::kIf) && !c->is(Op::kSwitch)) continue;
      const auto [at, is_first] = ways.try_emplace(c, way);
      if (!is_first && at->second != way && !lanes.is_uniform_branch(c)) found = true;
    }
  });
  return found;
}

// The operations of row indices and their values, cheap enough to hide behind memory accesses.
bool is_of_stream(const Inst* i) {
  switch (i->op) {
    case Op::kVar:
    case Op::kLoad:
    case Op::kStore:
    case Op::kOffset:
    case Op::kFieldPtr:
    case Op::kSpaceCast:
    case Op::kThreadId:
    case Op::kBlockId:
    case Op::kBlockDim:
    case Op::kGridDim:
    case Op::kConvert:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kNeg:
    case Op::kMin:
    case Op::kMax:
    case Op::kFma:
    case Op::kNot:
    case Op::kSelect:
    case Op::kIf:
    case Op::kScope:
    case Op::kExit:
    case Op::kReturn: return true;
    default: return i->type != nullptr && i->type->is_bool();
  }
}

// If a thread only moves a few numbers between its own memory locations: the size in bytes of the smallest
// that it writes. Otherwise 0.
uint32_t stream_bytes(const ir::Function& kernel) {
  constexpr size_t kMostAccesses = 4, kMostInstructions = 32;
  constexpr uint32_t kWord = 4;
  size_t accesses = 0, size = 0;
  uint32_t bytes = kWord;
  bool is_plain = true;
  pass::traverse(kernel.body, [&](const Inst* i) {
    ++size;
    is_plain = is_plain && is_of_stream(i);
    const bool is_access = i->is(Op::kLoad) || i->is(Op::kStore);
    const Inst* at = is_access ? ir::as_inst(i->operand(0)) : nullptr;
    if (!is_access || (at != nullptr && at->is(Op::kVar))) return;
    ++accesses;
    if (i->is(Op::kStore)) bytes = std::min(bytes, static_cast<uint32_t>(i->operand(1)->type->size));
  });
  const bool is_stream = is_plain && accesses > 0 && accesses <= kMostAccesses && size <= kMostInstructions;
  return is_stream ? std::max(1u, bytes) : 0;
}

}  // namespace

Demand demand(const ir::Function& kernel) {
  Demand d;
  pass::traverse(kernel.body, [&](const Inst* i) {
    if (is_warp_op(i->op) || i->is(Op::kActiveMask)) d.warp = true;
    if (i->is(Op::kGridBarrier)) d.grid_barrier = true;
    if (i->is(Op::kNanoSleep)) d.sleeps = true;
    if (i->is(Op::kClusterBarrier)) d.clusters = true;
    if (i->is(Op::kMapShared)) d.clusters = d.maps_shared = true;
  });
  d.waits = !pass::waiting_loops(kernel).empty() || (d.warp && meets_across_branches(kernel));
  d.stream_bytes = stream_bytes(kernel);
  return d;
}

}  // namespace quern::llvm
