// Copies instructions into another place of the module, with operands and targets mapped to their copies.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

class Cloner {
 public:
  // `size`: the number of instructions of the source function; they must be numbered (ir::number).
  Cloner(ir::Module& module, uint32_t size, ir::Function* into)
      : module_(module), into_(into), copies_(size, nullptr) {}

  // The position of copies whose source has none: library code gets the position of the user's call.
  void place(ir::Pos pos) { place_ = pos; }

  void bind(const ir::Param* param, ir::Value* value) {
    if (param->index >= params_.size()) params_.resize(param->index + 1, nullptr);
    params_[param->index] = value;
  }

  // The copy of a value of the source; values without a copy (constants, globals) are returned unchanged.
  ir::Value* mapped(ir::Value* v) const {
    if (const ir::Inst* i = ir::as_inst(v)) return copies_[i->id] != nullptr ? copies_[i->id] : v;
    if (v->kind != ir::ValueKind::kParam) return v;
    const uint32_t index = static_cast<const ir::Param*>(v)->index;
    return index < params_.size() && params_[index] != nullptr ? params_[index] : v;
  }

  // Copies all instructions of `from` into `to`, before `where` (nullptr: at the end). A return is not
  // copied: on_return(source, block, where) writes its replacement.
  template <typename OnReturn>
  void copy(const ir::Block* from, ir::Block* to, ir::Inst* where, OnReturn&& on_return) {
    struct Frame {
      const ir::Inst* source;
      ir::Inst* copy;
      size_t next_block;
      ir::Block* to;
      ir::Inst* where;
    };
    std::vector<Frame> stack;
    const ir::Inst* at = from->first;
    for (;;) {
      while (at != nullptr) {
        if (at->is(ir::Op::kReturn)) {
          on_return(at, to, where);
          at = at->next;
          continue;
        }
        ir::Inst* made = copy_one(at);
        to->insert_before(made, where);
        if (at->blocks.empty()) {
          at = at->next;
          continue;
        }
        stack.push_back({at, made, 0, to, where});
        at = nullptr;
      }
      if (stack.empty()) return;
      Frame& top = stack.back();
      if (top.next_block < top.source->blocks.size()) {
        to = top.copy->blocks[top.next_block];
        where = nullptr;
        at = top.source->blocks[top.next_block++]->first;
        continue;
      }
      to = top.to;
      where = top.where;
      at = top.source->next;
      stack.pop_back();
    }
  }

 private:
  ir::Inst* copy_one(const ir::Inst* source);

  ir::Module& module_;
  ir::Pos place_;
  ir::Function* into_;
  std::vector<ir::Value*> copies_;  // by the source's id
  std::vector<ir::Value*> params_;
};

}  // namespace quern::pass
