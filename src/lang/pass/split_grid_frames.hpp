// Code that saves the values of a thread and the shared memory of a block to the frames of a split kernel,
// and restores them (split_grid.hpp).
#pragma once

#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/pass/split_grid.hpp"

namespace quern::pass {

class FrameWriter {
 public:
  FrameWriter(ir::Module& module, ir::Function& kernel) : b_(module), kernel_(kernel) {}

  // Adds the parameters, and the thread's and the block's numbers at the builder's position.
  void begin(ir::Block* block, ir::Inst* where);
  // Assigns places: call once, with everything that is ever saved.
  FrameLayout place(const std::vector<ir::Inst*>& vars, const std::vector<const ir::Global*>& shared,
                    bool by_thread);

  // At the builder's position; `save`: otherwise restore.
  void thread_values(ir::Builder& b, const std::vector<ir::Inst*>& vars, bool save);
  void shared_memory(ir::Builder& b, const std::vector<const ir::Global*>& shared, bool save);

  ir::Value* resumed() const { return resumed_; }  // word 0 of quern_resume
  ir::Value* is_first_thread(ir::Builder& b);
  ir::Value* next_word() const { return frames_; }
  ir::Value* thread_state(ir::Builder& b);  // the address of the thread's own state; by_thread

 private:
  struct Place {
    const ir::Value* of;
    uint64_t offset;  // in the frame of a thread or block
  };
  const ir::Type* u32() { return b_.type(ir::TypeKind::kU32); }
  ir::Value* number(uint64_t n) { return b_.module().constant(u32(), n); }
  ir::Value* product(ir::Op op);  // of the three dimensions
  ir::Value* rank(ir::Op id, ir::Op dim);
  ir::Value* thread_place(ir::Builder& b, uint64_t offset, uint64_t bytes);
  ir::Value* block_place(ir::Builder& b, uint64_t offset);
  ir::Value* dynamic_place(ir::Builder& b, ir::Value* words);
  void copy_var(ir::Builder& b, ir::Inst* var, uint64_t offset, bool save);
  void copy_value(ir::Builder& b, const ir::Type* type, ir::Value* local, ir::Value* frame, bool save);
  // Copies elements first, first + step, … of `count`.
  void copy_elements(ir::Builder& b, const ir::Type* type, ir::Value* local, ir::Value* frame,
                     ir::Value* first, ir::Value* count, ir::Value* step, bool save);
  uint64_t offset_of(const ir::Value* v) const;

  ir::Builder b_;
  ir::Function& kernel_;
  FrameLayout layout_;
  std::vector<Place> places_;
  ir::Param *resume_ = nullptr, *frames_ = nullptr;
  ir::Value *resumed_ = nullptr, *thread_ = nullptr, *threads_ = nullptr, *block_ = nullptr,
            *blocks_ = nullptr, *in_block_ = nullptr, *per_block_ = nullptr;
};

}  // namespace quern::pass
