// Internal declarations shared by the files on expressions (convert, overload, operator, call, init, member,
// cast, intrinsic). Not included elsewhere.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/sema/sema.hpp"

namespace quern::lang {

// ---- nodes (literal.cpp)

inline bool is_error(const Expr* e) {
  return e == nullptr || e->kind == ExprKind::kError || !e->type || e->type->is_error();
}
bool any_error(std::span<Expr* const> args);

// `{…}` as an argument of a call: of type `auto` until convert() sets the parameter's type.
struct BracedExpr : AggregateExpr {
  Sema::BracedInit list;
};
inline bool is_braced(const Expr* e) {
  return e->kind == ExprKind::kAggregate && e->type->is(TypeKind::kAuto);
}

template <typename T>
T* make_expr(Sema& sema, QualType type, SourceLoc loc, bool is_lvalue = false) {
  T* e = sema.make<T>();
  e->type = type;
  e->loc = loc;
  e->is_lvalue = is_lvalue;
  return e;
}
// As above, with the location of `at`.
template <typename T>
T* make_expr_at(Sema& sema, QualType type, const Expr* at, bool is_lvalue = false) {
  T* e = make_expr<T>(sema, type, at->loc, is_lvalue);
  e->length = at->length;
  return e;
}

// The value of a bit-field, in its own type.
Expr* read_bits(Sema& sema, Expr* e);
Expr* promote_bits(Sema& sema, Expr* e);  // as an operand
Expr* make_cast(Sema& sema, CastKind kind, Expr* operand, QualType type, bool is_lvalue = false,
                uint64_t offset = 0);
Expr* make_binary(Sema& sema, BinaryOp op, Expr* left, Expr* right, QualType type, SourceLoc loc);
Expr* make_intrinsic(Sema& sema, ir::Op op, QualType type, std::vector<Expr*> args, SourceLoc loc);
Expr* null_pointer(Sema& sema, QualType type, const Expr* at);
Expr* materialize(Sema& sema,
                  Expr* value);  // an lvalue: the expression itself, or a temporary that holds its value
Expr* address_of(Sema& sema, Expr* object);  // of an lvalue, or of a temporary; never fails
Expr* deref(Sema& sema, Expr* pointer, SourceLoc loc);
Expr* fold_number(Sema& sema, const ConstExpr* value, QualType to);  // a number as another arithmetic type
uint64_t extend_bits(const Type* type, uint64_t bits);               // in the format of ConstExpr::bits

// ---- types (convert.cpp)

QualType add_quals(Sema& sema, QualType type, bool is_const, bool is_volatile);  // arrays: of the elements
QualType bare(Sema& sema, QualType type);  // without qualifiers, those of array elements included
bool is_const_object(QualType type);       // arrays: of const elements
ClassDecl* class_of(QualType type);        // nullptr: not a class
inline bool is_class_or_enum(const Expr* e) { return e->type->is_class() || e->type->is_enum(); }
inline bool is_scoped_enum(QualType t) { return t->is_enum() && t->enum_decl->is_scoped; }
QualType underlying(Sema& sema, QualType type);  // enums: the underlying integer; others: unqualified
bool is_null_constant(const Expr* e);
bool is_xvalue(const Expr* e);                                       // an lvalue node that may bind to T&&
QualType type_with_category(Sema& sema, const Expr* e);              // decltype((e)): T&, T&& or T
int base_distance(Sema& sema, ClassDecl* derived, ClassDecl* base);  // 0: the same class, -1: unrelated
bool qualifies(QualType from, QualType to);  // pointees: T* to `to`* only adds qualifiers

// ---- conversion sequences (convert.cpp, user_convert.cpp)

// One implicit conversion of an argument, with the properties that [over.ics.rank] compares.
struct Sequence {
  Rank rank = Rank::kNone;
  Rank inner = Rank::kExact;    // kUser: of the standard conversion that follows
  FunctionDecl* via = nullptr;  // kUser: constructor or conversion function; nullptr: a `{…}`
  bool is_ambiguous = false;    // kUser: several fit
  bool binds_reference = false;
  bool binds_rvalue_ref = false;
  bool from_rvalue = false;
  bool pointer_to_bool = false;
  bool to_void_pointer = false;
  bool to_small_float = false;  // of a number to half or bfloat16: a CUDA class with a converting constructor
  bool is_ignored = false;      // the object of a static method: compares equal to anything
  int distance = 0;             // steps from derived to base
  int quals = 0;                // qualifiers of the referred type
  explicit operator bool() const { return rank != Rank::kNone; }
};

Sequence classify(Sema& sema, Expr* from, QualType to, bool allow_user = true);
Sequence classify_object(Sema& sema, const Expr* object, const FunctionDecl* method);
// 1: a is better, -1: b is better, 0: neither.
int compare(const Sequence& a, const Sequence& b);
// The user-defined conversion of `from` to `to` (rank kUser) or none.
Sequence user_conversion(Sema& sema, Expr* from, QualType to, bool allow_explicit);
// Conversion functions of a class and its bases; reports nothing.
std::vector<FunctionDecl*> conversion_functions(Sema& sema, ClassDecl* decl);
// Converts a class operand of a built-in operator to a number or pointer through its conversion function;
// decays other operands. nullptr: there is none; reports nothing.
Expr* scalar_operand(Sema& sema, Expr* e, const Expr* other = nullptr);
Expr* apply_user_conversion(Sema& sema, Expr* from, QualType to, const Sequence& sequence);
// Standard conversions between scalars, and the additional ones of explicit casts; the caller has checked
// them.
Expr* scalar_cast(Sema& sema, Expr* e, QualType to);
Expr* to_base(Sema& sema, Expr* object, ClassDecl* base);  // a class lvalue or prvalue as its base
Expr* copy_class(Sema& sema, Expr* from,
                 QualType to);  // a value of class `to` from a value of it or of a derived class
base::MessageText cannot_convert(QualType from,
                                 QualType to);  // "cannot convert 'a' to 'b'", with advice

// ---- overloads (overload.cpp, overload_report.cpp)

struct Call {
  const OverloadSet* set = nullptr;
  std::span<Expr* const> args;
  bool is_operator = false;    // methods among the candidates take args[0] as their object
  bool allow_user = true;      // user-defined conversions of arguments
  bool allow_explicit = true;  // explicit constructors
};
struct Candidate {
  FunctionDecl* function = nullptr;
  TemplateDecl* from = nullptr;  // the template it is an instance of
  std::vector<Sequence> sequences;
};
struct Choice {
  FunctionDecl* function = nullptr;
  Candidate best;
  FunctionDecl* rival = nullptr;  // set when ambiguous
};
Choice choose(Sema& sema, const Call& call);
void report_no_match(Sema& sema, const Call& call, SourceLoc loc);
void report_ambiguous(Sema& sema, const Call& call, const Choice& choice, SourceLoc loc);

size_t required_params(std::span<VarDecl* const> params);
std::string signature(const FunctionDecl* f);       // "foo(int, float*)"
std::string name_of(const FunctionDecl* f);         // "Vec::length"
std::string describe(const Expr* e);                // "'x'", "'a.b'", or "the value"
std::string types_of(std::span<Expr* const> args);  // "int, float*"
std::string ordinal(size_t n);                      // 1 -> "1st"

// ---- calls and construction (call.cpp, init.cpp)

bool is_host_only(const FunctionDecl* f);  // neither marked for the device nor usable on it
bool check_callable(Sema& sema, FunctionDecl* f,
                    SourceLoc loc);  // reports host functions, kernels, deleted functions
// Arguments converted to the parameters, with defaults added; `f` becomes the copy for known function
// targets.
bool convert_arguments(Sema& sema, FunctionDecl*& f, std::vector<Expr*>& args, SourceLoc loc);
// The function that a pointer expression is known to point to; nullptr: unknown.
FunctionDecl* known_target(const Expr* e);
// The same, also if a constant expression yields it (a constexpr function, a member of a constant).
FunctionDecl* constant_target(Sema& sema, const Expr* e);
// The plain function of a lambda without captures: its call operator without an object.
FunctionDecl* function_of_lambda(Sema& sema, FunctionDecl* call);
std::vector<Decl*> constructors(Sema& sema, ClassDecl* decl);  // and constructor templates
bool has_own_constructors(Sema& sema, ClassDecl* decl);        // other than defaulted and deleted ones
bool is_copy_constructor(const FunctionDecl* f);               // or a move constructor
Expr* construct(Sema& sema, FunctionDecl* ctor, QualType type, std::vector<Expr*> args, SourceLoc loc);
bool can_construct(Sema& sema, QualType to, std::span<Expr* const> args);  // reports nothing
std::vector<Decl*> found_by_arguments(Sema& sema, Ident* name, std::span<Expr* const> args);
void add_decls(std::vector<Decl*>& to,
               std::span<Decl* const> more);  // functions and templates, without duplicates

// ---- operators (operator.cpp, operator_builtin.cpp, assign.cpp)

struct Operator {
  std::string_view text;  // "+="
  BinaryOp op{};
  bool is_assignment = false;  // "=" has op kComma
};
// Operator functions for these operands; absent result: none is viable. An error expression: ambiguous,
// reported.
Expr* overloaded_operator(Sema& sema, std::string_view op, std::span<Expr* const> args, SourceLoc loc);
Expr* builtin_binary(Sema& sema, const Operator& op, Expr* left, Expr* right, SourceLoc loc);
Expr* assign(Sema& sema, Expr* left, Expr* right, SourceLoc loc);
Expr* compound_assign(Sema& sema, const Operator& op, Expr* left, Expr* right, SourceLoc loc);
bool check_assignable(Sema& sema, const Expr* target, std::string_view op, SourceLoc loc);  // reports
QualType composite_pointer(Sema& sema, const Expr* a, const Expr* b);  // no type: they have no common type
Expr* type_query(Sema& sema, std::string_view name, std::span<const TemplateArg> targs, SourceLoc loc);
bool is_type_query(std::string_view name);

}  // namespace quern::lang
