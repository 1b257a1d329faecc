// Declarations and the scopes that contain them. Declarations are found by a quick scan and are parsed only
// when a kernel needs them: a function's signature, a class's members and every body are token ranges until
// then. An instance of a template is the same token range with a scope that binds the parameters' names.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/ir/ir.hpp"
#include "lang/text/token.hpp"
#include "lang/tree/type.hpp"

namespace quern::lang {

struct Expr;
struct Stmt;
struct Scope;
struct FunctionDecl;
struct VarDecl;

struct TokenRange {
  const Token* begin = nullptr;
  const Token* end = nullptr;
  bool empty() const { return begin == end; }
};

enum class DeclKind : uint8_t {
  kVar,
  kField,
  kFunction,
  kClass,
  kEnum,
  kEnumConstant,
  kTypedef,
  kNamespace,
  kTemplate,
  kTypeParam,
  kValueParam,
  kPackParam,
  kTemplateParam,  // names bound by an instance of a template (or by its pattern)
  kUsing,          // using ns::name;
};

enum class Lazy : uint8_t { kNot, kBusy, kDone, kFailed };

struct Decl {
  DeclKind kind;
  Ident* name = nullptr;  // nullptr: unnamed
  SourceLoc loc;          // of the name
  Scope* parent = nullptr;

 protected:
  explicit Decl(DeclKind k) : kind(k) {}
};

// Scopes of names. kTemplate scopes bind the parameters of an instance and lie between it and its
// surroundings.
struct Scope {
  enum class Kind : uint8_t { kGlobal, kNamespace, kClass, kTemplate, kFunction, kBlock } kind = Kind::kBlock;
  Scope* parent = nullptr;
  Ident* name = nullptr;             // namespaces
  ClassDecl* class_decl = nullptr;   // kClass
  FunctionDecl* function = nullptr;  // kFunction: the function of this body
  bool is_inline = false;            // inline and unnamed namespaces are transparent for lookup
  std::vector<Scope*> used;          // using namespace …, and inline namespaces within
  std::unordered_map<const Ident*, std::vector<Decl*>> names;
  std::vector<std::pair<const Ident*, Decl*>> locals;  // kFunction, kBlock: searched from the end
};

enum class Storage : uint8_t {
  kLocal,
  kParam,
  kShared,    // __shared__ (dynamic when its type is an unsized array)
  kConstant,  // __constant__
  kDevice,    // __device__, and `static` locals of device functions
  kHost,      // a namespace variable of host code: usable only if it is a constant
};

struct VarDecl : Decl {
  VarDecl() : Decl(DeclKind::kVar) {}
  QualType type;
  Storage storage = Storage::kLocal;
  Expr* init = nullptr;  // converted to the variable's type (references: an lvalue); nullptr: none
  bool is_constexpr = false;
  bool is_const_init = false;  // const with a constant initialiser: usable in constant expressions
  bool is_restrict = false;
  bool is_param_pack = false;    // the name of a parameter pack: `pack` holds the actual parameters
  bool is_pack_element = false;  // an element of a parameter pack
  std::vector<VarDecl*> pack;
  std::optional<int64_t> align;            // __align__/alignas
  FunctionDecl* known_function = nullptr;  // pointer to function whose target is known
  Expr* default_arg = nullptr;             // parameters; parsed when first needed
  TokenRange default_range;
  uint32_t index = 0;  // parameters
  // Namespace variables and static members: parsed when first used.
  Lazy state = Lazy::kDone;
  TokenRange range;  // the whole declaration
  Scope* scope = nullptr;
  ClassDecl* member_of = nullptr;  // static data member
};

struct FieldDecl : Decl {
  FieldDecl() : Decl(DeclKind::kField) {}
  QualType type;
  uint32_t index = 0;  // in ClassDecl::fields
  uint64_t offset = 0;
  TokenRange init_range;  // default member initialiser
  Scope* init_scope = nullptr;
  uint64_t align = 1;  // __align__/alignas
  // A bit-field is stored in a unit: an unsigned integer of the size of its type, at `offset`. Units may
  // share bytes with each other and with other members.
  int bit_width = -1;       // -1: an ordinary field
  uint32_t bit_offset = 0;  // of its lowest bit in the unit
  bool is_bit_field() const { return bit_width >= 0; }
};

struct CtorInit {              // one entry of a constructor's initialiser list, in order of execution
  FieldDecl* field = nullptr;  // nullptr: a base class, or delegation (base_index -2)
  int base_index = -1;
  Expr* value = nullptr;  // converted (for class types: construction); nullptr: value-initialise
};

struct FunctionDecl : Decl {
  FunctionDecl() : Decl(DeclKind::kFunction) {}
  TokenRange range;                       // specifiers and declarator, up to the body
  const Token* name_token = nullptr;      // in `range`; `operator` for operators, nullptr for lambdas
  TokenRange init_list;                   // constructor: after ':' up to the body
  TokenRange body_range;                  // with its braces; empty: only declared
  TokenRange constraint;                  // a trailing requires-clause, without the word
  Scope* scope = nullptr;                 // where its names are looked up
  ClassDecl* class_decl = nullptr;        // member of
  FunctionDecl* defaults_from = nullptr;  // a specialisation has the default arguments of its template
  TemplateDecl* from_template = nullptr;
  std::vector<TemplateArg> template_args;
  bool is_kernel = false, is_device = false, is_host = false;  // __global__, __device__, __host__
  bool is_static = false, is_const = false, is_constexpr = false, is_explicit = false, is_friend = false;
  bool is_ctor = false, is_dtor = false, is_conversion = false, is_deleted = false, is_defaulted = false;
  bool is_virtual = false, is_noinline = false, is_library = false;  // is_library: from our own headers
  bool is_lambda_call = false;
  bool for_lvalues = false, for_rvalues = false;  // void f() &, void f() &&
  bool is_guide = false;                          // deduction guide of a class template
  ClassDecl* inherited_from = nullptr;  // constructor by `using Base::Base`: forwards its parameters

