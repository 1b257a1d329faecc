#include "target/llvm/types.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "lang/ir/float_bits.hpp"
#include "lang/pass/walk.hpp"

namespace quern::llvm {

using ir::Type;
using ir::TypeKind;

const Type* scalar(TypeKind kind) {
  static const ir::TypeTable kTable;
  return kTable.get(kind);
}

namespace {

void add_bytes(uint64_t size, uint64_t align, uint64_t at, std::vector<Leaf>& out) {
  const TypeKind kind = align >= 8   ? TypeKind::kU64
                        : align == 4 ? TypeKind::kU32
                        : align == 2 ? TypeKind::kU16
                                     : TypeKind::kU8;
  const Type* piece = scalar(kind);
  for (uint64_t i = 0; i < size; i += piece->size) out.push_back({piece, at + i});
}

void add(const Type* type, uint64_t at, std::vector<Leaf>& out) {
  if (type->is_array()) {
    for (uint64_t i = 0; i < type->count; ++i) add(type->elem, at + i * type->elem->size, out);
  } else if (type->is_struct() && pass::has_overlap(type)) {
    add_bytes(type->size, type->align, at, out);
  } else if (type->is_struct()) {
    for (const ir::Field& f : type->fields) add(f.type, at + f.offset, out);
  } else if (!type->is_void()) {
    out.push_back({type, at});
  }
}

}  // namespace

std::vector<Leaf> leaves(const Type* type) {
  std::vector<Leaf> out;
  add(type, 0, out);
  return out;
}

size_t leaf_count(const Type* type) {
  if (type->is_array()) return type->count * leaf_count(type->elem);
  return leaves(type).size();
}

bool leaf_range(const Type* type, uint32_t index, size_t& first, size_t& count) {
  first = 0;
  if (type->is_array()) {
    count = leaf_count(type->elem);
    first = index * count;
    return true;
  }
  if (pass::has_overlap(type)) return false;
  for (uint32_t i = 0; i < index; ++i) first += leaf_count(type->fields[i].type);
  count = leaf_count(type->fields[index].type);
  return true;
}

uint64_t lane_bytes(const Type* type, uint64_t align) {
  align = std::clamp<uint64_t>(std::max(align, type->align), 8, 64);
  return std::max<uint64_t>(align, (type->size + align - 1) / align * align);
}

const char* spelling(const Type* type) {
  switch (type->kind) {
    case TypeKind::kBool: return "i1";
    case TypeKind::kI8:
    case TypeKind::kU8: return "i8";
    case TypeKind::kI16:
    case TypeKind::kU16:
    case TypeKind::kBF16: return "i16";
    case TypeKind::kI32:
    case TypeKind::kU32: return "i32";
    case TypeKind::kI64:
    case TypeKind::kU64: return "i64";
    case TypeKind::kF16: return "half";
    case TypeKind::kF32: return "float";
    case TypeKind::kF64: return "double";
    case TypeKind::kPtr: return "ptr";
    default: return "void";
  }
}

const char* memory_spelling(const Type* type) { return type->is_bool() ? "i8" : spelling(type); }

const char* suffix(const Type* type) {
  switch (type->kind) {
    case TypeKind::kF16: return "f16";
    case TypeKind::kF32: return "f32";
    case TypeKind::kF64: return "f64";
    case TypeKind::kPtr: return "p0";
    default: return spelling(type);
  }
}

std::string literal(const Type* type, uint64_t bits) {
  switch (type->kind) {
    case TypeKind::kBool: return bits != 0 ? "true" : "false";
    case TypeKind::kPtr: return bits == 0 ? "null" : "inttoptr (i64 " + std::to_string(bits) + " to ptr)";
    case TypeKind::kF16: return base::format("0xH%04X", static_cast<unsigned>(bits));
    case TypeKind::kF32:  // as the double of the same value
      return base::format("0x%016llX", static_cast<unsigned long long>(ir::widen(ir::kF32Format, bits)));
    case TypeKind::kF64: return base::format("0x%016llX", static_cast<unsigned long long>(bits));
    default: break;
  }
  switch (type->size) {
    case 1: return std::to_string(static_cast<int8_t>(bits));
    case 2: return std::to_string(static_cast<int16_t>(bits));
    case 4: return std::to_string(static_cast<int32_t>(bits));
    default: return std::to_string(static_cast<int64_t>(bits));
  }
}

}  // namespace quern::llvm
