// C++ types and classes as types of the IR.
#include <algorithm>

#include "lang/lower/module_lowering.hpp"

namespace quern::lang {
namespace {

ir::TypeKind scalar_kind(TypeKind kind) {
  using K = ir::TypeKind;
  switch (kind) {
    case TypeKind::kBool: return K::kBool;
    case TypeKind::kChar:
    case TypeKind::kSChar: return K::kI8;
    case TypeKind::kUChar: return K::kU8;
    case TypeKind::kShort: return K::kI16;
    case TypeKind::kUShort: return K::kU16;
    case TypeKind::kInt: return K::kI32;
    case TypeKind::kUInt: return K::kU32;
    case TypeKind::kLong:
    case TypeKind::kLongLong: return K::kI64;
    case TypeKind::kULong:
    case TypeKind::kULongLong: return K::kU64;
    case TypeKind::kHalf: return K::kF16;
    case TypeKind::kBFloat: return K::kBF16;
    case TypeKind::kFloat: return K::kF32;
    case TypeKind::kDouble: return K::kF64;
    default: return K::kVoid;
  }
}

bool fields_overlap(const std::vector<ir::Field>& fields) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const ir::Field& field : fields) ranges.emplace_back(field.offset, field.offset + field.type->size);
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first < ranges[i - 1].second) return true;
  }
  return false;
}

bool same_fields(const ir::Type* type, const std::vector<ir::Field>& fields) {
  return std::equal(type->fields.begin(), type->fields.end(), fields.begin(), fields.end(),
                    [](const ir::Field& a, const ir::Field& b) {
                      return a.name == b.name && a.type == b.type && a.offset == b.offset;
                    });
}

bool is_empty_class(const ClassDecl* decl) {
  return decl->fields.empty() && std::all_of(decl->bases.begin(), decl->bases.end(),
                                             [](const BaseClass& base) { return is_empty_class(base.decl); });
}

}  // namespace

const ir::Type* TypeLowering::get(QualType type) {
  if (!type) return nullptr;
  if (const auto known = types_.find(type.type); known != types_.end()) return known->second;
  const ir::Type* made = make(type);
  if (made != nullptr) types_[type.type] = made;
  return made;
}

const ir::Type* TypeLowering::make(QualType type) {
  switch (type->kind) {
    case TypeKind::kPointer:
    case TypeKind::kLRef:
    case TypeKind::kRRef:
      if (type->elem->is_function())
        return module_.types().get(ir::TypeKind::kU64);  // a FunctionTable number
      return module_.types().ptr(ir::Space::kGeneric);
    case TypeKind::kNullPtr: return module_.types().ptr(ir::Space::kGeneric);
    case TypeKind::kEnum:
      return sema_.complete_enum(type->enum_decl) ? get(type->enum_decl->underlying) : nullptr;
    case TypeKind::kArray: {
      const ir::Type* elem = get(type->elem);
      return elem != nullptr ? module_.types().array(elem, type->count) : nullptr;
    }
    case TypeKind::kClass: {
      const ClassLayout* made = layout(type->class_decl);
      return made != nullptr ? made->type : nullptr;
    }
    default: {
      const ir::TypeKind kind = scalar_kind(type->kind);
      return kind != ir::TypeKind::kVoid ? module_.types().get(kind) : nullptr;
    }
  }
}

const ir::Type* TypeLowering::bit_unit(const FieldDecl& field) {
  using enum ir::TypeKind;
  switch (size_of(field.type)) {
    case 1: return module_.types().get(kU8);
    case 2: return module_.types().get(kU16);
    case 4: return module_.types().get(kU32);
    default: return module_.types().get(kU64);
  }
}

// A member that is not aligned for its type is an array of bytes.
bool TypeLowering::pack_field(const ClassDecl& decl, ir::Field& field) {
  if (decl.align % field.type->align == 0 && field.offset % field.type->align == 0) return false;
  field.type = module_.types().array(module_.types().get(ir::TypeKind::kU8), field.type->size);
  return true;
}

const ClassLayout* TypeLowering::layout(ClassDecl* decl) {
  if (const auto known = layouts_.find(decl); known != layouts_.end()) return &known->second;
  if (decl->state != Lazy::kDone && !sema_.complete_class(decl)) return nullptr;
  ClassLayout made;
  std::vector<ir::Field> fields;
  for (size_t i = 0; i < decl->bases.size(); ++i) {
    const BaseClass& base = decl->bases[i];
    const bool is_empty = is_empty_class(base.decl);
    made.base_field.push_back(is_empty ? -1 : static_cast<int>(fields.size()));
    const ir::Type* type = is_empty ? nullptr : get(base.decl->type);
    if (type != nullptr) fields.push_back({"base" + std::to_string(i), type, base.offset});
    if (type == nullptr && !is_empty) return nullptr;
  }
  made.first_field = static_cast<uint32_t>(fields.size());
  for (const FieldDecl* field : decl->fields) {
    const ir::Type* type = get(field->type);
    if (type == nullptr) return nullptr;
    if (field->is_bit_field()) {
      type = bit_unit(*field);
      made.has_bits = true;
    }
    std::string name(field->name != nullptr ? field->name->text : std::string_view());
    if (name.empty()) name = "field" + std::to_string(field->index);
    fields.push_back({std::move(name), type, field->offset});
  }
  for (ir::Field& field : fields) made.is_packed |= pack_field(*decl, field);
  made.overlaps = made.has_bits || made.is_packed || fields_overlap(fields);
  made.type = struct_type(decl, std::move(fields));
  return &(layouts_[decl] = std::move(made));
}

// Local classes and lambdas of different functions may share a name; their structs must not.
const ir::Type* TypeLowering::struct_type(ClassDecl* decl, std::vector<ir::Field> fields) {
  const uint64_t size = std::max<uint64_t>(decl->size, 1);
  const std::string wanted = decl->full_name.empty() ? std::string("unnamed") : decl->full_name;
  std::string name = wanted;
  for (int i = 2;; ++i) {
    const ir::Type* other = module_.types().find_struct(name);
    if (other == nullptr) break;
    if (other->size == size && other->align == decl->align && same_fields(other, fields)) return other;
    name = wanted + "#" + std::to_string(i);
  }
  const ir::Type* type = module_.types().declare_struct(name);
  module_.types().define_struct(type, std::move(fields), size, std::max<uint64_t>(decl->align, 1));
  return type;
}

const ir::Type* lower_type(Sema& sema, ir::Module& module, QualType type) {
  return TypeLowering(sema, module).get(type);
}

}  // namespace quern::lang
