// Types without 64-bit integers: each such integer becomes a struct of two words, at the same offset and of
// the same size.
#pragma once

#include <unordered_map>

#include "lang/ir/ir.hpp"

namespace quern::expand {

inline bool is_wide(const ir::Type* t) {
  return t->kind == ir::TypeKind::kI64 || t->kind == ir::TypeKind::kU64;
}

class WideTypes {
 public:
  explicit WideTypes(ir::TypeTable& types);

  const ir::Type* pair() const { return pair_; }
  // The lowered type of a value.
  const ir::Type* of(const ir::Type* type);
  // A constant or undefined aggregate of the lowered type; any other value is returned unchanged.
  ir::Value* adapted(ir::Module& module, ir::Value* v);

 private:
  const ir::Type* made(const ir::Type* type);

  ir::TypeTable& types_;
  const ir::Type* pair_;
  std::unordered_map<const ir::Type*, const ir::Type*> known_;
};

}  // namespace quern::expand
