#include "target/leaves.hpp"

#include <algorithm>

#include "lang/pass/walk.hpp"

namespace quern::target {

using ir::Type;
using ir::TypeKind;

const Type* Leaves::unsigned_of(uint64_t bytes) const {
  return types_.get(bytes == 1   ? TypeKind::kU8
                    : bytes == 2 ? TypeKind::kU16
                    : bytes == 4 ? TypeKind::kU32
                                 : TypeKind::kU64);
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

}  // namespace quern::target
