// Integer additions to memory at the end of a kernel whose blocks are interleaved: the blocks of a call add
// to the same addresses (`atomicAdd(&bins[threadIdx.x], own[threadIdx.x])`). Their sum is added once.
#include <algorithm>
#include <unordered_set>

#include "lang/pass/walk.hpp"
#include "target/llvm/plan.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

namespace {

// Depends on the thread's index and on values that are the same in all blocks.
bool is_same_in_blocks(const ir::Value* value, int depth) {
  const Inst* i = ir::as_inst(value);
  if (i == nullptr) return true;
  switch (i->op) {
    case Op::kThreadId:
    case Op::kBlockDim:
    case Op::kGridDim: return true;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kShl:
    case Op::kConvert:
    case Op::kOffset:
    case Op::kFieldPtr:
    case Op::kSpaceCast: break;
    default: return false;
  }
  return depth < 8 &&
         std::ranges::all_of(i->operands, [&](const auto& v) { return is_same_in_blocks(v, depth + 1); });
}

bool is_addition(const Inst* i) {
  return i->is(Op::kAtomicRmw) && i->attr().rmw == ir::Rmw::kAdd && i->attr().scope != ir::Scope::kSystem &&
         i->type->is_int() && i->type->size >= 4 && i->operand(0)->type->space == ir::Space::kGlobal &&
         is_same_in_blocks(i->operand(0), 0);
}

bool reads_shared(const Inst* i) {
  return i->is(Op::kLoad) && i->operand(0)->type->space == ir::Space::kShared && !i->attr().is_volatile;
}

}  // namespace

// Nothing that depends on memory follows them in the kernel: no thread of a block can have seen another
// block's effect that comes after its additions.
void Plan::find_merged(const ir::Function& kernel) {
  if (!has_abreast() || width_ == 1 || options_.marks_places) return;
  std::unordered_set<const ir::Value*> used;
  pass::traverse(kernel.body, [&](const Inst* i) { used.insert(i->operands.begin(), i->operands.end()); });
  for (const Inst* i = kernel.body->last; i != nullptr; i = i->prev) {
    if (is_addition(i) && used.count(i) == 0) {
      merged_.push_back({i, reserve(uint64_t{i->type->size} * width_, 64)});
    } else if (!i->is(Op::kYield) && !i->is(Op::kReturn) && !ir::has(i->op, ir::kPure) && !reads_shared(i)) {
      break;
    }
  }
}

}  // namespace quern::llvm
