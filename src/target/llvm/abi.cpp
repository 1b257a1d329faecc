#include "target/llvm/abi.hpp"

#include <algorithm>

#include "base/round_up.hpp"
#include "lang/pass/walk.hpp"

namespace quern::llvm {
namespace {

constexpr uint64_t kSharedAlign = 64;

}  // namespace

bool is_warp_op(ir::Op op) { return ir::group(op) == ir::OpGroup::kWarp && op != ir::Op::kActiveMask; }

std::vector<const ir::Inst*> sites(const ir::Function& kernel) {
  std::vector<const ir::Inst*> all;
  pass::traverse(kernel.body, [&](const ir::Inst* i) {
    if (is_warp_op(i->op)) all.push_back(i);
    switch (i->op) {
      case ir::Op::kPrintf:
      case ir::Op::kAssert:
      case ir::Op::kTrap:
      case ir::Op::kBarrier:
      case ir::Op::kBarrierCount:
      case ir::Op::kBarrierAnd:
      case ir::Op::kBarrierOr:
      case ir::Op::kGridBarrier:
      case ir::Op::kClusterBarrier: all.push_back(i); break;
      default: break;
    }
  });
  return all;
}

ArgumentLayout argument_layout(const ir::Function& kernel) {
  ArgumentLayout layout;
  for (const ir::Param* p : kernel.params) {
    layout.bytes = base::round_up(layout.bytes, p->type->align);
    layout.offsets.push_back(layout.bytes);
    layout.bytes += p->type->size;
  }
  return layout;
}

SharedLayout shared_layout(const ir::Function& kernel) {
  SharedLayout layout;
  const auto add = [&](const ir::Global* g) {
    if (g->space != ir::Space::kShared || layout.of(g) != ~uint64_t{0}) return;
    const bool is_dynamic = g->object->is_array() && g->object->count == 0;
    if (!is_dynamic) layout.bytes = base::round_up(layout.bytes, std::max<uint64_t>(16, g->align));
    layout.offsets.emplace_back(g, is_dynamic ? ~uint64_t{1} : layout.bytes);
    if (!is_dynamic) layout.bytes += g->object->size;
  };
  pass::traverse(kernel.body, [&](const ir::Inst* i) {
    for (const ir::Value* v : i->operands) {
      if (v->kind == ir::ValueKind::kGlobal) add(static_cast<const ir::Global*>(v));
    }
  });
  layout.bytes = base::round_up(layout.bytes, kSharedAlign);
  for (auto& [global, offset] : layout.offsets) {
    if (offset == ~uint64_t{1}) offset = layout.bytes;
  }
  return layout;
}

uint64_t SharedLayout::of(const ir::Global* global) const {
  const auto at =
      std::find_if(offsets.begin(), offsets.end(), [&](const auto& o) { return o.first == global; });
  return at != offsets.end() ? at->second : ~uint64_t{0};
}

std::string variable_symbol(size_t index) { return "qv" + std::to_string(index); }

}  // namespace quern::llvm
