// Tensor maps (CUDA's CUtensorMap) in the IR: structs with this name and layout. A kernel's parameter of this
// type stays in parameter memory, where hardware reads it; Op::kParamAddress is its address.
#pragma once

#include <algorithm>

#include "lang/ir/type.hpp"

namespace quern::ir {

inline bool is_tensor_map(const Type* type) {
  constexpr uint64_t kBytes = 128, kAlign = 64;
  return type->is_struct() && type->name == "CUtensorMap" && type->size == kBytes && type->align == kAlign;
}

// Whether a value of the type is a tensor map, or has one inside.
inline bool contains_tensor_map(const Type* type) {
  if (type->is_array()) return contains_tensor_map(type->elem);
  if (!type->is_struct()) return false;
  return is_tensor_map(type) || std::any_of(type->fields.begin(), type->fields.end(),
                                            [](const Field& f) { return contains_tensor_map(f.type); });
}

}  // namespace quern::ir
