// Replacing instructions while a function is walked.
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

  // All instructions that `wanted` says yes to: as they are before anything changes.
  template <typename Wanted>
  std::vector<ir::Inst*> find(Wanted&& wanted) const {
    std::vector<ir::Inst*> out;
    pass::traverse(function_.body, [&](ir::Inst* i) {
      if (wanted(*i)) out.push_back(i);
    });
    return out;
  }

  // What is written next stands before it and has its place.
  void before(ir::Inst* i) {
    b.at(i->parent, i);
    b.pos(i->pos);
  }
  // Takes it out; its uses become `by` at finish(). nullptr: it has none.
  void replace(ir::Inst* i, ir::Value* by) {
    if (by != nullptr) replaced_[i] = by;
    i->parent->remove(i);
  }
  // It stays, and its uses become `by`.
  void replace_uses(ir::Inst* i, ir::Value* by) { replaced_[i] = by; }
  void finish();

  // What stands now for a value that may have been replaced.
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
