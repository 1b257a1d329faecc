// How values of the IR are held. A number is one value of SPIR-V, an aggregate the list of its scalars. Types
// narrower than 32 bits are held in 32: integers extended by their sign, half and bfloat16 as their bits.
#pragma once

#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"
#include "target/spirv/builder.hpp"

namespace quern::target::spirv {

enum class Rep : uint8_t { kBool, kU32, kU64, kF32, kF64 };

Rep rep_of(const ir::Type* scalar);
Id rep_type(Builder& b, Rep rep);
inline bool is_wide(Rep rep) { return rep == Rep::kU64 || rep == Rep::kF64; }
inline bool is_half(const ir::Type* t) {
  return t->kind == ir::TypeKind::kF16 || t->kind == ir::TypeKind::kBF16;
}
// Pointers into memory that only this block or thread sees are offsets.
inline bool is_narrow_pointer(const ir::Type* t) {
  return t->is_ptr() && (t->space == ir::Space::kShared || t->space == ir::Space::kLocal);
}

struct Leaf {
  const ir::Type* type;  // a scalar
  uint64_t offset;
};

class Layout {
 public:
  static constexpr size_t kMost = 4096;  // scalars of one value

  explicit Layout(ir::TypeTable& types) : types_(types) {}

  // The scalars of a type. Of a union: numbers without sign that cover it. Too many: empty.
  const std::vector<Leaf>& leaves(const ir::Type* type);
  // The first leaf of a member, in the leaves of the whole.
  size_t first(const ir::Type* type, uint32_t member);
  const ir::Type* member(const ir::Type* type, uint32_t index) const {
    return type->is_array() ? type->elem : type->fields[index].type;
  }
  uint64_t offset(const ir::Type* type, uint32_t index) const {
    return type->is_array() ? index * type->elem->size : type->fields[index].offset;
  }
  const ir::Type* unsigned_of(uint64_t bytes) const;

 private:
  bool collect(const ir::Type* type, uint64_t at, std::vector<Leaf>& out) const;

  ir::TypeTable& types_;
  std::unordered_map<const ir::Type*, std::vector<Leaf>> known_;
};

}  // namespace quern::target::spirv
