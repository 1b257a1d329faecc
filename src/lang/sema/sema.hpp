// Sema: names, types, templates, overloads and conversions. The parser reads tokens and calls Sema's actions,
// which build the typed tree. One Sema per compilation; not thread-safe.
//
// Files: sema.cpp (state, errors), scan*.cpp (finding declarations), lookup.cpp, complete.cpp (signatures,
// classes, bodies on demand), template.cpp and deduce.cpp; and the meaning of expressions: convert.cpp,
// overload.cpp, operator.cpp, call.cpp, init.cpp, member.cpp, cast.cpp, intrinsic.cpp.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/constant/const_eval.hpp"
#include "lang/text/diagnostic.hpp"
#include "lang/text/preprocessor.hpp"
#include "lang/tree/arena.hpp"
#include "lang/tree/tree.hpp"

namespace quern::lang {

// How well an argument matches a parameter, best first ([over.ics.rank], the relevant part).
enum class Rank : uint8_t { kExact, kQualify, kPromotion, kConversion, kUser, kEllipsis, kNone };

// A name in an expression that is not resolved (yet): functions and function templates to choose from.
struct OverloadSet {
  std::vector<Decl*> candidates;           // FunctionDecl or TemplateDecl (of functions)
  std::vector<TemplateArg> explicit_args;  // name<…>
  bool has_explicit_args = false;
  Expr* object = nullptr;     // member call: the object (lvalue or prvalue of class type)
  bool is_qualified = false;  // ns::name: no argument-dependent lookup
  Ident* name = nullptr;
  SourceLoc loc;
  uint32_t length = 1;
};

// Code that is not compiled, only searched for launches.
struct HostBody {
  TokenRange tokens;                 // of a function: its parameters and its body
  FunctionDecl* function = nullptr;  // nullptr: an explicit instantiation
};

class Sema {
 public:
  Sema(SourceMap& sources, IdentTable& idents, Diagnostics& diagnostics);
  ~Sema();

  // ---- state shared by all parts
  SourceMap& sources;
  IdentTable& idents;
  Diagnostics& diagnostics;
  Arena arena;
  TypeTable types;
  Scope* global = nullptr;

  QualType basic(TypeKind kind) { return types.get(kind); }
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    return arena.make<T>(std::forward<Args>(args)...);
  }

  // ---- errors (sema.cpp)
  void error(SourceLoc loc, base::MessageText message) { diagnostics.error(loc, std::move(message)); }
  void error(SourceLoc loc, uint32_t length, base::MessageText message) {
    diagnostics.error(loc, length, std::move(message));
  }
  void error(const Expr* at, base::MessageText message) {
    diagnostics.error(at->loc, at->length, std::move(message));
  }
  Expr* error_expr(SourceLoc loc);  // a kError node of error type

  // ---- finding declarations (scan.cpp)
  void scan(TokenRange tokens, Scope* scope, bool is_library);  // a namespace's (or file's) content
  std::vector<FunctionDecl*> kernels;                           // in order of appearance
  std::vector<TemplateDecl*> kernel_templates;
  std::vector<HostBody> host_bodies;  // for launches

  // ---- names (lookup.cpp)
  // All declarations of the name in the innermost scope that has it; overloads are collected. Searches the
  // library.
  enum class Wanted : uint8_t { kAll, kScopes };  // kScopes: before `::`, variables do not hide types
  std::vector<Decl*> lookup(Ident* name, Scope* from, Wanted wanted = Wanted::kAll);
  std::vector<Decl*> lookup_in(Ident* name, Scope* scope);  // qualified: that scope (class: with its bases)
  std::string nearest_name(Ident* name, Scope* from);       // "did you mean", empty if no name is similar
  std::string nearest_in(Ident* name, Scope* scope);        // the same among one scope's own names
  void declare(Scope* scope, Decl* decl);

