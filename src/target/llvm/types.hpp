// IR types in LLVM's syntax, and aggregates as the scalars they consist of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/ir/ir.hpp"

namespace quern::llvm {

// A scalar inside of an aggregate. The bytes of a union are represented as integers of its alignment.
struct Leaf {
  const ir::Type* type;
  uint64_t offset;
};
std::vector<Leaf> leaves(const ir::Type* type);
size_t leaf_count(const ir::Type* type);
// The leaves of member `index`, as a range of those of the whole. Returns false inside of a union.
bool leaf_range(const ir::Type* type, uint32_t index, size_t& first, size_t& count);

// Distance in bytes between the copies of an object for consecutive lanes. `align`: minimum, in addition to
// the type's.
uint64_t lane_bytes(const ir::Type* type, uint64_t align = 0);

// "i32", "float", "ptr". bfloat16 is represented by its bits.
const char* spelling(const ir::Type* type);
const char* memory_spelling(const ir::Type* type);  // bool: i8
const char* suffix(const ir::Type* type);           // in names of intrinsics: "i32", "f32"
std::string literal(const ir::Type* type, uint64_t bits);

// Scalars by kind, for types that the kernel's own table may lack.
const ir::Type* scalar(ir::TypeKind kind);

}  // namespace quern::llvm
