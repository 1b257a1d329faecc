// The typed tree: the meaning of a function body after names, overloads, templates and conversions are
// resolved. Every implicit step is a node; nothing here needs a lookup. Sema builds it, lower/ turns it into
// IR, const_eval evaluates it.
#pragma once

#include <vector>

#include "lang/tree/decl.hpp"

namespace quern::lang {

enum class ExprKind : uint8_t {
  kError,     // already reported; ignored silently
  kConst,     // number, bool, null pointer
  kString,    // lvalue: array of const char
  kVar,       // lvalue: a variable (of reference type: what it refers to)
  kFunction,  // prvalue of pointer-to-function type: a known function
  kThis,      // prvalue pointer
  kField,     // object.field; lvalue if the object is
  kDeref,     // lvalue *pointer
  kIndex,     // lvalue pointer[index]
  kAddress,   // &lvalue
  kUnary,     // operand already promoted: + - ! ~
  kIncDec,    // ++ -- on an lvalue scalar; prefix: lvalue result
  kBinary,    // operands converted to their common type (shifts: each promoted; pointers: see BinaryOp)
  kAssign,    // lvalue = value, both scalar, class (trivial copy) or array in a copied class; lvalue result
  kCompound,  // lvalue op= value, computed in `compute` type; lvalue result
  kCast,
  kConditional,  // lvalue if both branches are lvalues of one type
  kCall,         // a resolved function; methods: args[0] is the object's address
  kCallPointer,  // a function that a pointer selects at run time
  kIntrinsic,    // an operation of the IR
  kConstruct,    // class prvalue by a constructor
  kAggregate,    // prvalue of class or array type from members; missing ones are nullptr, see Rest
  kZero,         // value-initialised prvalue of any type
  kNew,          // prvalue pointer: an object constructed at an address
  kDestroy,      // void: the destructor of an object at an address runs
  kMaterialize,  // lvalue: a temporary that holds a prvalue (for references and member calls)
};

struct Expr {
  ExprKind kind;
  bool is_lvalue = false;
  QualType type;  // never a reference
  SourceLoc loc;
  uint32_t length = 1;  // for underlining

 protected:
  explicit Expr(ExprKind k) : kind(k) {}
};

struct ErrorExpr : Expr {
  ErrorExpr() : Expr(ExprKind::kError) {}
};

struct ConstExpr : Expr {
  ConstExpr() : Expr(ExprKind::kConst) {}
  uint64_t bits = 0;  // integers: sign- or zero-extended to 64 by the type; pointers: 0
  double number = 0;  // floating types: the exact value (already rounded to the type)
};

struct StringExpr : Expr {
  StringExpr() : Expr(ExprKind::kString) {}
  std::string text;  // without the final zero
};

struct VarExpr : Expr {
  VarExpr() : Expr(ExprKind::kVar) {}
  VarDecl* var = nullptr;
};

struct FunctionExpr : Expr {
  FunctionExpr() : Expr(ExprKind::kFunction) {}
  FunctionDecl* function = nullptr;
};

struct ThisExpr : Expr {
  ThisExpr() : Expr(ExprKind::kThis) {}
};

struct FieldExpr : Expr {
  FieldExpr() : Expr(ExprKind::kField) {}
  Expr* object = nullptr;  // of the class that declares the field (DerivedToBase casts are explicit)
  FieldDecl* field =
      nullptr;  // of reference type: the field holds an address, the expression is what it refers to
};

struct DerefExpr : Expr {
  DerefExpr() : Expr(ExprKind::kDeref) {}
  Expr* pointer = nullptr;
};
struct AddressExpr : Expr {
  AddressExpr() : Expr(ExprKind::kAddress) {}
  Expr* object = nullptr;
};

struct IndexExpr : Expr {
  IndexExpr() : Expr(ExprKind::kIndex) {}
  Expr* pointer = nullptr;
  Expr* index = nullptr;  // an integer of any type
};

enum class UnaryOp : uint8_t { kPlus, kMinus, kNot, kBitNot };
struct UnaryExpr : Expr {
  UnaryExpr() : Expr(ExprKind::kUnary) {}
  UnaryOp op{};
  Expr* operand = nullptr;
};

struct IncDecExpr : Expr {
  IncDecExpr() : Expr(ExprKind::kIncDec) {}
  bool is_increment = true, is_prefix = true;
  Expr* object = nullptr;
};

enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,  // result bool; pointers: both of one type
  kLogicalAnd,
  kLogicalOr,  // bool operands, short circuit
  kComma,
  kPtrAdd,
  kPtrSub,   // pointer, integer (left, right in this order)
  kPtrDiff,  // pointer, pointer: long
};
struct BinaryExpr : Expr {
  BinaryExpr() : Expr(ExprKind::kBinary) {}
  BinaryOp op{};
  Expr* left = nullptr;
  Expr* right = nullptr;
};

