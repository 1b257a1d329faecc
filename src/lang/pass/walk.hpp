// Walking and editing helpers for passes. Nesting may be thousands of levels deep after inlining, so nothing
// here recurses over it.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::pass {

// Visits every instruction of `root` and of the blocks below it in program order: enter(inst) before its
// blocks, leave(inst) after them (only for instructions that own blocks). `enter` may remove an instruction
// without blocks.
template <typename Enter, typename Leave>
void traverse(ir::Block* root, Enter&& enter, Leave&& leave) {
  struct Frame {
    ir::Inst* control;
    size_t next_block;
    ir::Inst* next;
  };
  std::vector<Frame> stack;
  ir::Inst* at = root->first;
  for (;;) {
    while (at != nullptr) {
      ir::Inst* next = at->next;
      enter(at);
      if (at->blocks.empty()) {
        at = next;
        continue;
      }
      stack.push_back({at, 1, next});
      at = at->blocks[0]->first;
    }
    if (stack.empty()) return;
    Frame& top = stack.back();
    if (top.next_block < top.control->blocks.size()) {
      at = top.control->blocks[top.next_block++]->first;
      continue;
    }
    leave(top.control);
    at = top.next;
    stack.pop_back();
  }
}

template <typename Enter>
void traverse(ir::Block* root, Enter&& enter) {
  traverse(root, enter, [](ir::Inst*) {});
}

// As ir::has, but inline: passes call it for every instruction, several times.
inline bool has_property(ir::Op op, uint32_t property) {
  using namespace ir;  // NOLINT(google-build-using-namespace): the table names properties without it
  static constexpr uint32_t kProperties[] = {
#define X(id, text, arity, properties, ...) properties,
      QUERN_IR_OPS(X)
#undef X
  };
  return (kProperties[static_cast<size_t>(op)] & property) != 0;
}

inline bool is_volatile(const ir::Inst* inst) { return inst->attr_ != nullptr && inst->attr_->is_volatile; }

inline bool is_const_zero(const ir::Value* v) {
  const ir::Const* c = ir::as_const(v);
  return c != nullptr && c->bits == 0;
}

inline bool is_breakable(ir::Op op) {
  return op == ir::Op::kLoop || op == ir::Op::kSwitch || op == ir::Op::kScope;
}

// Unlinks everything after `inst` in its block.
void truncate_after(ir::Inst* inst);

// Moves all instructions of `from` into `to`, before `where` (nullptr: to the end).
void splice(ir::Block* from, ir::Block* to, ir::Inst* where);

// Whether leaving through `inst` (the last of its block) is the same as reaching the end of `root`: nothing
// follows it on the way out, and no loop would run again.
bool in_tail_position(const ir::Inst* inst, const ir::Block* root);

// Whether the type contains a pointer.
bool contains_pointer(const ir::Type* type);

// Whether only the lowest eight bits of the number are used: for an address, whether it is aligned.
bool asks_alignment(const ir::Function& function, const ir::Value* number);

// Whether fields of this struct share bytes: a union. (Not whether one of its fields has such fields.)
bool has_overlap(const ir::Type* type);

// Numbers the instructions of a function from 0 in program order (as ir::number, at any depth).
uint32_t number_insts(ir::Function& function);

inline constexpr uint32_t kNone = ~uint32_t{0};

// Numbers a function's instructions, and distinguishes them from instructions that are created afterwards.
class Numbering {
 public:
  explicit Numbering(ir::Function& function);
  size_t size() const { return insts_.size(); }
  // The number of `v` if it is a numbered instruction, otherwise kNone.
  uint32_t operator()(const ir::Value* v) const {
    const ir::Inst* i = ir::as_inst(v);
    return i != nullptr && i->id < insts_.size() && insts_[i->id] == i ? i->id : kNone;
  }

 private:
  std::vector<const ir::Inst*> insts_;
};

// The variable for the records of launches (lang/ir/launch_record.hpp).
bool is_launch_queue(const ir::Value* v);

}  // namespace quern::pass
