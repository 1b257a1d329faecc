// Interleaved blocks. In a loop over a grid (`i += gridDim.x * blockDim.x`) every block walks through all of
// memory, a few cache lines at a time: hardware prefetchers do not predict this, and the TLB misses. Here the
// blocks of a call execute one iteration of such a loop each, then the next: together they access memory
// sequentially. The kernel is split at these loops; each piece runs for all blocks in sequence, and a block's
// state between pieces is in its records, its shared memory, and in arrays for its indices.
#include "target/llvm/emitter.hpp"

namespace quern::llvm {

using ir::Inst;

namespace {
const std::string kSlots = std::to_string(kMostAbreast);
}

Emitter::Text Emitter::slot_cell(const Text& array, const Text& type) {
  return def("getelementptr inbounds " + type + ", ptr " + array + ", i32 " + slot_);
}

Emitter::Text Emitter::cell_type(const Inst* var) const {
  return typed(var->attr().type, plan_.var(var).storage == Storage::kVector);
}

// The number of blocks, and arrays for their state.
void Emitter::begin_abreast() {
  const Text left = def("sub i32 " + context_field(kAtEndBlock, "i32") + ", %block");
  const Text room = context_field(kAtAbreast, "i32");
  abreast_count_ =
      def("select i1 " + def("icmp ult i32 " + left + ", " + room) + ", i32 " + left + ", i32 " + room);
  const Text bundles = entry_def("sub i32 " + context_field(kAtEndBundle, "i32") + ", " +
                                 context_field(kAtFirstBundle, "i32"));
  block_scratch_ = entry_def("mul i64 " + entry_def("zext i32 " + bundles + " to i64") + ", RECORD_BYTES");
  block_shared_ = entry_def("zext i32 " + context_field(kAtSharedStride, "i32") + " to i64");
  for (const Inst* var : plan_.block_vars())
    index_arrays_[var] = stack_cell("[" + kSlots + " x " + cell_type(var) + "]", 64);
  open_piece();
}

void Emitter::open_piece() {
  piece_counter_ = stack_cell("i32", 4);
  piece_head_ = fresh_label("piece");
  function_end_ = fresh_label("block");
  line("store i32 0, ptr " + piece_counter_);
  label(piece_head_);
  slot_ = def("load i32, ptr " + piece_counter_);
  block_ = def("add i32 %block, " + slot_);
  const Text wide = def("zext i32 " + slot_ + " to i64");
  const auto place = [&](uint32_t field, const Text& bytes) {
    return def("getelementptr i8, ptr " + context_field(field, "ptr") + ", i64 " +
               def("mul i64 " + wide + ", " + bytes));
  };
  scratch_ = place(kAtScratch, block_scratch_);
  shared_base_ = place(kAtShared, block_shared_);
  for (const Inst* var : plan_.block_vars()) {
    const Text type = cell_type(var);
    const Text x = def("load " + type + ", ptr " + slot_cell(index_arrays_.at(var), type));
    line("store " + type + " " + x + ", ptr " + var_cell(var));
  }
}

void Emitter::close_piece() {
  label(function_end_);
  for (const Inst* var : plan_.block_vars()) {
    const Text type = cell_type(var);
    const Text x = def("load " + type + ", ptr " + var_cell(var));
    line("store " + type + " " + x + ", ptr " + slot_cell(index_arrays_.at(var), type));
  }
  const Text done = fresh_label("pieces"), next = def("add i32 " + slot_ + ", 1");
  line("store i32 " + next + ", ptr " + piece_counter_);
  br_if(def("icmp ult i32 " + next + ", " + abreast_count_), piece_head_, done);
  label(done);
}

// `begin` prepares a block for the loop and returns whether all of its lanes are in it; `turn` executes one
// iteration, depending on that, and sets `more` if it continues.
void Emitter::abreast_loop(const std::function<void(const Text& whole)>& begin,
                           const std::function<void(const Text& whole, const Text& more)>& turn) {
  const Text whole_array = stack_cell("[" + kSlots + " x i8]", 8),
             more_array = stack_cell("[" + kSlots + " x i8]", 8);
  const Text whole = stack_cell("i1", 1), any = stack_cell("i1", 1);
  const auto save = [&](const Text& cell, const Text& array) {
    const Text x = def("zext i1 " + def("load i1, ptr " + cell) + " to i8");
    line("store i8 " + x + ", ptr " + slot_cell(array, "i8"));
  };
  begin(whole);
  save(whole, whole_array);
  line("store i8 1, ptr " + slot_cell(more_array, "i8"));
  close_piece();

  const Text head = fresh_label("abreast"), end = fresh_label("through");
  label(head);
  line("store i1 false, ptr " + any);
  open_piece();
  const auto is_set = [&](const Text& array) {
    return def("icmp ne i8 " + def("load i8, ptr " + slot_cell(array, "i8")) + ", 0");
  };
  const Text go = fresh_label("takes"), rest = fresh_label("took");
  br_if(is_set(more_array), go, rest);
  label(go);
  line("store i1 " + is_set(whole_array) + ", ptr " + whole);
  const Text more = group_flag();
  turn(whole, more);
  save(whole, whole_array);
  save(more, more_array);
  raise_flag(any, def("load i1, ptr " + more));
  label(rest);
  close_piece();
  br_if(def("load i1, ptr " + any), head, end);
  label(end);
  open_piece();
}

}  // namespace quern::llvm