struct AssignExpr : Expr {
  AssignExpr() : Expr(ExprKind::kAssign) {}
  Expr* target = nullptr;
  Expr* value = nullptr;
};

struct CompoundExpr : Expr {
  CompoundExpr() : Expr(ExprKind::kCompound) {}
  BinaryOp op{};  // arithmetic, or kPtrAdd/kPtrSub
  Expr* target = nullptr;
  Expr* value = nullptr;  // converted to `compute` (shifts: promoted; pointers: an integer)
  QualType compute;       // the target is converted to it and the result back
};

enum class CastKind : uint8_t {
  kNumber,          // between arithmetic types and enums, by value; to bool: != 0
  kPointer,         // pointer to pointer, any types
  kArrayToPointer,  // lvalue array to pointer to its first element
  kPointerToBool,
  kPointerToInt,
  kIntToPointer,
  kNullToPointer,
  kDerivedToBase,  // class lvalue/prvalue, or pointer: address moves by `offset`
  kBaseToDerived,  // static_cast down: address moves back by `offset`
  kReinterpret,    // lvalue seen as another type (reinterpret_cast<T&>, unions)
  kToVoid,
  kQualify,  // only qualifiers change (const_cast and binding)
};
struct CastExpr : Expr {
  CastExpr() : Expr(ExprKind::kCast) {}
  CastKind cast{};
  Expr* operand = nullptr;
  uint64_t offset = 0;
};

struct ConditionalExpr : Expr {
  ConditionalExpr() : Expr(ExprKind::kConditional) {}
  Expr* condition = nullptr;  // bool
  Expr* then_value = nullptr;
  Expr* else_value = nullptr;
};

struct CallExpr : Expr {
  CallExpr() : Expr(ExprKind::kCall) {}
  FunctionDecl* function = nullptr;
  std::vector<Expr*> args;  // converted; reference parameters: lvalues
  bool is_virtual = false;  // the dynamic type of args[0] selects the function
};

struct CallPointerExpr : Expr {
  CallPointerExpr() : Expr(ExprKind::kCallPointer) {}
  Expr* pointer = nullptr;  // its type names the parameters
  std::vector<Expr*> args;  // converted, as in CallExpr
};

// An intrinsic is an IR operation with attributes; its operands are already converted.
struct IntrinsicExpr : Expr {
  IntrinsicExpr() : Expr(ExprKind::kIntrinsic) {}
  ir::Op op{};
  ir::Attr attr;
  std::vector<Expr*> args;
};

struct ConstructExpr : Expr {
  ConstructExpr() : Expr(ExprKind::kConstruct) {}
  FunctionDecl* ctor = nullptr;  // never a trivial copy (that is just the source value)
  std::vector<Expr*> args;       // without `this`
};

struct AggregateExpr : Expr {
  AggregateExpr() : Expr(ExprKind::kAggregate) {}
  std::vector<Expr*> bases;    // one per base class (may be empty or hold nullptr)
  std::vector<Expr*> members;  // one per field, or array element (may be fewer); unions: only the first
  // How missing members are initialised. kZeroFirst: everything is zeroed before the members are set, so
  // members that their own initialisers omit are zero too.
  enum class Rest : uint8_t { kZero, kUndefined, kZeroFirst } rest = Rest::kZero;
};

struct ZeroExpr : Expr {
  ZeroExpr() : Expr(ExprKind::kZero) {}
};
struct NewExpr : Expr {
  NewExpr() : Expr(ExprKind::kNew) {}
  Expr* place = nullptr;    // pointer
  Expr* init = nullptr;     // nullptr: the value is undefined
  bool is_checked = false;  // nothing is constructed if the pointer is null
};

