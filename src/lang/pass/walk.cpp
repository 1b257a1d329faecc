#include "lang/pass/walk.hpp"

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

}  // namespace quern::pass
