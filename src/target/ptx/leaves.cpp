#include "target/ptx/leaves.hpp"

#include <algorithm>

#include "lang/pass/walk.hpp"

namespace quern::target::ptx {

using ir::Type;
using ir::TypeKind;

Class class_of(const Type* scalar) {
  switch (scalar->kind) {
    case TypeKind::kBool: return Class::kPredicate;
    case TypeKind::kF16:
    case TypeKind::kBF16: return Class::kB16;
    case TypeKind::kI64:
    case TypeKind::kU64:
    case TypeKind::kF64: return Class::kB64;
    case TypeKind::kPtr: return scalar->space == ir::Space::kShared ? Class::kB32 : Class::kB64;
    default: return Class::kB32;
  }
}

bool Leaves::collect(const Type* type, uint64_t at, std::vector<Leaf>& out) const {
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
    constexpr TypeKind kUnits[] = {TypeKind::kU8, TypeKind::kU16, TypeKind::kU32, TypeKind::kU64};
    const uint64_t unit = std::min<uint64_t>(type->align, 8);
    size_t log = 0;
    while (uint64_t{1} << log < unit) ++log;
    for (uint64_t i = 0; i < type->size && out.size() <= kMost; i += unit)
      out.push_back({types_.get(kUnits[log]), at + i});
    return true;
  }
  return std::all_of(type->fields.begin(), type->fields.end(),
                     [&](const ir::Field& f) { return collect(f.type, at + f.offset, out); });
}

const std::vector<Leaf>& Leaves::of(const Type* type) {
  const auto known = known_.find(type);
  if (known != known_.end()) return known->second;
  std::vector<Leaf> out;
  if (!collect(type, 0, out) || out.size() > kMost) {
    out.clear();
    too_large_.insert(type);
  }
  return known_[type] = std::move(out);
}

bool Leaves::are_too_many(const Type* type) {
  (void)of(type);
  return too_large_.count(type) != 0;
}

size_t Leaves::first(const Type* type, uint32_t index) {
  if (type->is_array()) return index * of(type->elem).size();
  size_t at = 0;
  for (uint32_t i = 0; i < index; ++i) at += of(type->fields[i].type).size();
  return at;
}

}  // namespace quern::target::ptx