struct DestroyExpr : Expr {
  DestroyExpr() : Expr(ExprKind::kDestroy) {}
  enum class How : uint8_t {
    kStatic,
    kVirtual,
    kDelete
  } how = How::kStatic;  // kDelete: virtual, and frees it
  Expr* pointer = nullptr;
};

struct MaterializeExpr : Expr {
  MaterializeExpr() : Expr(ExprKind::kMaterialize) {}
  Expr* value = nullptr;
};

enum class StmtKind : uint8_t {
  kNull,
  kExpr,
  kDecl,
  kBlock,
  kIf,
  kWhile,
  kDo,
  kFor,
  kSwitch,
  kCase,
  kBreak,
  kContinue,
  kReturn,
  kGoto,
  kLabel,
};

struct Stmt {
  StmtKind kind;
  SourceLoc loc;

 protected:
  explicit Stmt(StmtKind k) : kind(k) {}
};

struct NullStmt : Stmt {
  NullStmt() : Stmt(StmtKind::kNull) {}
};
struct ExprStmt : Stmt {
  ExprStmt() : Stmt(StmtKind::kExpr) {}
  Expr* expr = nullptr;
};
struct DeclStmt : Stmt {
  DeclStmt() : Stmt(StmtKind::kDecl) {}
  std::vector<VarDecl*> vars;
};
struct BlockStmt : Stmt {
  BlockStmt() : Stmt(StmtKind::kBlock) {}
  std::vector<Stmt*> body;
};

struct IfStmt : Stmt {  // if constexpr is resolved before: only the taken branch is in the tree
  IfStmt() : Stmt(StmtKind::kIf) {}
  std::vector<Stmt*> init;    // init-statement and condition declaration, in their own scope
  Expr* condition = nullptr;  // bool
  Stmt* then_branch = nullptr;
  Stmt* else_branch = nullptr;
};

struct LoopStmt : Stmt {  // kWhile, kDo, kFor
  explicit LoopStmt(StmtKind k) : Stmt(k) {}
  std::vector<Stmt*> init;    // for: the init-statement
  std::vector<Stmt*> each;    // a condition that declares: run before each test
  Expr* condition = nullptr;  // nullptr: infinite
  Expr* step = nullptr;
  std::vector<Stmt*> before_body;  // range-for: declares the element in each iteration
  Stmt* body = nullptr;
  int unroll = 0;  // as ir::Attr::unroll
};

struct SwitchStmt : Stmt {
  SwitchStmt() : Stmt(StmtKind::kSwitch) {}
  std::vector<Stmt*> init;
  Expr* value = nullptr;  // promoted integer
  Stmt* body = nullptr;   // usually a block with kCase statements in it
};

struct CaseStmt : Stmt {  // a label before `body` (which may be another case)
  CaseStmt() : Stmt(StmtKind::kCase) {}
  bool is_default = false;
  int64_t value = 0, last = 0;  // a GNU range `case 1 ... 5` has last > value
  Stmt* body = nullptr;
};

struct BreakStmt : Stmt {
  BreakStmt() : Stmt(StmtKind::kBreak) {}
};
struct ContinueStmt : Stmt {
  ContinueStmt() : Stmt(StmtKind::kContinue) {}
};
struct ReturnStmt : Stmt {
  ReturnStmt() : Stmt(StmtKind::kReturn) {}
  Expr* value = nullptr;
};  // converted; refs: lvalue
struct GotoStmt : Stmt {
  GotoStmt() : Stmt(StmtKind::kGoto) {}
  Ident* label = nullptr;
};
struct LabelStmt : Stmt {
  LabelStmt() : Stmt(StmtKind::kLabel) {}
  Ident* label = nullptr;
  Stmt* body = nullptr;
};

template <typename T>
T* as(Expr* e) {
  return static_cast<T*>(e);
}
template <typename T>
const T* as(const Expr* e) {
  return static_cast<const T*>(e);
}

// s.a, where a is a bit-field: it has no address.
inline bool is_bit_field(const Expr* e) {
  return e->kind == ExprKind::kField && as<FieldExpr>(e)->field->is_bit_field();
}
template <typename T>
T* as(Stmt* s) {
  return static_cast<T*>(s);
}
template <typename T>
const T* as(const Stmt* s) {
  return static_cast<const T*>(s);
}

}  // namespace quern::lang
