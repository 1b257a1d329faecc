#include "lang/pass/split_grid_frames.hpp"

#include <algorithm>
#include <utility>

#include "base/round_up.hpp"

namespace quern::pass {

using ir::Builder;
using ir::Global;
using ir::Inst;
using ir::Op;
using ir::Space;
using ir::Type;
using ir::TypeKind;
using ir::Value;

namespace {

constexpr uint64_t kFrameAlign = 16;

bool is_dynamic_shared(const Global* g) { return g->object->is_array() && g->object->count == 0; }

const Type* scalar_element(const Type* t) {
  while (t->is_array()) t = t->elem;
  return t;
}

// A bool is a word in the frames.
const Type* frame_type(Builder& b, const Type* t) {
  if (t->is_bool()) return b.type(TypeKind::kU32);
  return t->is_ptr() ? b.types().ptr(Space::kGeneric) : t;
}

}  // namespace

Value* FrameWriter::product(Op op) {
  return b_.binary(Op::kMul, b_.binary(Op::kMul, b_.index_op(op, 0), b_.index_op(op, 1)), b_.index_op(op, 2));
}

Value* FrameWriter::rank(Op id, Op dim) {
  Value* const plane = b_.binary(Op::kMul, b_.index_op(id, 2), b_.index_op(dim, 1));
  Value* const row = b_.binary(Op::kAdd, plane, b_.index_op(id, 1));
  return b_.binary(Op::kAdd, b_.binary(Op::kMul, row, b_.index_op(dim, 0)), b_.index_op(id, 0));
}

void FrameWriter::begin(ir::Block* block, Inst* where) {
  ir::Module& module = b_.module();
  const auto add = [&](const char* name, const char* spelling) {
    ir::Param* const p = module.add_param(&kernel_, module.types().ptr(Space::kGlobal), name);
    p->elem = u32();
    p->spelling = spelling;
    return p;
  };
  resume_ = add("quern_resume", "const unsigned*");
  resume_->is_const_elem = resume_->is_restrict = true;
  frames_ = add("quern_frames", "unsigned*");
  b_.at(block, where);
  b_.pos(kernel_.pos);
  in_block_ = rank(Op::kThreadId, Op::kBlockDim);
  per_block_ = product(Op::kBlockDim);
  block_ = rank(Op::kBlockId, Op::kGridDim);
  blocks_ = product(Op::kGridDim);
  thread_ = b_.binary(Op::kAdd, b_.binary(Op::kMul, block_, per_block_), in_block_);
  threads_ = b_.binary(Op::kMul, blocks_, per_block_);
  resumed_ = b_.load(u32(), resume_);
}

// Sorted by alignment, so that each value of the first thread is aligned wherever the previous ones end.
FrameLayout FrameWriter::place(const std::vector<Inst*>& vars, const std::vector<const Global*>& shared,
                               bool by_thread) {
  std::vector<Inst*> sorted = vars;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Inst* a, const Inst* b) {
    return frame_type(b_, a->attr().type)->align > frame_type(b_, b->attr().type)->align;
  });
  if (by_thread) layout_.thread_bytes = kFrameAlign;  // the state comes first
  for (const Inst* v : sorted) {
    const Type* const type = frame_type(b_, v->attr().type);
    layout_.thread_bytes = base::round_up(layout_.thread_bytes, type->align);
    places_.push_back({v, layout_.thread_bytes});
    layout_.thread_bytes += type->size;
  }
  layout_.thread_bytes = base::round_up(layout_.thread_bytes, kFrameAlign);
  for (const Global* g : shared) {
    if (is_dynamic_shared(g)) {
      layout_.saves_dynamic = true;
      continue;
    }
    places_.push_back({g, layout_.block_bytes});
    layout_.block_bytes += base::round_up(g->object->size, kFrameAlign);
  }
  return layout_;
}

uint64_t FrameWriter::offset_of(const Value* v) const {
  const auto at = std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.of == v; });
  return at->offset;
}

Value* FrameWriter::thread_place(Builder& b, uint64_t offset, uint64_t bytes) {
  Value* at = b.offset(frames_, number(kFrameHeader), 1);
  if (offset != 0) at = b.offset(at, threads_, offset);
  return b.offset(at, thread_, bytes);
}

Value* FrameWriter::block_place(Builder& b, uint64_t offset) {
  Value* at = b.offset(frames_, number(kFrameHeader + offset), 1);
  if (layout_.thread_bytes != 0) at = b.offset(at, threads_, layout_.thread_bytes);
  return b.offset(at, block_, layout_.block_bytes);
}