  Lazy signature = Lazy::kNot;        // see Sema::complete_signature
  std::string failure;                // why the signature could not be determined
  QualType result;                    // may be `auto` until the body is parsed
  std::vector<VarDecl*> params;       // without `this`
  std::vector<VarDecl*> empty_packs;  // names of parameter packs without elements
  size_t required_params = 0;
  bool is_variadic = false;
  uint32_t max_threads = 0, min_blocks = 0;
  std::array<uint32_t, 3> cluster{};  // __cluster_dims__

  Lazy body = Lazy::kNot;  // see Sema::complete_body
  Stmt* tree = nullptr;
  std::vector<CtorInit> ctor_inits;  // constructors
  Scope* body_scope = nullptr;       // kFunction scope with the parameters
  bool is_method() const { return class_decl != nullptr && !is_static; }  // takes `this`
};

struct BaseClass {
  ClassDecl* decl = nullptr;
  uint64_t offset = 0;
};

struct ClassDecl : Decl {
  ClassDecl() : Decl(DeclKind::kClass) {}
  bool is_union = false;
  bool is_defined = false;   // whether a body was found
  TokenRange bases_range;    // after ':'
  TokenRange body_range;     // with its braces
  Scope* outer = nullptr;    // where its own names are looked up
  Scope* members = nullptr;  // kClass scope
  TemplateDecl* from_template = nullptr;
  TemplateDecl* chosen = nullptr;        // the specialisation it is an instance of, or from_template
  std::vector<TemplateArg> chosen_args;  // its arguments
  std::vector<TemplateArg> template_args;
  const Type* type = nullptr;
  std::string full_name;                    // "ns::Vec<float, 3>"
  std::vector<TokenRange> align_arguments;  // of alignas and __align__ in its head
  std::vector<TokenRange> attributes;       // the contents of each of its __attribute__((…))
  std::optional<int64_t> explicit_align;    // their combined effect
  bool has_packed_member = false;  // a member is requested to be packed: rejected if that changes the layout
  uint32_t pack = 0;               // the largest alignment of a member: packed (1), #pragma pack; 0: no limit
  bool is_library = false;

