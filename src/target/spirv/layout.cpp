#include "target/spirv/layout.hpp"

#include <algorithm>

#include "lang/pass/walk.hpp"

namespace quern::target::spirv {

using ir::Type;
using ir::TypeKind;

Rep rep_of(const Type* scalar) {
  switch (scalar->kind) {
    case TypeKind::kBool: return Rep::kBool;
    case TypeKind::kI64:
    case TypeKind::kU64: return Rep::kU64;
    case TypeKind::kF32: return Rep::kF32;
    case TypeKind::kF64: return Rep::kF64;
    case TypeKind::kPtr: return is_narrow_pointer(scalar) ? Rep::kU32 : Rep::kU64;
    default: return Rep::kU32;
  }
}

Id rep_type(Builder& b, Rep rep) {
  switch (rep) {
    case Rep::kBool: return b.bool_type();
    case Rep::kU32: return b.int_type(32);
    case Rep::kU64: return b.int_type(64);
    case Rep::kF32: return b.float_type(32);
    default: return b.float_type(64);
  }
}

const Type* Layout::unsigned_of(uint64_t bytes) const {
  return types_.get(bytes == 1   ? TypeKind::kU8
                    : bytes == 2 ? TypeKind::kU16
                    : bytes == 4 ? TypeKind::kU32
                                 : TypeKind::kU64);
}

bool Layout::collect(const Type* type, uint64_t at, std::vector<Leaf>& out) const {
  if (out.size() > kMost) return false;
  if (type->is_array()) {
    for (uint64_t i = 0; i < type->count; ++i) {
      if (!collect(type->elem, at + i * type->elem->size, out)) return false;
    }
    return true;
  }
  if (!type->is_struct()) {
    out.push_back({type, at});
    return true;
  }
  if (pass::has_overlap(type)) {
    const uint64_t unit = std::min<uint64_t>(type->align, 8);
    for (uint64_t i = 0; i < type->size && out.size() <= kMost; i += unit)
      out.push_back({unsigned_of(unit), at + i});
    return true;
  }
  for (const ir::Field& f : type->fields) {
    if (!collect(f.type, at + f.offset, out)) return false;
  }
  return true;
}

const std::vector<Leaf>& Layout::leaves(const Type* type) {
  const auto known = known_.find(type);
  if (known != known_.end()) return known->second;
  std::vector<Leaf> out;
  if (!collect(type, 0, out) || out.size() > kMost) out.clear();
  return known_[type] = std::move(out);
}

size_t Layout::first(const Type* type, uint32_t index) {
  if (type->is_array()) return index * leaves(type->elem).size();
  size_t at = 0;
  for (uint32_t i = 0; i < index; ++i) at += leaves(type->fields[i].type).size();
  return at;
}

}  // namespace quern::target::spirv
