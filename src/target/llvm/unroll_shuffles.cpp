#include "target/llvm/unroll_shuffles.hpp"

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/llvm/abi.hpp"

namespace quern::llvm {
namespace {

using ir::Inst;
using ir::Op;

constexpr size_t kMostInstructions = 60;  // of a round

// A shuffle by an amount that may become a constant, and nothing that the device must be able to name but
// operations of the warp.
bool is_wanted(const Inst* loop) {
  bool shuffles = false, is_plain = true;
  size_t size = 0;
  for (ir::Block* block : loop->blocks) {
    pass::traverse(block, [&](const Inst* i) {
      ++size;
      shuffles = shuffles || (i->is(Op::kShuffle) && ir::as_const(i->operand(2)) == nullptr);
      switch (i->op) {
        case Op::kPrintf:
        case Op::kAssert:
        case Op::kTrap:
        case Op::kBarrier:
        case Op::kBarrierCount:
        case Op::kBarrierAnd:
        case Op::kBarrierOr:
        case Op::kGridBarrier:
        case Op::kClusterBarrier: is_plain = false; break;
        default: break;
      }
    });
  }
  return shuffles && is_plain && size <= kMostInstructions;
}

}  // namespace

bool unroll_shuffles(ir::Module& module, ir::Function& kernel) {
  constexpr int32_t kAsked = -1, kNever = 1;
  bool found = false;
  pass::traverse(kernel.body, [&](Inst* i) {
    if (!i->is(Op::kLoop)) return;
    const bool unrolls = i->attr().unroll != kNever && is_wanted(i);
    i->mutable_attr().unroll = unrolls ? kAsked : kNever;
    found = found || unrolls;
  });
  if (!found) return false;
  pass::unroll_loops(module, kernel);
  pass::nest_exits(module);
  pass::simplify(module);
  return true;
}

}  // namespace quern::llvm
