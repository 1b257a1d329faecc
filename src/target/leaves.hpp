// The scalars of a value of the IR, for targets that represent an aggregate as a list of them.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::target {

inline bool is_half(const ir::Type* t) {
  return t->kind == ir::TypeKind::kF16 || t->kind == ir::TypeKind::kBF16;
}

struct Leaf {
  const ir::Type* type;  // a scalar
  uint64_t offset;
};

class Leaves {
 public:
  static constexpr size_t kMost = 4096;  // scalars of one value

  explicit Leaves(ir::TypeTable& types) : types_(types) {}

  // The scalars of a type. Of a union: unsigned integers that cover it. None if there are too many.
  const std::vector<Leaf>& of(const ir::Type* type);
  bool are_too_many(const ir::Type* type);
  // The index of a member's first leaf in the leaves of the whole.
  size_t first(const ir::Type* type, uint32_t member);
  static const ir::Type* member(const ir::Type* type, uint32_t index) {
    return type->is_array() ? type->elem : type->fields[index].type;
  }
  static uint64_t offset(const ir::Type* type, uint32_t index) {
    return type->is_array() ? index * type->elem->size : type->fields[index].offset;
  }
  const ir::Type* unsigned_of(uint64_t bytes) const;
  const ir::Type* type_of(ir::TypeKind number) const { return types_.get(number); }

 private:
  bool collect(const ir::Type* type, uint64_t at, std::vector<Leaf>& out) const;

  ir::TypeTable& types_;
  std::unordered_map<const ir::Type*, std::vector<Leaf>> known_;
  std::unordered_set<const ir::Type*> too_large_;
};

}  // namespace quern::target