// After the static shared memory of all blocks.
Value* FrameWriter::dynamic_place(Builder& b, Value* words) {
  Value* at = b.offset(frames_, number(kFrameHeader), 1);
  if (layout_.thread_bytes != 0) at = b.offset(at, threads_, layout_.thread_bytes);
  if (layout_.block_bytes != 0) at = b.offset(at, blocks_, layout_.block_bytes);
  Value* const pieces = b.binary(Op::kShr, b.binary(Op::kAdd, words, number(3)), number(2));
  return b.offset(at, b.binary(Op::kMul, block_, pieces), kFrameAlign);
}

Value* FrameWriter::is_first_thread(Builder& b) { return b.compare(Op::kEq, thread_, number(0)); }

Value* FrameWriter::thread_state(Builder& b) { return thread_place(b, 0, 4); }

void FrameWriter::copy_value(Builder& b, const Type* type, Value* local, Value* frame, bool save) {
  const Type* const stored = frame_type(b, type);
  if (save) {
    Value* v = b.load(type, local);
    if (type->is_bool()) v = b.select(v, number(1), number(0));
    if (type->is_ptr() && stored != type) v = b.op(Op::kSpaceCast, stored, {v});
    b.store(frame, v);
    return;
  }
  Value* v = b.load(stored, frame);
  if (type->is_bool()) v = b.compare(Op::kNe, v, number(0));
  if (type->is_ptr() && stored != type) v = b.op(Op::kSpaceCast, type, {v});
  b.store(local, v);
}

void FrameWriter::copy_elements(Builder& b, const Type* type, Value* local, Value* frame, Value* first,
                                Value* count, Value* step, bool save) {
  ir::Block* const here = b.block();
  Inst* const where = b.where();
  Inst* const at = b.var(u32(), "element");
  b.store(at, first);
  Inst* const loop = b.make_loop();
  b.at(loop->blocks[0]);
  b.yield(b.compare(Op::kLt, b.load(u32(), at), count));
  b.at(loop->blocks[1]);
  Value* const i = b.load(u32(), at);
  Value *const mine = b.offset(local, i, type->size), *const saved = b.offset(frame, i, type->size);
  b.store(save ? saved : mine, b.load(type, save ? mine : saved));
  b.at(loop->blocks[2]);
  b.store(at, b.binary(Op::kAdd, b.load(u32(), at), step));
  b.at(here, where);
}

void FrameWriter::copy_var(Builder& b, Inst* var, uint64_t offset, bool save) {
  const Type* const type = var->attr().type;
  Value* const frame = thread_place(b, offset, frame_type(b, type)->size);
  const Type* const element = scalar_element(type);
  if (!type->is_array()) return copy_value(b, type, var, frame, save);
  copy_elements(b, element, var, frame, number(0), number(type->size / element->size), number(1), save);
}

void FrameWriter::thread_values(Builder& b, const std::vector<Inst*>& vars, bool save) {
  for (Inst* v : vars) copy_var(b, v, offset_of(v), save);
}

// The threads of the block share the elements of an array. All arrays of dynamic shared memory are the same
// memory, which is copied once.
void FrameWriter::shared_memory(Builder& b, const std::vector<const Global*>& shared, bool save) {
  if (shared.empty()) return;
  const Type* const none = b.type(TypeKind::kVoid);
  if (save) b.emit(Op::kBarrier, none, {});
  bool has_dynamic = false;
  for (const Global* g : shared) {
    auto* const local = const_cast<Global*>(g);  // NOLINT(cppcoreguidelines-pro-type-const-cast): an operand
    if (is_dynamic_shared(g)) {
      if (std::exchange(has_dynamic, true)) continue;
      Value* const bytes = b.emit(Op::kDynamicSharedSize, u32(), {});
      Value* const words = b.binary(Op::kShr, b.binary(Op::kAdd, bytes, number(3)), number(2));
      copy_elements(b, u32(), local, dynamic_place(b, words), in_block_, words, per_block_, save);
      continue;
    }
    const Type* const element = scalar_element(g->object);
    copy_elements(b, element, local, block_place(b, offset_of(g)), in_block_,
                  number(g->object->size / std::max<uint64_t>(1, element->size)), per_block_, save);
  }
  if (!save) b.emit(Op::kBarrier, none, {});
}

}  // namespace quern::pass
