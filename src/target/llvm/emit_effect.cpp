// Thread indices, and reports to the device: printf, assert, trap.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;
using ir::Op;

Val Emitter::index_op(const Inst* i) {
  const uint32_t d = i->attr().index;
  switch (i->op) {
    case Op::kBlockId: return scalar_val(i->type, d == 0 ? block_ : context_field(kAtBlockId + 4 * d, "i32"));
    case Op::kBlockDim: return scalar_val(i->type, context_field(kAtBlock + 4 * d, "i32"));
    case Op::kGridDim: return scalar_val(i->type, context_field(kAtGrid + 4 * d, "i32"));
    case Op::kClusterDim: return scalar_val(i->type, context_field(kAtCluster + 4 * d, "i32"));
    case Op::kDynamicSharedSize: return scalar_val(i->type, context_field(kAtDynamicShared, "i32"));
    case Op::kLaneId: {
      const Text lane = def("and i32 " + base_ + ", 31");
      if (width_ == 1) return scalar_val(i->type, lane);
      if (width_ <= 32) return {Rep::kAffine, i->type, lane, 1, {}};
      return vector_val(i->type, constants("i32", [](uint32_t l) { return std::to_string(l & 31); }));
    }
    default: break;
  }
  if (options_.shape == Shape::kLine) {
    if (d != 0) return zero(i->type);
    if (width_ == 1) return scalar_val(i->type, base_);
    return {Rep::kAffine, i->type, base_, 1, {}};
  }
  Text first = base_;
  if (plan_.is_by_rows()) {  // y and z are those of the row
    first = def("mul i32 %row, " + std::to_string(width_));
    if (d == 0) return {Rep::kAffine, i->type, def("mul i32 %place, " + std::to_string(width_)), 1, {}};
  }
  const Text table = context_field(kAtThreadIndices, "ptr");
  const Text row = d == 0 ? first : def("add i32 " + first + ", " + std::to_string(d * kThreadTable));
  const Text at = def("getelementptr inbounds i32, ptr " + table + ", i32 " + row);
  if (width_ == 1 || (options_.shape == Shape::kRows && d != 0))
    return scalar_val(i->type, def("load i32, ptr " + at + ", align 4, !invariant.load !0"));
  if (options_.shape == Shape::kRows)
    return {Rep::kAffine, i->type, def("load i32, ptr " + at + ", align 4, !invariant.load !0"), 1, {}};
  return vector_val(i->type,
                    def("load " + vec(Text("i32")) + ", ptr " + at + ", align 4, !invariant.load !0"));
}

Emitter::Text Emitter::thread_of(const Text& lane) { return def("add i32 " + base_ + ", " + lane); }

void Emitter::print(const Inst* i) {
  std::vector<Val> x;
  for (const ir::Value* v : i->operands) x.push_back(value(v));
  std::map<Text, Text> spilled = spill(x);
  const Text cell = stack_cell("[" + std::to_string(x.size() + 1) + " x i64]", 8);
  each_lane([&](const Text& lane) {
    for (size_t k = 0; k < x.size(); ++k) {
      const Text bits = to_bits(x[k].type, lane_of(x[k], lane, spilled));
      line("store i64 " + bits + ", ptr " +
           def("getelementptr inbounds i64, ptr " + cell + ", i32 " + std::to_string(k)));
    }
    call("qn_print",
         "ptr %context, i32 " + std::to_string(sites_.at(i)) + ", i32 " + thread_of(lane) + ", ptr " + cell);
  });
  if (i->type != nullptr && !i->type->is_void()) values_[i] = constant(i->type, x.size());
}

// Before an access that may fault. Volatile: it must be stored when that happens.
void Emitter::mark_place(const Inst* i) {
  const bool is_access = i->is(Op::kLoad) || i->is(Op::kStore) || i->is(Op::kAtomicLoad) ||
                         i->is(Op::kAtomicStore) || i->is(Op::kAtomicRmw) || i->is(Op::kAtomicCas);
  if (!is_access || i->pos.line == 0 || plan_.root_of(i->operand(0)) != nullptr) return;
  const auto keep = [&](uint32_t field, const Text& value) {
    line("store volatile " + value + ", ptr " +
         def("getelementptr inbounds i8, ptr %context, i64 " + std::to_string(field)));
  };
  keep(kAtThisBlock, "i32 " + block_);
  keep(kAtPlace, "i64 " + std::to_string(place_of(i->pos)));
}

void Emitter::call_fault(const Inst* i, const Text& thread) {
  line("store i32 " + block_ + ", ptr " +
       def("getelementptr inbounds i8, ptr %context, i64 " + std::to_string(kAtThisBlock)));
  call("qn_fault", "ptr %context, i32 " + std::to_string(sites_.at(i)) + ", i32 " + thread);
}

// Ends the block if the condition is false in an active lane.
void Emitter::fault(const Inst* i, const Val* condition) {
  const Text bad = fresh_label("fault"), good = fresh_label("fine");
  const Mask before = mask_;
  if (condition != nullptr && !condition->is_scalar()) {
    const Mask failed = mask_and(mask_, as_vector(*condition), true);
    br_if(any(failed.text), bad, good);
    label(bad);
    mask_ = failed;
  } else {
    br_if(condition != nullptr ? condition->text : Text("false"), good, bad);
    label(bad);
  }
  call_fault(i, thread_of(first_lane()));
  line("ret void");
  is_terminated_ = true;
  mask_ = before;
  label(good);
}

}  // namespace quern::llvm
