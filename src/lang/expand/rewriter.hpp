// Replaces instructions during a walk over a function.
#pragma once

#include <initializer_list>
#include <unordered_map>
#include <vector>

#include "lang/expand/library.hpp"
#include "lang/ir/builder.hpp"
#include "lang/pass/walk.hpp"

namespace quern::expand {

class Rewriter {
 public:
  Rewriter(ir::Module& module, ir::Function& function) : b(module), function_(function) {}

  // All instructions for which `wanted` returns true, collected before anything changes.
  template <typename Wanted>
  std::vector<ir::Inst*> find(Wanted&& wanted) const {
    std::vector<ir::Inst*> out;
    pass::traverse(function_.body, [&](ir::Inst* i) {
      if (wanted(*i)) out.push_back(i);
    });
    return out;
  }

  // New instructions are inserted before this one and get its position.
  void before(ir::Inst* i) {
    b.at(i->parent, i);
    b.pos(i->pos);
  }
  // Removes the instruction; finish() replaces its uses with `by`. nullptr: it has no uses.
  void replace(ir::Inst* i, ir::Value* by) {
    if (by != nullptr) replaced_[i] = by;
    i->parent->remove(i);
  }
  // Keeps the instruction, but replaces its uses with `by`.
  void replace_uses(ir::Inst* i, ir::Value* by) { replaced_[i] = by; }
  void finish();

  // The current replacement of a value, or the value itself.
  ir::Value* now(ir::Value* v) const;
  ir::Value* call(ir::Function* callee, std::initializer_list<ir::Value*> arguments) {
    return call(callee, std::span<ir::Value* const>(arguments.begin(), arguments.size()));
  }
  ir::Value* call(ir::Function* callee, std::span<ir::Value* const> arguments);
  const ir::Type* type(ir::TypeKind kind) { return b.type(kind); }
  ir::Value* number(ir::TypeKind kind, uint64_t bits) { return b.module().constant(b.type(kind), bits); }

  ir::Builder b;

 private:
  ir::Function& function_;
  std::unordered_map<const ir::Value*, ir::Value*> replaced_;
};

}  // namespace quern::expand