  // ---- on demand (complete.cpp)
  bool complete_signature(
      FunctionDecl* function);                 // false: failed (reason in function->failure), reports nothing
  bool complete_body(FunctionDecl* function);  // reports errors; false: has none or failed
  bool complete_class(ClassDecl* decl);        // reports errors; false: not defined or failed
  // Declares the names in a class, and nothing else (open_class.cpp).
  void open_class(ClassDecl* decl);
  bool declares_type(ClassDecl* decl, Ident* name);      // whether that name needs only an opened class
  void know_fields(ClassDecl* decl, const Ident* name);  // completes an opened class for a data member
  bool complete_enum(EnumDecl* decl);
  bool complete_var(VarDecl* var);
  QualType complete_typedef(TypedefDecl* decl);
  // Repeats the errors of a declaration for every other user of it: each kernel has its reason. They are
  // shown only once.
  void report_again(const Decl* failed);
  bool require_complete(QualType type, SourceLoc loc);  // reports if a value of that type cannot be created
  Expr* default_argument(FunctionDecl* function, VarDecl* param);

  // ---- templates (template.cpp, deduce.cpp)
  ClassDecl* instantiate_class(TemplateDecl* t, const std::vector<TemplateArg>& args,
                               SourceLoc loc);  // nullptr: reported
  FunctionDecl* instantiate_function(TemplateDecl* t, const std::vector<TemplateArg>& args, SourceLoc loc);
  QualType instantiate_alias(TemplateDecl* t, const std::vector<TemplateArg>& args, SourceLoc loc);
  VarDecl* instantiate_var(TemplateDecl* t, const std::vector<TemplateArg>& args, SourceLoc loc);
  // The instance that a call with these arguments selects, or nullptr with the reason in `why`.
  FunctionDecl* deduce_call(TemplateDecl* t, std::span<const TemplateArg> explicit_args,
                            std::span<Expr* const> args, SourceLoc loc, std::string* why);
  // The instance of a class template that these initialisers select; an error type: reported.
  QualType deduce_class(TemplateDecl* t, std::span<Expr* const> args, SourceLoc loc);
  bool more_specialised(TemplateDecl* a, TemplateDecl* b);  // partial ordering of function templates

  // ---- conversions (convert.cpp). `expr` is any expression; results are prvalues unless stated otherwise.
  Expr* decay(Expr* expr);  // arrays to pointers; changes nothing else
  Rank conversion_rank(Expr* expr,
                       QualType to);  // implicit conversion to a parameter or variable of type `to`
  // Converts implicitly; on failure, reports "cannot …" with both types and returns an error expression. For
  // reference types the result is an lvalue of the referenced type (materialised where C++ allows it).
  Expr* convert(Expr* expr, QualType to, std::string_view what = {});
  Expr* to_bool(Expr* expr);                           // contextual conversion
  Expr* promote(Expr* expr);                           // integral promotion
  QualType common_arithmetic(QualType a, QualType b);  // usual arithmetic conversions
  bool is_derived_from(ClassDecl* derived, ClassDecl* base, uint64_t* offset);
  bool same_type(QualType a, QualType b) { return a == b; }

  // ---- overloads (overload.cpp)
  // Selects an overload; reports "no matching …" (with the mismatch of the nearest candidate) or "ambiguous".
  // nullptr: reported.
  FunctionDecl* resolve(const OverloadSet& set, std::span<Expr* const> args);
  FunctionDecl* resolve_silently(const OverloadSet& set,
                                 std::span<Expr* const> args);  // nullptr: none or ambiguous

