// Which values of a function are written where they are used instead of in a variable, and where variables
// are declared. Decided once, from the end to the beginning: a value may move to its use if nothing in
// between writes what it reads.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::target::cstyle {

class Folding {
 public:
  // `keep_reals`: float results get a variable before they are used for anything else.
  Folding(ir::Function& function, bool keep_reals);

  // It is part of the expressions that use it and gets no statement.
  bool is_folded(const ir::Inst* inst) const { return folded_[inst->id]; }
  bool is_used(const ir::Inst* inst) const { return !uses_[inst->id].empty(); }
  const std::vector<const ir::Inst*>& uses(const ir::Inst* inst) const { return uses_[inst->id]; }

  // A variable that is only loaded and stored as a whole: it needs no address.
  bool is_plain(const ir::Inst* var) const { return plain_.count(var) != 0; }
  // The store that declares this variable, or null.
  const ir::Inst* first_store(const ir::Inst* var) const;
  // Whether this store is its variable's declaration.
  bool declares(const ir::Inst* store) const { return declaring_.count(store) != 0; }
  // Whether the variable is used only in `loop`, apart from the store that declares it.
  bool lives_in(const ir::Inst* var, const ir::Inst* loop) const;

 private:
  bool leaves_floats(const ir::Inst* inst) const;
  void find_uses(ir::Function& function);
  void find_plain();
  void find_declarations();
  void count_writes();
  const ir::Inst* plain_var(const ir::Value* address) const;
  void decide();
  bool may_fold(const ir::Inst* inst) const;
  bool may_alias(const ir::Inst* load) const;
  // The position of the last use in the text.
  uint32_t last_use(const ir::Inst* inst) const;
  bool crosses_loop(const ir::Inst* from, const ir::Inst* to) const;

  bool keep_reals_;
  std::vector<const ir::Inst*> insts_;              // by number
  std::vector<std::vector<const ir::Inst*>> uses_;  // one entry per operand that uses it
  std::vector<bool> folded_;
  std::vector<uint32_t>
      emitted_;  // position of its text: its own number, or that of the instruction that contains it
  std::vector<uint32_t> writes_before_;  // instructions with effects before this number
  std::vector<uint32_t> last_inside_;    // the last number in its blocks
  std::unordered_set<const ir::Inst*> plain_;
  std::unordered_map<const ir::Inst*, std::vector<uint32_t>> stores_;  // to plain variables, in order
  std::unordered_map<const ir::Inst*, const ir::Inst*> first_store_;
  std::unordered_set<const ir::Inst*> declaring_;
};

}  // namespace quern::target::cstyle
