// A loop whose threads take elements side by side and step over each other's (`i += gridDim.x * blockDim.x`).
// Bundle after bundle would walk through memory once each, a cache line's part at a time. Here all bundles of
// the block do one turn of the loop, then the next: together they read what lies side by side.
#include "lang/pass/loop_shape.hpp"
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;

void Emitter::woven_loop(const Inst* i, const GroupMask& mask, std::vector<const Inst*>& items) {
  const GroupMask inner = new_group_mask();
  clear_masks({inner.slot});
  run_items(items, mask, [&] { store_mask(record(inner.slot), mask_text(mask_)); });
  const Text turn = fresh_label("turn"), end = fresh_label("woven");
  size_t size = 0;
  for (const ir::Block* b : i->blocks) size += plan_.size_of(b);
  // Code of the head or step; who goes on is kept in the record.
  const auto asking = [&](const ir::Block* block) {
    const Inst* yield = pass::yield_of(block);
    for (const Inst* k : *block) {
      if (k != yield && !is_terminated_) inst(k);
    }
    if (yield == nullptr || is_terminated_) return;
    mask_ = mask_and(mask_, as_vector(value(yield->operand(0))), false);
    store_mask(record(inner.slot), mask_.text);
    const Text go = fresh_label("on");
    br_if(any(mask_.text), go, block_end_);
    label(go);
  };
  label(turn);
  const Text more = group_flag();
  bundle_loop(inner, size, [&] {
    asking(i->blocks[pass::kLoopHead]);
    const Mask inside = mask_;
    const Text step = fresh_label("step");
    const ir::Block* body = i->blocks[pass::kLoopBody];
    if (!inside.is_all() && inside.may_be_all && is_worth_copying(body)) {
      const Text whole = fresh_label("all"), part = fresh_label("some");
      br_if(all(inside.text), whole, part);
      label(whole);
      mask_ = {};
      block(body, step);
      label(part);
      mask_ = {inside.text, false};
    }
    block(body, step);
    label(step);
    mask_ = inside;
    asking(i->blocks[pass::kLoopStep]);
    raise_flag(more, "true");
  });
  br_if(def("load i1, ptr " + more), turn, end);
  label(end);
}

}  // namespace quern::llvm
