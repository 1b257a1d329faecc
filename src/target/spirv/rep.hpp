// How values of the IR are represented. A number is one SPIR-V value, an aggregate the list of its scalars.
// Types narrower than 32 bits are held in 32: integers are sign- or zero-extended, half and bfloat16 are
// their bits.
#pragma once

#include "target/leaves.hpp"
#include "target/spirv/grammar.hpp"

namespace quern::target::spirv {

enum class Rep : uint8_t { kBool, kU32, kU64, kF32, kF64 };

Rep rep_of(const ir::Type* scalar);
Id rep_type(Builder& b, Rep rep);
inline bool is_wide(Rep rep) { return rep == Rep::kU64 || rep == Rep::kF64; }
// Pointers to memory that only this block or thread sees are offsets.
inline bool is_narrow_pointer(const ir::Type* t) {
  return t->is_ptr() && (t->space == ir::Space::kShared || t->space == ir::Space::kLocal);
}

}  // namespace quern::target::spirv