  // ---- expressions (operator.cpp, call.cpp, init.cpp, member.cpp, cast.cpp, intrinsic.cpp)
  Expr* unary(Tok op, Expr* operand, SourceLoc loc);  // + - ! ~ * & and prefix ++ --
  Expr* postfix_inc_dec(bool increment, Expr* operand, SourceLoc loc);
  Expr* binary(Tok op, Expr* left, Expr* right, SourceLoc loc);  // all binary operators, assignments, comma
  Expr* shift_right(Expr* left, Expr* right, SourceLoc loc, bool assign);  // '>>' is not a single token
  Expr* greater_equal(Expr* left, Expr* right, SourceLoc loc);             // nor is '>='
  Expr* conditional(Expr* condition, Expr* a, Expr* b, SourceLoc loc);
  Expr* subscript(Expr* base, std::span<Expr* const> indices, SourceLoc loc);
  Expr* call(const OverloadSet& set, std::vector<Expr*> args, SourceLoc loc);  // finds by argument too (ADL)
  Expr* call_value(Expr* callee, std::vector<Expr*> args,
                   SourceLoc loc);  // functors, lambdas, function pointers
  Expr* call_function(FunctionDecl* f, Expr* object, std::vector<Expr*> args,
                      SourceLoc loc);  // already resolved
  // A member by name: a field, static member or enumerator returns an expression; methods return a set in
  // `out`.
  Expr* member(Expr* object, bool arrow, Ident* name, SourceLoc name_loc, Scope* from, OverloadSet* out);
  Expr* member_of_class(Expr* object, std::span<Decl* const> found, SourceLoc loc, OverloadSet* out);
  Expr* var_ref(VarDecl* var, SourceLoc loc);  // constants fold; the parser handles captures
  Expr* function_ref(FunctionDecl* f, SourceLoc loc);
  Expr* this_expr(FunctionDecl* method, SourceLoc loc);
  Expr* c_style_cast(QualType to, Expr* expr, SourceLoc loc);
  Expr* named_cast(Tok which, QualType to, Expr* expr,
                   SourceLoc loc);  // static_cast, reinterpret_cast, const_cast
  Expr* functional_cast(QualType to, std::vector<Expr*> args, SourceLoc loc);  // T(a, b)
  // Initialisation. `{…}` lists come as BracedInit below.
  Expr* init_default(QualType to, SourceLoc loc);  // T x;   nullptr: nothing to run (undefined value)
  Expr* init_value(QualType to, SourceLoc loc);    // T()
  Expr* init_copy(QualType to, Expr* from, std::string_view what);         // T x = e;
  Expr* init_direct(QualType to, std::vector<Expr*> args, SourceLoc loc);  // T x(a, b)
  struct BracedInit {
    struct Item {
      Expr* expr = nullptr;
      const BracedInit* list = nullptr;  // nested braces
      Ident* designator = nullptr;       // .x =
    };
    std::vector<Item> items;
    SourceLoc loc;
  };
  Expr* init_list(QualType to, const BracedInit& list);  // T x{…}, T x = {…}; sizes unsized arrays: see type
  // An operation of the IR by its library name `__quern_NAME`; nullptr: no such intrinsic.
  bool is_intrinsic(std::string_view name);
  Expr* intrinsic(std::string_view name, std::vector<Expr*> args, std::span<const TemplateArg> targs,
                  SourceLoc loc);
  Expr* index_variable(Ident* name, SourceLoc loc);  // threadIdx …; nullptr: not one of them

  // ---- literals and constants
  Expr* int_constant(QualType type, uint64_t bits, SourceLoc loc);
  Expr* float_constant(QualType type, double value, SourceLoc loc);
  Expr* bool_constant(bool value, SourceLoc loc);
  // The value of an integral constant expression; absent: it is not one (reported if `report`).
  std::optional<int64_t> constant_integer(Expr* expr, bool report = true);

  // Helpers of several parts
  void mark_used(FunctionDecl* function);     // its body will be needed
  std::vector<FunctionDecl*> used_functions;  // in order of first use
  bool has_packed_classes = false;            // some class has members that are not aligned
  int depth = 0;                              // of nested instantiations and expressions; see kMaxDepth
  static constexpr int kMaxDepth = 256;

  struct Impl;  // private state of scan, templates and library
  std::unique_ptr<Impl> impl;

  // ---- helpers of the expression part
  Scope* current_scope = nullptr;  // the parser's current scope: operators are looked up from here
  // The default member initialiser, converted; in a constructor it may use other members (complete.cpp).
  Expr* field_default(FieldDecl* field, FunctionDecl* ctor = nullptr);
  Expr* assert_call(Expr* condition, std::string text, SourceLoc loc);
  Expr* braced_expr(const BracedInit& list);  // `{…}` as an argument; only convert() and calls inspect it
  // Copies of functions whose pointer-to-function parameters have known targets, by (function, targets).
  std::map<std::pair<FunctionDecl*, std::vector<FunctionDecl*>>, FunctionDecl*> known_targets;
};

}  // namespace quern::lang
