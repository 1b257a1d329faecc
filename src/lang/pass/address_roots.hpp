// Which local variable a pointer is derived from, and how the addresses of each variable are used.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

class AddressRoots {
 public:
  // Numbers the function's instructions.
  explicit AddressRoots(ir::Function& function) {
    facts_.resize(number_insts(function));
    traverse(function.body, [this](ir::Inst* i) { visit(i); });
  }

  size_t inst_count() const { return facts_.size(); }

  // The variable that `pointer` points into through offsets, fields and casts; nullptr if there is none or it
  // is not known.
  const ir::Inst* root_of(const ir::Value* pointer) const {
    const ir::Inst* i = ir::as_inst(pointer);
    return i != nullptr && i->id != kNone ? facts_[i->id].root : nullptr;
  }
  // Whether an address of `var` escapes, that is, is used other than for an access.
  bool escapes(const ir::Inst* var) const { return facts_[var->id].escapes; }
  // Whether `var` is only loaded and stored as a whole: it never needs an address.
  bool is_plain(const ir::Inst* var) const { return facts_[var->id].is_plain; }

 private:
  struct Facts {
    const ir::Inst* root = nullptr;
    bool is_whole = false;  // points to the variable's first byte, through casts only
    bool escapes = false;
    bool is_plain = true;
  };
  void visit(ir::Inst* inst);
  void use(const ir::Inst* user, size_t operand);

  std::vector<Facts> facts_;  // by id
};

}  // namespace quern::pass
