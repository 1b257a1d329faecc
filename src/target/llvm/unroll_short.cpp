#include "target/llvm/unroll_short.hpp"

#include "lang/pass/pass.hpp"
#include "lang/pass/walk.hpp"
#include "target/llvm/abi.hpp"

namespace quern::llvm {
namespace {

using ir::Inst;
using ir::Op;

constexpr size_t kMostInstructions = 60;   // of an iteration that shuffles
constexpr size_t kShortInstructions = 24;  // of any other
constexpr int32_t kNever = 1, kAllRounds = -1, kFewRounds = 8;

// The maximum number of iterations to unroll. The loop must not contain sites that the device has to
// identify, except for warp operations.
int32_t most_rounds(const Inst* loop) {
  bool shuffles = false, is_plain = true, has_loop = false;
  size_t size = 0;
  for (ir::Block* block : loop->blocks) {
    pass::traverse(block, [&](const Inst* i) {
      ++size;
      shuffles = shuffles || (i->is(Op::kShuffle) && ir::as_const(i->operand(2)) == nullptr);
      has_loop = has_loop || i->is(Op::kLoop);
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
  if (!is_plain || loop->attr().unroll == kNever) return kNever;
  if (shuffles && size <= kMostInstructions) return kAllRounds;
  return !has_loop && size <= kShortInstructions ? kFewRounds : kNever;
}

}  // namespace

bool unroll_short(ir::Module& module, ir::Function& kernel) {
  bool found = false;
  pass::traverse(kernel.body, [&](Inst* i) {
    if (!i->is(Op::kLoop)) return;
    const int32_t rounds = most_rounds(i);
    i->mutable_attr().unroll = rounds;
    found = found || rounds != kNever;
  });
  if (!found) return false;
  pass::unroll_loops(module, kernel);
  pass::nest_exits(module);
  pass::simplify(module);
  return true;
}

}  // namespace quern::llvm
