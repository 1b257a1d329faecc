#include "lang/pass/walk.hpp"

#include <algorithm>

#include "lang/ir/launch_record.hpp"

namespace quern::pass {

using ir::Block;
using ir::Inst;
using ir::Op;

void truncate_after(Inst* inst) {
  Block* block = inst->parent;
  while (block->last != inst) block->remove(block->last);
}

void splice(Block* from, Block* to, Inst* where) {
  while (Inst* i = from->first) {
    from->remove(i);
    to->insert_before(i, where);
  }
}

bool in_tail_position(const Inst* inst, const Block* root) {
  for (;;) {
    const Block* block = inst->parent;
    if (inst->next != nullptr) return false;
    if (block == root) return true;
    inst = block->owner;
    if (inst == nullptr || inst->is(Op::kLoop)) return false;
  }
}

bool asks_alignment(const ir::Function& function, const ir::Value* number) {
  constexpr uint64_t kBits = 256;
  bool is_so = true;
  traverse(function.body, [&](const ir::Inst* i) {
    if (std::find(i->operands.begin(), i->operands.end(), number) == i->operands.end()) return;
    const ir::Const* by = i->operands.size() == 2 ? ir::as_const(i->operand(1)) : nullptr;
    const bool is_masked = i->is(ir::Op::kAnd) && by != nullptr && by->bits < kBits;
    const bool is_rest = i->is(ir::Op::kRem) && by != nullptr && by->bits != 0 && kBits % by->bits == 0;
    const bool is_converted = i->is(ir::Op::kConvert) && i->type->is_int() && asks_alignment(function, i);
    is_so = is_so && (is_masked || is_rest || is_converted);
  });
  return is_so;
}

bool contains_pointer(const ir::Type* type) {
  if (type->is_ptr()) return true;
  if (type->is_array()) return contains_pointer(type->elem);
  for (const ir::Field& field : type->fields) {
    if (contains_pointer(field.type)) return true;
  }
  return false;
}

bool has_overlap(const ir::Type* type) {
  uint64_t end = 0;
  for (const ir::Field& field : type->fields) {
    if (field.offset < end) return true;
    end = field.offset + field.type->size;
  }
  return false;
}

Numbering::Numbering(ir::Function& function) {
  traverse(function.body, [this](Inst* i) {
    i->id = static_cast<uint32_t>(insts_.size());
    insts_.push_back(i);
  });
}

uint32_t number_insts(ir::Function& function) {
  uint32_t next = 0;
  traverse(function.body, [&](Inst* i) { i->id = next++; });
  return next;
}

bool is_launch_queue(const ir::Value* v) {
  return v->kind == ir::ValueKind::kGlobal && static_cast<const ir::Global*>(v)->name == ir::kLaunchQueue;
}

}  // namespace quern::pass
