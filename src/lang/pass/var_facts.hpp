// Facts that the forward walk needs in advance: which variables are plain (only loaded and stored as a
// whole), what each construct writes, and which instructions exit it.
#pragma once

#include <vector>

#include "lang/ir/ir.hpp"
#include "lang/pass/walk.hpp"

namespace quern::pass {

struct VarFacts {
  struct Var {
    ir::Inst* inst;
    uint32_t depth;        // the number of blocks that enclose it
    bool is_plain = true;  // every use is a whole, ordinary load or store
  };
  struct Construct {
    uint32_t exits = 0;
    uint32_t continues = 0;
    std::vector<uint32_t> writes;  // variables declared outside of it; loops, scopes and switches only
  };

  std::vector<Var> vars;
  std::vector<Construct> constructs;
  // By instruction id:
  std::vector<uint32_t> var_of;        // variable whose address this is (a var, or casts of one), or kNone
  std::vector<uint32_t> construct_of;  // loop, scope, switch: index into constructs, or kNone
  std::vector<bool> is_computed_with;  // the result is used by more than copies (store, construct, insert)

  // Numbers the function's instructions on the way, and lets accesses use the pointer below a cast to
  // generic.
  explicit VarFacts(ir::Function& function);

  uint32_t var_at(const ir::Value* pointer) const {
    const ir::Inst* i = ir::as_inst(pointer);
    return i != nullptr ? var_of[i->id] : kNone;
  }

 private:
  void enter(ir::Inst* inst);
  void leave(ir::Inst* inst);
  void use(ir::Inst* user, size_t operand);
  void written(uint32_t var);

  struct Open {
    uint32_t construct;
    uint32_t depth;
  };
  std::vector<Open> open_;
  uint32_t depth_ = 0;
};

}  // namespace quern::pass
