// Types without 64-bit integers: each such integer becomes a struct of two words, at the same offset and of
// the same size.
#pragma once

#include "lang/expand/mapped_types.hpp"

namespace quern::expand {

inline bool is_wide(const ir::Type* t) {
  return t->kind == ir::TypeKind::kI64 || t->kind == ir::TypeKind::kU64;
}

class WideTypes : public MappedTypes {
 public:
  explicit WideTypes(ir::TypeTable& types);

  const ir::Type* pair() const { return pair_; }

 private:
  const ir::Type* pair_;
};

}  // namespace quern::expand
