// C++ types in the front end. Interned: equal types are the same pointer. Layout is that of CUDA on a 64-bit
// host.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace quern::lang {

struct ClassDecl;
struct EnumDecl;
struct FunctionDecl;
struct TemplateDecl;
struct VarDecl;
struct Type;

enum class TypeKind : uint8_t {
  kError,  // a type that could not be determined; converts to and from anything silently
  kVoid,
  kBool,
  kChar,
  kSChar,
  kUChar,
  kShort,
  kUShort,
  kInt,
  kUInt,
  kLong,
  kULong,
  kLongLong,
  kULongLong,
  kHalf,
  kBFloat,
  kFloat,
  kDouble,
  kNullPtr,
  kPointer,
  kLRef,
  kRRef,
  kArray,
  kFunction,
  kClass,
  kEnum,
  kAuto,  // `auto` in a declaration, until it is deduced; decltype(auto) is a separate one
  // In the patterns of templates only:
  kParam,       // a template parameter: its depth in the list is `index`
  kTemplateId,  // `Vec<T, N>` with parameters among its arguments
  kNotDeduced,  // a non-deduced context (`typename T::type`, decltype …)
};

// A type with its qualifiers. Small: pass by value. `__restrict__` is stored in declarations, not here.
struct QualType {
  const Type* type = nullptr;
  bool is_const = false;
  bool is_volatile = false;

  QualType() = default;
  QualType(const Type* t, bool c = false, bool v = false) : type(t), is_const(c), is_volatile(v) {}
  const Type* operator->() const { return type; }
  explicit operator bool() const { return type != nullptr; }
  bool operator==(const QualType&) const = default;
  QualType unqualified() const { return {type, false, false}; }
  QualType with_const() const { return {type, true, is_volatile}; }
};

// A template argument, bound or (in patterns) holding parameters.
struct TemplateArg {
  enum class Kind : uint8_t {
    kNone,
    kType,
    kValue,
    kFunction,
    kObject,
    kTemplate,
    kPack,
    kParamValue,
    kNotDeduced
  } kind = Kind::kNone;
  QualType type;                      // kType; kValue: the value's type
  int64_t value = 0;                  // kValue; kParamValue: index of the value parameter
  FunctionDecl* function = nullptr;   // kFunction
  VarDecl* object = nullptr;          // kObject: the variable referred to, or a constant of that value
  TemplateDecl* template_ = nullptr;  // kTemplate
  std::vector<TemplateArg> pack;      // kPack
  bool is_expansion = false;          // in patterns: `Ts...`
  bool operator==(const TemplateArg&) const = default;
};

struct Type {
  TypeKind kind = TypeKind::kError;
  QualType elem;       // pointer, reference, array: its element type; function: the result
  uint64_t count = 0;  // array; 0 with is_unsized: extent not given
  bool is_unsized = false;
  int count_param = -1;                  // array in a pattern: extent is that value parameter; or
  static constexpr int kAnyExtent = -2;  // depends on parameters in a way that is not deduced
  std::vector<QualType> params;          // function
  bool is_variadic = false;              // function
  bool ends_in_pack = false;             // function in a pattern: the last of `params` is an expansion
  ClassDecl* class_decl = nullptr;
  EnumDecl* enum_decl = nullptr;
  int index = 0;                      // kParam
  TemplateDecl* template_ = nullptr;  // kTemplateId
  int template_param = -1;            // kTemplateId whose template is itself a template template parameter
  std::vector<TemplateArg> args;      // kTemplateId
  bool is_pattern = false;            // contains a template parameter

  bool is(TypeKind k) const { return kind == k; }
  bool is_error() const { return kind == TypeKind::kError; }
  bool is_void() const { return kind == TypeKind::kVoid; }
  bool is_bool() const { return kind == TypeKind::kBool; }
  bool is_integer() const {
    return kind >= TypeKind::kBool && kind <= TypeKind::kULongLong;
  }  // bool and chars too
  bool is_floating() const { return kind >= TypeKind::kHalf && kind <= TypeKind::kDouble; }
  bool is_arithmetic() const { return is_integer() || is_floating(); }
  bool is_pointer() const { return kind == TypeKind::kPointer; }
  bool is_ref() const { return kind == TypeKind::kLRef || kind == TypeKind::kRRef; }
  bool is_array() const { return kind == TypeKind::kArray; }
  bool is_function() const { return kind == TypeKind::kFunction; }
  bool is_class() const { return kind == TypeKind::kClass; }
  bool is_enum() const { return kind == TypeKind::kEnum; }
  bool is_scalar() const {
    return is_arithmetic() || is_pointer() || is_enum() || kind == TypeKind::kNullPtr;
  }
  bool is_function_pointer() const { return is_pointer() && elem->is_function(); }
  bool is_function_ref() const { return is_ref() && elem->is_function(); }
  bool is_signed_integer() const {
    switch (kind) {
      case TypeKind::kChar:
      case TypeKind::kSChar:
      case TypeKind::kShort:
      case TypeKind::kInt:
      case TypeKind::kLong:
      case TypeKind::kLongLong: return true;
      default: return false;
    }
  }
};

class TypeTable {
 public:
  TypeTable();
  const Type* get(TypeKind basic) const { return basics_[static_cast<size_t>(basic)]; }
  const Type* pointer(QualType elem);
  const Type* lref(QualType elem);  // collapses: a reference to a reference is that lvalue reference
  const Type* rref(QualType elem);
  const Type* array(QualType elem, uint64_t count);
  const Type* unsized_array(QualType elem);
  const Type* array_of_param(QualType elem, int value_param);  // pattern: T[N]
  const Type* function(QualType result, std::vector<QualType> params, bool is_variadic,
                       bool ends_in_pack = false);
  const Type* class_type(ClassDecl* decl);
  const Type* enum_type(EnumDecl* decl);
  const Type* param(int index);
  const Type* decltype_auto() const { return decltype_auto_; }
  const Type* class_to_deduce(TemplateDecl* t);  // kAuto: an instance of t that the initialiser determines
  const Type* template_id(TemplateDecl* t, int template_param, std::vector<TemplateArg> args);

 private:
  const Type* add(Type type);
  std::deque<Type> storage_;
  std::vector<const Type*> basics_;
  const Type* decltype_auto_ = nullptr;
  using Key = std::tuple<TypeKind, const Type*, bool, bool, uint64_t, int>;
  std::map<Key, const Type*> derived_;
  std::map<std::tuple<const Type*, bool, bool, std::vector<std::tuple<const Type*, bool, bool>>, bool, bool>,
           const Type*>
      functions_;
  std::map<const void*, const Type*> named_;
  std::map<int, const Type*> params_;
};

std::string to_string(QualType type);  // in C++ syntax: "const float*", "Vec<int, 3>"
std::string to_string(const TemplateArg& arg);

// Size and alignment in bytes of a complete type (classes must be completed first); 0 for void, functions,
// unsized arrays.
uint64_t size_of(QualType type);
uint64_t align_of(QualType type);
uint32_t integer_bits(const Type* type);  // 8 for bool
int integer_rank(const Type* type);       // as [conv.rank]
QualType strip_ref(QualType type);        // T& -> T
bool has_auto(QualType type);             // auto, auto&, const auto* …

}  // namespace quern::lang
