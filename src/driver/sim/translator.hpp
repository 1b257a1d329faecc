// The translator's state, shared by translate*.cpp and private to them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/sim/bytecode.hpp"
#include "driver/sim/facts.hpp"

namespace quern::sim {

class Translator {
 public:
  Translator(const ir::Module& module, const ir::Function& kernel, std::span<const Address> variables,
             uint32_t checks);
  Result<std::unique_ptr<Code>> run();

 private:
  // A jump target that may not be known yet.
  struct Label {
    uint32_t pc = kNoSlot;
    std::vector<uint32_t> jumps;
  };
  struct Targets {
    Label exit, next;
  };
  // base + extend(index) * scale + step, as in memory instructions.
  struct Reach {
    const ir::Value* base = nullptr;
    const ir::Value* index = nullptr;
    uint64_t scale = 0;
    int64_t step = 0;
  };

  // translate.cpp: slots, blocks, control.
  void fail(const base::MessageText& message, const ir::Inst* at = nullptr);
  bool failed() const { return !error_.empty(); }
  uint32_t allocate(uint32_t count, bool fresh = false);
  void release(uint32_t slot);
  uint32_t result(const ir::Inst* inst);            // the slot for the value's result
  void alias(const ir::Inst* inst, uint32_t slot);  // the value is already in a slot
  uint32_t constant(uint64_t bits);
  uint32_t zeros(uint32_t count);
  uint32_t undefined(uint32_t count);
  uint32_t fixed(const ir::Inst* index);     // thread_id, block_dim …
  uint32_t slot_of(const ir::Value* value);  // without a check
  uint32_t use(const ir::Value* value);      // checked to be defined
  bool maybe(const ir::Value* value) const { return facts_.maybe_undefined(value); }
  Ins& emit(OpCode op, uint32_t dst = 0, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, int32_t d = 0);
  void place(Label& label);
  void jump(OpCode op, Label& label, uint32_t a = 0, uint32_t b = 0);
  void block(const ir::Block* b);
  void visit(const ir::Inst* inst);
  void forget_dead(const ir::Inst* inst);
  void branch_unless(const ir::Inst* control, const ir::Value* cond, Label& label);
  bool fuses_with_next(const ir::Inst* compare) const;
  void visit_if(const ir::Inst* inst);
  void visit_loop(const ir::Inst* inst);
  void visit_switch(const ir::Inst* inst);
  bool visit_control(const ir::Inst* inst);
  void prepare_shared();
  void prepare_params();
  void note_write(const ir::Value* pointer);

  // translate_values.cpp: operations without side effects.
  bool visit_value(const ir::Inst* inst);
  void binary(const ir::Inst* inst);
  void check_arithmetic(const ir::Inst* inst, uint32_t a, uint32_t b);
  void compare(const ir::Inst* inst);
  void unary(const ir::Inst* inst);
  void evaluate(const ir::Inst* inst);
  void convert(const ir::Inst* inst);
  bool convert_int(const ir::Inst* inst, const ir::Type* from, const ir::Type* to);
  void select(const ir::Inst* inst);
  void extract(const ir::Inst* inst);
  void insert(const ir::Inst* inst);
  void construct(const ir::Inst* inst);
  void put_member(uint32_t area, uint64_t offset, const ir::Value* member);
  void address_value(const ir::Inst* inst);

  // translate_memory.cpp: memory, synchronization, other side effects.
  bool visit_memory(const ir::Inst* inst);
  bool visit_together(const ir::Inst* inst);
  bool visit_other(const ir::Inst* inst);
  void ptx(const ir::Inst* inst);
  void var(const ir::Inst* inst);
  void load(const ir::Inst* inst);
  void load_promoted(const ir::Inst* inst, const ir::Inst* var);
  void store(const ir::Inst* inst);
  void store_promoted(const ir::Inst* inst, const ir::Inst* var);
  void atomic(const ir::Inst* inst);
  void note_update(const ir::Inst* store);
  Reach reach(const ir::Value* pointer);
  bool fixed_place(const Reach& reach, uint64_t bytes, uint32_t& at) const;
  void emit_access(OpCode first, uint32_t slot, const ir::Value* pointer, const ir::Type* type,
                   bool maybe_flag);
  uint32_t slow_access(const ir::Inst* inst, const ir::Type* type, bool maybe_flag);

  const ir::Module& module_;
  const ir::Function& kernel_;
  std::span<const Address> variables_;
  uint32_t checks_;
  Facts facts_;
  std::unique_ptr<Code> code_;
  std::string error_;
  ir::Pos pos_;
  const ir::Inst* inst_ = nullptr;

  std::vector<uint32_t> slot_;                // by position of the instruction
  std::vector<std::vector<uint32_t>> dying_;  // positions of the values whose last use this is
  struct SlotState {
    uint32_t users = 0;
    uint32_t count = 0;
  };
  std::vector<SlotState> slots_;                    // by first slot
  std::map<uint32_t, std::vector<uint32_t>> free_;  // by number of slots
  std::unordered_map<uint64_t, uint32_t> constants_;
  std::map<uint32_t, uint32_t> zeros_, undefined_;
  std::unordered_map<const ir::Global*, uint32_t> shared_;
  std::unordered_map<const ir::Inst*, uint32_t> locals_;  // memory variables
  std::unordered_map<const ir::Inst*, Targets> targets_;
  std::vector<bool> checked_;  // known to be defined here
  std::vector<uint32_t> checked_order_;
  std::vector<uint32_t> load_pc_;
};

inline uint32_t slots_for(const ir::Type* type) {
  return type->is_aggregate() ? static_cast<uint32_t>((type->size + 7) / 8) + (type->size == 0 ? 1 : 0) : 1;
}
inline OpCode plus(OpCode op, uint32_t n) { return static_cast<OpCode>(static_cast<uint32_t>(op) + n); }

}  // namespace quern::sim
