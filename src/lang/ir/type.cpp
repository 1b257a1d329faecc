#include "lang/ir/type.hpp"

#include <array>
#include <limits>
#include <utility>

#include "lang/ir/text_name.hpp"

namespace quern::ir {
namespace {

struct ScalarRow {
  std::string_view name;
  uint64_t size;
};

// By TypeKind, for the kinds without operands; the last three have names for messages only.
constexpr std::array<ScalarRow, 17> kKinds = {{
    {"void", 0},
    {"bool", 1},
    {"i8", 1},
    {"u8", 1},
    {"i16", 2},
    {"u16", 2},
    {"i32", 4},
    {"u32", 4},
    {"i64", 8},
    {"u64", 8},
    {"f16", 2},
    {"bf16", 2},
    {"f32", 4},
    {"f64", 8},
    {"ptr", 8},
    {"array", 0},
    {"struct", 0},
}};

constexpr std::array<std::string_view, 5> kSpaces = {"generic", "global", "shared", "local", "constant"};

void append(std::string& out, const Type* type) {
  if (type == nullptr) {
    out += "<no type>";
    return;
  }
  switch (type->kind) {
    case TypeKind::kPtr: out.append("ptr<").append(name(type->space)).append(">"); break;
    case TypeKind::kArray:
      out.append("[").append(std::to_string(type->count)).append(" x ");
      append(out, type->elem);
      out += ']';
      break;
    case TypeKind::kStruct:
      out += '%';
      append_name(out, type->name);
      break;
    default: out += name(type->kind);
  }
}

// A size that does not fit saturates: the verifier rejects it, and arithmetic never wraps.
void lay_out_array(Type& array) {
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  const uint64_t each = array.elem->size;
  array.size = each != 0 && array.count > most / each ? most : each * array.count;
  array.align = array.elem->align;
}

}  // namespace

std::string_view name(TypeKind kind) { return kKinds[static_cast<size_t>(kind)].name; }

std::string_view name(Space space) { return kSpaces[static_cast<size_t>(space)]; }

std::string to_string(const Type* type) {
  std::string out;
  append(out, type);
  return out;
}

TypeTable::TypeTable() {
  for (size_t i = 0; i < static_cast<size_t>(TypeKind::kPtr); ++i) {
    Type& type = storage_.emplace_back();
    type.kind = static_cast<TypeKind>(i);
    type.size = kKinds[i].size;
    type.align = type.size == 0 ? 1 : type.size;
    scalars_.push_back(&type);
  }
  for (size_t i = 0; i < kSpaces.size(); ++i) {
    Type& type = storage_.emplace_back();
    type.kind = TypeKind::kPtr;
    type.space = static_cast<Space>(i);
    type.size = type.align = 8;
    ptrs_.push_back(&type);
  }
}

const Type* TypeTable::array(const Type* elem, uint64_t count) {
  Type*& slot = arrays_[{elem, count}];
  if (slot != nullptr) return slot;
  slot = &storage_.emplace_back();
  slot->kind = TypeKind::kArray;
  slot->elem = elem;
  slot->count = count;
  lay_out_array(*slot);
  early_arrays_ |= elem->size == 0;
  return slot;
}

const Type* TypeTable::declare_struct(std::string_view name) {
  auto [at, fresh] = struct_by_name_.try_emplace(std::string(name), nullptr);
  if (fresh) {
    Type& type = storage_.emplace_back();
    type.kind = TypeKind::kStruct;
    type.name = name;
    at->second = &type;
    structs_.push_back(&type);
  }
  return at->second;
}

void TypeTable::define_struct(const Type* type, std::vector<Field> fields, uint64_t size, uint64_t align) {
  const auto at = struct_by_name_.find(type->name);
  if (at == struct_by_name_.end()) return;
  at->second->fields = std::move(fields);
  at->second->size = size;
  at->second->align = align;
  if (!early_arrays_) return;
  // Arrays are created after their elements, so one pass in order also sizes arrays of arrays.
  for (Type& array : storage_) {
    if (array.is_array()) lay_out_array(array);
  }
}

const Type* TypeTable::find_struct(std::string_view name) const {
  const auto at = struct_by_name_.find(std::string(name));
  return at == struct_by_name_.end() ? nullptr : at->second;
}

}  // namespace quern::ir