  Lazy state = Lazy::kNot;  // see Sema::complete_class
  std::vector<BaseClass> bases;
  std::vector<FieldDecl*> fields;  // own, in order; anonymous unions' members are lifted with their offsets
  std::vector<FunctionDecl*> ctors;
  std::vector<TemplateDecl*> ctor_templates;
  FunctionDecl* dtor = nullptr;
  FunctionDecl* implicit_ctor = nullptr;  // created when default member initialisers use other members
  bool has_user_ctor = false;             // any constructor declared by the user
  bool has_default_init = false;  // a field (or a base's) has a default member initialiser or a ctor must run
  bool is_aggregate = false;
  bool is_polymorphic = false;  // has virtual functions, own or inherited
  FieldDecl* vptr = nullptr;    // among its fields: the dynamic type; nullptr: a base has it
  uint64_t size = 0, align = 1;
  // Lambdas: a closure class has one field per capture; `captured` is the variable that each represents
  // (this: nullptr).
  bool is_closure = false;
  std::vector<VarDecl*> captured;
  FieldDecl* captured_this = nullptr;
};

struct EnumConstantDecl : Decl {
  EnumConstantDecl() : Decl(DeclKind::kEnumConstant) {}
  EnumDecl* of = nullptr;
  int64_t value = 0;
};

struct EnumDecl : Decl {
  EnumDecl() : Decl(DeclKind::kEnum) {}
  bool is_scoped = false;
  TokenRange base_range, body_range;
  Scope* outer = nullptr;
  Scope* members = nullptr;
  const Type* type = nullptr;
  QualType underlying;
  std::string full_name;
  Lazy state = Lazy::kNot;
};

struct TypedefDecl : Decl {
  TypedefDecl() : Decl(DeclKind::kTypedef) {}
  QualType type;
  TokenRange range;  // parsed when first used; `using X = range` or a whole typedef declaration
  bool is_using = false;
  Scope* scope = nullptr;
  Lazy state = Lazy::kNot;
};

struct NamespaceDecl : Decl {
  NamespaceDecl() : Decl(DeclKind::kNamespace) {}
  Scope* members = nullptr;
};

struct UsingDecl : Decl {
  UsingDecl() : Decl(DeclKind::kUsing) {}
  TokenRange range;  // the qualified name
  Scope* scope = nullptr;
};

struct TemplateParam {
  enum class Kind : uint8_t { kType, kValue, kTemplate } kind = Kind::kType;
  Ident* name = nullptr;
  bool is_pack = false;
  TokenRange type_range;  // kValue: its type
  TokenRange constraint;  // kType: the concept before it, `C` of `template <C T>` and of `C auto x`
  TokenRange default_range;
  SourceLoc loc;
};

// A class, function, alias or variable template, or a concept; also each partial or full specialisation,
// which its primary template lists.
struct TemplateDecl : Decl {
  TemplateDecl() : Decl(DeclKind::kTemplate) {}
  enum class Of : uint8_t { kFunction, kClass, kAlias, kVar, kConcept } of = Of::kFunction;
  std::vector<TemplateParam> params;
  Scope* scope = nullptr;   // surroundings
  Decl* pattern = nullptr;  // FunctionDecl, ClassDecl, TypedefDecl or VarDecl with its token ranges
  TokenRange spec_args;     // a specialisation's argument list (without the angle brackets)
  TokenRange constraint;    // the requires-clause of the header; of a concept: its definition
  std::vector<TemplateDecl*> specialisations;
  std::vector<Decl*> guides;         // class templates: deduction guides, FunctionDecl or TemplateDecl
  bool has_implicit_guides = false;  // those of the constructors are among them
  TemplateDecl* primary = nullptr;   // set on specialisations
  bool pattern_parsed = false;       // function templates: parameter patterns for deduction
  std::vector<QualType> param_patterns;
  std::vector<bool> param_is_pack;
  std::vector<TemplateArg> spec_pattern;
  std::vector<Decl*> instances;
  // Definitions of members outside the class: `template <class T> void Vec<T>::f() { … }`.
  std::vector<TemplateDecl*> member_definitions;
  ClassDecl* member_of = nullptr;  // a member template's class
};

// A name bound by an instance's kTemplate scope.
struct BoundDecl : Decl {
  BoundDecl(DeclKind k) : Decl(k) {}
  TemplateArg arg;         // kPackParam: a kPack; while a pack is being expanded, one element of it
  int pattern_index = -1;  // >= 0: a placeholder, in patterns
  bool pattern_is_pack = false;
  QualType value_type;  // of a value placeholder
};

template <typename T>
T* decl_cast(Decl* d, DeclKind k) {
  return d != nullptr && d->kind == k ? static_cast<T*>(d) : nullptr;
}

}  // namespace quern::lang
