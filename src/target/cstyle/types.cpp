#include "target/cstyle/types.hpp"

#include <algorithm>

#include "lang/pass/walk.hpp"
#include "target/messages.hpp"

namespace quern::target::cstyle {

using ir::Type;
using ir::TypeKind;

std::string Types::value(const Type* type) {
  // If memory consists of words, so do aggregates loaded from it.
  if (!dialect_.has_pointers && type->is_aggregate())
    return "uint[" + std::to_string(std::max<uint64_t>((type->size + 3) / 4, 1)) + "]";
  if (type->is_ptr()) return pointer(nullptr, type->space);
  if (type->is_struct()) return define(type);
  if (type->is_array()) return wrap_array(type);
  return std::string(spell(dialect_, type->kind));
}

std::string Types::stored(const Type* type) {
  if (type->is_ptr() && !dialect_.pointer_in_memory) return std::string(spell(dialect_, TypeKind::kU64));
  if (type->kind == TypeKind::kF64 && !has_double_) return std::string(spell(dialect_, TypeKind::kU64));
  if (type->is_bool() && !dialect_.bool_is_byte) return std::string(spell(dialect_, TypeKind::kU8));
  return value(type);
}

std::string Types::declaration(const Type* type, const std::string& name) {
  std::string extents;
  while (type->is_array()) {
    extents += "[" + std::to_string(std::max<uint64_t>(type->count, 1)) + "]";
    type = type->elem;
  }
  return stored(type) + " " + name + extents;
}

std::string Types::pointer(const Type* to, ir::Space space, bool is_volatile) {
  const std::string target = to == nullptr    ? std::string(spell(dialect_, TypeKind::kU8))
                             : to->is_array() ? wrap_array(to)
                                              : stored(to);
  return std::string(is_volatile ? "volatile " : "") + std::string(spell(dialect_, space)) + target + "*";
}

// C assumes that memory keeps the type it was written with; these types may alias any.
std::string Types::any_pointer(const Type* to, ir::Space space, uint64_t align) {
  const bool is_small = align != 0 && align < to->align;
  // CUDA compilers let every access alias every type.
  if (dialect_.language == Language::kCuda) return pointer(to, space);
  const std::string type = to->is_array() ? wrap_array(to) : stored(to);
  const std::string key = type + "/" + (is_small ? std::to_string(align) : "");
  auto at = aliases_.find(key);
  if (at == aliases_.end()) {
    const std::string name = names_.make(type + "_any" + (is_small ? std::to_string(align) : ""));
    definitions_ += "typedef " + type + " " + name + " __attribute__((may_alias" +
                    (is_small ? ", aligned(" + std::to_string(align) + ")" : "") + "));\n";
    at = aliases_.emplace(key, name).first;
  }
  return std::string(spell(dialect_, space)) + at->second + "*";
}

std::string Types::field(const Type* type, uint32_t index) {
  define(type);
  return fields_.at(type)[index];
}

const std::string& Types::define(const Type* type) {
  if (const auto known = structs_.find(type); known != structs_.end()) return known->second;
  Names inside;
  std::vector<std::string>& fields = fields_[type];
  const bool overlaps = pass::has_overlap(type) && dialect_.has_pointers;
  for (const ir::Field& f : type->fields) {
    const std::string field = inside.make(f.name);
    // A member of a union that does not begin at its start is wrapped in a struct.
    fields.push_back(overlaps && f.offset != 0 ? inside.make(field + "_at") + "." + field : field);
  }
  const std::string name = names_.make(type->name);
  definitions_ += define_struct(type, name);
  return structs_[type] = name;
}

std::string Types::define_struct(const Type* type, const std::string& name) {
  const std::vector<std::string> names = fields_.at(type);
  const bool overlaps = pass::has_overlap(type);
  std::string body;
  uint64_t at = 0, natural = 1;
  int pads = 0;
  const auto pad = [&](uint64_t bytes) {
    body += "  " + std::string(spell(dialect_, TypeKind::kU8)) + " pad" + std::to_string(pads++) + "[" +
            std::to_string(bytes) + "];\n";
  };
  for (size_t i = 0; i < type->fields.size(); ++i) {
    const ir::Field& f = type->fields[i];
    natural = std::max(natural, f.type->align);
    if (!overlaps) {
      const uint64_t expected = (at + f.type->align - 1) / f.type->align * f.type->align;
      if (f.offset > expected) pad(f.offset - at);
      if (f.offset < expected && f.offset % f.type->align != 0)
        problem_ = message::kMemberNotAligned(type->name).text;
      at = f.offset + f.type->size;
    }
    if (overlaps && f.offset != 0) {
      if (f.offset % f.type->align != 0) problem_ = message::kMemberNotAligned(type->name).text;
      // In a union, at an offset: after unnamed bytes.
      const std::string& name_inside = names[i];
      const size_t dot = name_inside.find('.');
      body += "  struct {\n    " + std::string(spell(dialect_, TypeKind::kU8)) + " quern_pad[" +
              std::to_string(f.offset) + "];\n    " + declaration(f.type, name_inside.substr(dot + 1)) +
              ";\n  } " + name_inside.substr(0, dot) + ";\n";
      continue;
    }
    body += "  " + declaration(f.type, names[i]) + ";\n";
  }
  if (type->fields.empty()) pad(type->size);
  const bool raised = type->align > natural && !type->fields.empty();
  const std::string_view word = overlaps ? "union " : "struct ";
  const std::string align =
      raised ? (dialect_.language == Language::kCuda ? "__align__(" : "__attribute__((aligned(") +
                   std::to_string(type->align) + (dialect_.language == Language::kCuda ? ") " : "))) ")
             : "";
  if (dialect_.functional_casts) return "struct " + name + " {\n" + body + "};\n";
  // `{0}` initialises the first member of a union; the rest is indeterminate.
  if (overlaps) {
    body = "  " + std::string(spell(dialect_, TypeKind::kU8)) + " quern_all[" + std::to_string(type->size) +
           "];\n" + body;
  }
  return "typedef " + std::string(word) + align + name + " {\n" + body + "} " + name + ";\n";
}

const std::string& Types::wrap_array(const Type* type) {
  if (const auto known = structs_.find(type); known != structs_.end()) return known->second;
  const Type* scalar = type;
  std::string wanted;
  for (; scalar->is_array(); scalar = scalar->elem) wanted += "_x" + std::to_string(scalar->count);
  const std::string name = names_.make(stored(scalar) + wanted);
  const std::string body = declaration(type, "of");
  definitions_ += "typedef struct " + name + " {\n  " + body + ";\n} " + name + ";\n";
  return structs_[type] = name;
}

}  // namespace quern::target::cstyle
