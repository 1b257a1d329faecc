// Additions of interleaved blocks to the same addresses (plan_merged.cpp). The sums of a bundle's lanes are
// in the record of the first block of the call, and are added to memory after its last block.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;

Emitter::Text Emitter::sums_of(uint64_t offset) {
  const Text place = def("sub i32 " + bundle_ + ", " + context_field(kAtFirstBundle, "i32"));
  const Text distance = def("mul i64 " + def("zext i32 " + place + " to i64") + ", RECORD_BYTES");
  const Text record = def("getelementptr i8, ptr " + context_field(kAtScratch, "ptr") + ", i64 " + distance);
  return def("getelementptr inbounds i8, ptr " + record + ", i64 " + std::to_string(offset));
}

// Additions whose lanes do not write consecutive elements here stay as they are.
void Emitter::begin_merged() {
  if (plan_.merged().empty()) return;
  bundle_loop({}, 0, [&] {
    for (const auto& [addition, offset] : plan_.merged()) {
      const Val at = value(addition->operand(0));
      if (at.rep != Rep::kAffine || at.stride != static_cast<int64_t>(addition->type->size)) continue;
      merged_[addition] = offset;
      line("store " + vec(addition->type) + " zeroinitializer, ptr " + record(offset) + ", align 64");
    }
  });
}

bool Emitter::merge(const Inst* addition, const Val& x) {
  const auto at = merged_.find(addition);
  if (at == merged_.end()) return false;
  const Text type = vec(addition->type), sums = sums_of(at->second);
  Text more = as_vector(x);
  if (!mask_.is_all())
    more = def("select " + vec(Text("i1")) + " " + mask_text(mask_) + ", " + type + " " + more + ", " + type +
               " zeroinitializer");
  const Text before = def("load " + type + ", ptr " + sums + ", align 64");
  line("store " + type + " " + def("add " + type + " " + before + ", " + more) + ", ptr " + sums +
       ", align 64");
  return true;
}

// A lane without a sum may have been inactive in all blocks: its address is not accessed.
void Emitter::add_sums(const Inst* addition, uint64_t offset) {
  const Text type = spelling(addition->type), size = std::to_string(addition->type->size);
  const Text sums = sums_of(offset), to = value(addition->operand(0)).text, counter = stack_cell("i32", 4);
  const Text head = fresh_label("sum"), adds = fresh_label("adds"), next = fresh_label("next"),
             end = fresh_label("added");
  line("store i32 0, ptr " + counter);
  label(head);
  const Text at = def("load i32, ptr " + counter);
  const Text x = def("load " + type + ", ptr " +
                     def("getelementptr inbounds " + type + ", ptr " + sums + ", i32 " + at));
  br_if(def("icmp ne " + type + " " + x + ", 0"), adds, next);
  label(adds);
  const Text element = def("getelementptr " + type + ", ptr " + to + ", i32 " + at);
  (void)def("atomicrmw add ptr " + element + ", " + type + " " + x + " monotonic, align " + size);
  label(next);
  const Text more = def("add i32 " + at + ", 1");
  line("store i32 " + more + ", ptr " + counter);
  br_if(def("icmp ult i32 " + more + ", " + std::to_string(width_)), head, end);
  label(end);
}

void Emitter::end_merged() {
  if (merged_.empty()) return;
  scratch_.clear();  // of the first block
  bundle_loop({}, 0, [&] {
    for (const auto& [addition, offset] : plan_.merged()) {
      if (merged_.count(addition) != 0) add_sums(addition, offset);
    }
  });
}

}  // namespace quern::llvm
