#include "lang/tree/type.hpp"

#include <algorithm>
#include <tuple>

#include "lang/tree/decl.hpp"

namespace quern::lang {

TypeTable::TypeTable() {
  for (int k = 0; k <= static_cast<int>(TypeKind::kNotDeduced); ++k) {
    Type type;
    type.kind = static_cast<TypeKind>(k);
    type.is_pattern = type.kind == TypeKind::kNotDeduced;
    basics_.push_back(add(std::move(type)));
  }
  Type keeps_references;
  keeps_references.kind = TypeKind::kAuto;
  decltype_auto_ = add(std::move(keeps_references));
}

const Type* TypeTable::add(Type type) {
  storage_.push_back(std::move(type));
  return &storage_.back();
}

namespace {

Type derived(TypeKind kind, QualType elem) {
  Type type;
  type.kind = kind;
  type.elem = elem;
  type.is_pattern = elem->is_pattern;
  return type;
}

bool is_pattern_arg(const TemplateArg& arg) {
  switch (arg.kind) {
    case TemplateArg::Kind::kType: return arg.type->is_pattern;
    case TemplateArg::Kind::kParamValue:
    case TemplateArg::Kind::kNotDeduced: return true;
    case TemplateArg::Kind::kPack: return std::any_of(arg.pack.begin(), arg.pack.end(), is_pattern_arg);
    default: return false;
  }
}

}  // namespace

const Type* TypeTable::pointer(QualType elem) {
  auto& slot = derived_[{TypeKind::kPointer, elem.type, elem.is_const, elem.is_volatile, 0, 0}];
  if (slot == nullptr) slot = add(derived(TypeKind::kPointer, elem));
  return slot;
}

const Type* TypeTable::lref(QualType elem) {
  if (elem->is_ref()) elem = elem->elem;
  auto& slot = derived_[{TypeKind::kLRef, elem.type, elem.is_const, elem.is_volatile, 0, 0}];
  if (slot == nullptr) slot = add(derived(TypeKind::kLRef, elem));
  return slot;
}

const Type* TypeTable::rref(QualType elem) {
  if (elem->is_ref()) return elem.type;
  auto& slot = derived_[{TypeKind::kRRef, elem.type, elem.is_const, elem.is_volatile, 0, 0}];
  if (slot == nullptr) slot = add(derived(TypeKind::kRRef, elem));
  return slot;
}

const Type* TypeTable::array(QualType elem, uint64_t count) {
  auto& slot = derived_[{TypeKind::kArray, elem.type, elem.is_const, elem.is_volatile, count, -1}];
  if (slot == nullptr) {
    Type type = derived(TypeKind::kArray, elem);
    type.count = count;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::unsized_array(QualType elem) {
  auto& slot = derived_[{TypeKind::kArray, elem.type, elem.is_const, elem.is_volatile, 0, -2}];
  if (slot == nullptr) {
    Type type = derived(TypeKind::kArray, elem);
    type.is_unsized = true;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::array_of_param(QualType elem, int value_param) {
  auto& slot = derived_[{TypeKind::kArray, elem.type, elem.is_const, elem.is_volatile, 0, value_param}];
  if (slot == nullptr) {
    Type type = derived(TypeKind::kArray, elem);
    type.count_param = value_param;
    type.is_pattern = true;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::function(QualType result, std::vector<QualType> params, bool is_variadic,
                                bool ends_in_pack) {
  std::vector<std::tuple<const Type*, bool, bool>> key;
  for (QualType p : params) key.emplace_back(p.type, p.is_const, p.is_volatile);
  auto& slot = functions_[{result.type, result.is_const, result.is_volatile, std::move(key), is_variadic,
                           ends_in_pack}];
  if (slot == nullptr) {
    Type type = derived(TypeKind::kFunction, result);
    for (QualType p : params) type.is_pattern |= p->is_pattern;
    type.params = std::move(params);
    type.is_variadic = is_variadic;
    type.ends_in_pack = ends_in_pack;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::class_type(ClassDecl* decl) {
  auto& slot = named_[decl];
  if (slot == nullptr) {
    Type type;
    type.kind = TypeKind::kClass;
    type.class_decl = decl;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::enum_type(EnumDecl* decl) {
  auto& slot = named_[decl];
  if (slot == nullptr) {
    Type type;
    type.kind = TypeKind::kEnum;
    type.enum_decl = decl;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::class_to_deduce(TemplateDecl* t) {
  auto& slot = named_[t];
  if (slot == nullptr) {
    Type type;
    type.kind = TypeKind::kAuto;
    type.template_ = t;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::param(int index) {
  auto& slot = params_[index];
  if (slot == nullptr) {
    Type type;
    type.kind = TypeKind::kParam;
    type.index = index;
    type.is_pattern = true;
    slot = add(std::move(type));
  }
  return slot;
}

const Type* TypeTable::template_id(TemplateDecl* t, int template_param, std::vector<TemplateArg> args) {
  Type type;
  type.kind = TypeKind::kTemplateId;
  type.template_ = t;
  type.template_param = template_param;
  type.is_pattern = template_param >= 0 || std::any_of(args.begin(), args.end(), is_pattern_arg);
  type.args = std::move(args);
  return add(std::move(type));
}

namespace {

std::string_view basic_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::kError: return "<error>";
    case TypeKind::kVoid: return "void";
    case TypeKind::kBool: return "bool";
    case TypeKind::kChar: return "char";
    case TypeKind::kSChar: return "signed char";
    case TypeKind::kUChar: return "unsigned char";
    case TypeKind::kShort: return "short";
    case TypeKind::kUShort: return "unsigned short";
    case TypeKind::kInt: return "int";
    case TypeKind::kUInt: return "unsigned int";
    case TypeKind::kLong: return "long";
    case TypeKind::kULong: return "unsigned long";
    case TypeKind::kLongLong: return "long long";
    case TypeKind::kULongLong: return "unsigned long long";
    case TypeKind::kHalf: return "__half";
    case TypeKind::kBFloat: return "__nv_bfloat16";
    case TypeKind::kFloat: return "float";
    case TypeKind::kDouble: return "double";
    case TypeKind::kNullPtr: return "std::nullptr_t";
    case TypeKind::kAuto: return "auto";
    case TypeKind::kNotDeduced: return "<dependent>";
    default: return "?";
  }
}

std::string qualifiers(QualType type) {
  std::string out;
  if (type.is_const) out += "const ";
  if (type.is_volatile) out += "volatile ";
  return out;
}

// Declarators are written from the inside out: `suffix` is the text to the right of the base type so far.
std::string spell(QualType type, const std::string& inner) {
  const Type* t = type.type;
  switch (t->kind) {
    case TypeKind::kPointer:
    case TypeKind::kLRef:
    case TypeKind::kRRef: {
      std::string mark = t->kind == TypeKind::kPointer ? "*" : t->kind == TypeKind::kLRef ? "&" : "&&";
      if (type.is_const) mark += " const";
      if (type.is_volatile) mark += " volatile";
      std::string text = mark + inner;
      if (t->elem->is_array() || t->elem->is_function()) text = "(" + text + ")";
      return spell(t->elem, text);
    }
    case TypeKind::kArray: {
      std::string extent = t->is_unsized || t->count_param != -1 ? "" : std::to_string(t->count);
      return spell(t->elem, inner + "[" + extent + "]");
    }
    case TypeKind::kFunction: {
      std::string params;
      for (QualType p : t->params) params += (params.empty() ? "" : ", ") + to_string(p);
      if (t->is_variadic) params += params.empty() ? "..." : ", ...";
      return spell(t->elem, inner + "(" + params + ")");
    }
    default: break;
  }
  std::string base;
  if (t->kind == TypeKind::kClass) {
    base = t->class_decl->full_name;
  } else if (t->kind == TypeKind::kEnum) {
    base = t->enum_decl->full_name;
  } else if (t->kind == TypeKind::kParam) {
    base = "T" + std::to_string(t->index);
  } else if (t->kind == TypeKind::kTemplateId) {
    base = t->template_ != nullptr ? std::string(t->template_->name->text) : "template";
    std::string args;
    for (const TemplateArg& a : t->args) args += (args.empty() ? "" : ", ") + to_string(a);
    base += "<" + args + ">";
  } else if (t->kind == TypeKind::kAuto && t->template_ != nullptr) {
    base = t->template_->name->text;
  } else {
    base = basic_name(t->kind);
  }
  const bool space = !inner.empty() && inner[0] == '(';
  return qualifiers(type) + base + (space ? " " : "") + inner;
}

}  // namespace

std::string to_string(QualType type) {
  if (!type) return "<none>";
  return spell(type, "");
}

std::string to_string(const TemplateArg& arg) {
  switch (arg.kind) {
    case TemplateArg::Kind::kType: return to_string(arg.type);
    case TemplateArg::Kind::kValue:
      if (arg.type && arg.type->is_bool()) return arg.value != 0 ? "true" : "false";
      if (arg.type && arg.type->is_integer() && !arg.type->is_signed_integer()) {
        return std::to_string(static_cast<uint64_t>(arg.value));
      }
      return std::to_string(arg.value);
    case TemplateArg::Kind::kFunction: return std::string(arg.function->name->text);
    case TemplateArg::Kind::kObject:
      return (arg.type->is_pointer() ? "&" : "") + std::string(arg.object->name->text);
    case TemplateArg::Kind::kTemplate: return std::string(arg.template_->name->text);
    case TemplateArg::Kind::kPack: {
      std::string out;
      for (const TemplateArg& a : arg.pack) out += (out.empty() ? "" : ", ") + to_string(a);
      return out;
    }
    default: return "?";
  }
}

uint64_t size_of(QualType type) {
  const Type* t = type.type;
  switch (t->kind) {
    case TypeKind::kBool:
    case TypeKind::kChar:
    case TypeKind::kSChar:
    case TypeKind::kUChar: return 1;
    case TypeKind::kShort:
    case TypeKind::kUShort:
    case TypeKind::kHalf:
    case TypeKind::kBFloat: return 2;
    case TypeKind::kInt:
    case TypeKind::kUInt:
    case TypeKind::kFloat: return 4;
    case TypeKind::kLong:
    case TypeKind::kULong:
    case TypeKind::kLongLong:
    case TypeKind::kULongLong:
    case TypeKind::kDouble:
    case TypeKind::kPointer:
    case TypeKind::kNullPtr: return 8;
    case TypeKind::kLRef:
    case TypeKind::kRRef: return 8;  // as a field: an address
    case TypeKind::kArray: return t->count * size_of(t->elem);
    case TypeKind::kClass: return t->class_decl->size;
    case TypeKind::kEnum: return t->enum_decl->underlying ? size_of(t->enum_decl->underlying) : 4;
    default: return 0;
  }
}

uint64_t align_of(QualType type) {
  const Type* t = type.type;
  switch (t->kind) {
    case TypeKind::kArray: return align_of(t->elem);
    case TypeKind::kClass: return t->class_decl->align;
    default: return std::max<uint64_t>(1, size_of(type));
  }
}

uint32_t integer_bits(const Type* type) {
  if (type->is_enum())
    return type->enum_decl->underlying ? integer_bits(type->enum_decl->underlying.type) : 32;
  return static_cast<uint32_t>(size_of(type) * 8);
}

int integer_rank(const Type* type) {
  switch (type->kind) {
    case TypeKind::kBool: return 0;
    case TypeKind::kChar:
    case TypeKind::kSChar:
    case TypeKind::kUChar: return 1;
    case TypeKind::kShort:
    case TypeKind::kUShort: return 2;
    case TypeKind::kInt:
    case TypeKind::kUInt: return 3;
    case TypeKind::kLong:
    case TypeKind::kULong: return 4;
    case TypeKind::kLongLong:
    case TypeKind::kULongLong: return 5;
    default: return 3;
  }
}

bool has_auto(QualType type) {
  while (type->is_pointer() || type->is_ref()) type = type->elem;
  return type->is(TypeKind::kAuto);
}

QualType strip_ref(QualType type) { return type->is_ref() ? type->elem : type; }

}  // namespace quern::lang
