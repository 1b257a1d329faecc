// Analyses for the translator: uses and live ranges of values, which local variables can be kept in slots,
// which values may be undefined, and where stores may go.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::sim {

class Facts {
 public:
  // `track_undefined`: false treats every value as defined.
  Facts(const ir::Function& kernel, bool track_undefined);

  uint32_t size() const { return static_cast<uint32_t>(insts_.size()); }
  // Position in program order; `end`: the last position within the blocks of the instruction.
  uint32_t index(const ir::Inst* inst) const { return numbers_.at(inst); }
  uint32_t end(const ir::Inst* inst) const { return facts_[index(inst)].end; }

  const std::vector<const ir::Inst*>& users(const ir::Inst* inst) const { return facts_[index(inst)].users; }
  // The instruction of the value's own block after which the value is dead (itself if it is never used).
  const ir::Inst* last_use(const ir::Inst* inst) const { return facts_[index(inst)].last_use; }

  // The innermost loop that contains the instruction, or nullptr.
  const ir::Inst* loop_around(const ir::Inst* inst) const;

  // A scalar variable that is only loaded and stored as a whole: kept in a slot.
  bool is_promoted(const ir::Inst* var) const { return facts_[index(var)].promoted; }
  // The promoted variable that the pointer refers to, or nullptr.
  const ir::Inst* promoted_var(const ir::Value* ptr) const;
  // Whether a load of a promoted variable may read the variable's slot instead of a copy: there is no store
  // between the load and its last use.
  bool reads_in_place(const ir::Inst* load, const ir::Inst* var) const;

  // A load whose value a compare-and-swap checks (cas_loop.hpp).
  bool is_cas_read(const ir::Inst* load) const { return facts_[index(load)].cas_read; }

  // Address arithmetic that is folded into the loads and stores that use it: one index times a scale, plus a
  // constant.
  bool is_folded(const ir::Inst* inst) const { return facts_[index(inst)].folded; }

  // Whether the value may be undefined when it is used. A load whose value is certainly used immediately is
  // checked when it executes, and is defined afterwards.
  bool maybe_undefined(const ir::Value* value) const;
  bool var_maybe_undefined(const ir::Inst* var) const { return facts_[index(var)].maybe; }

 private:
  struct InstFacts {
    uint32_t end = 0;
    uint32_t segment = 0;  // control instructions before it in its block
    const ir::Inst* last_use = nullptr;
    std::vector<const ir::Inst*> users;
    std::vector<uint32_t> stores;  // promoted var: positions of its stores
    bool promoted = false;
    bool folded = false;
    bool cas_read = false;
    bool index_above = false;  // folded: a user already has an index
    bool maybe = false;        // promoted var: may be read before it is stored; other: may be undefined
  };
  friend class Assignment;

  void number(const ir::Block* block);
  void collect_uses();
  void find_promoted();
  void find_cas_reads();
  void find_folded();
  bool can_fold(uint32_t n) const;
  void lengthen(const ir::Inst* folded);
  void find_undefined();
  bool compute_maybe(const ir::Inst* inst) const;
  bool used_at_once(const ir::Inst* inst, int depth = 0) const;

  bool track_undefined_;
  std::vector<const ir::Inst*> insts_;
  std::vector<InstFacts> facts_;
  std::unordered_map<const ir::Inst*, uint32_t> numbers_;
};

// A scalar access for the fast loads and stores: naturally aligned, not volatile.
bool is_plain_access(const ir::Inst* access);

// Whether the pointers are the same value, or computed in the same way from the same values.
bool same_pointer(const ir::Value* p, const ir::Value* q, int depth = 0);

// The constant bytes that a folded offset or field adds; `index` is set if it is an offset by a value.
int64_t constant_step(const ir::Inst* inst, const ir::Value** index);

// The base of a pointer value, through arithmetic and casts: a parameter, a global or a local variable;
// nullptr if it is loaded, selected or computed.
const ir::Value* base_of(const ir::Value* pointer);

}  // namespace quern::sim
