// The implementation of const_eval.hpp: an interpreter of trees over ConstValues. Scalar operations are those
// of the IR, so a value computed here equals the one that a device computes.
#pragma once

#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/constant/const_eval.hpp"
#include "lang/sema/sema.hpp"

namespace quern::lang {

// An object, or a part of one: the path of member indices from the complete object down. As a value, a
// pointer has the same form: ConstValue::bits is then the object's number (never 0) and ConstValue::path its
// path.
struct Place {
  uint64_t object = 0;
  std::vector<int64_t> path;
};

// Helpers on values that need no evaluator (const_value.cpp).
bool is_undefined(const ConstValue& value);  // an uninitialized scalar
ConstValue scalar_value(QualType type, uint64_t bits);
// The part of a value that a bit-field stores; other fields store all of it.
void fit_bits(ConstValue& value, const FieldDecl* field);
ConstValue float_value(QualType type, double number);
bool zero_value(QualType type, ConstValue& out);       // false: too large
bool undefined_value(QualType type, ConstValue& out);  // false: too large
QualType scalar_of(QualType type);                     // enums: the underlying type

class ConstEvaluator {
 public:
  ConstEvaluator(Sema& sema, const ConstEvalLimits& limits) : sema_(sema), limits_(limits) {}

  // Of the outermost expression; pointers in the result name variables, not objects of this evaluator.
  bool run(const Expr* expr, ConstValue& out);
  const std::string& why() const { return why_; }

 private:
  static constexpr uint64_t kStatic = uint64_t{1}
                                      << 40;  // object numbers of variables that outlive every frame
  static constexpr size_t kMaxObjects = 100'000;
  static constexpr int kMaxNesting = 3000;  // of the evaluator's own recursion

  struct Object {
    const VarDecl* var = nullptr;         // nullptr: a temporary
    const StringExpr* literal = nullptr;  // the temporary is a string literal
    ConstValue value;
  };
  struct Frame {
    std::vector<std::pair<const VarDecl*, Place>> vars;
    ConstValue self;    // `this`
    ConstValue result;  // references: a pointer
    bool returns_ref = false;
  };
  enum class Flow : uint8_t { kNext, kBreak, kContinue, kReturn, kFail };

  bool fail(base::MessageText why);
  bool step();

  // Objects (const_eval_object.cpp)
  uint64_t new_object(ConstValue value, const VarDecl* var);
  ConstValue* resolve(const Place& place);  // nullptr: failed
  bool read(const Place& place, QualType type, ConstValue& out);
  bool write(const Place& place, ConstValue value);
  ConstValue pointer_to(const Place& place, QualType pointer_type);
  bool target_of(const ConstValue& pointer, Place& out);  // of a pointer or reference
  bool points_to_element(const Place& place);
  bool move_pointer(ConstValue& pointer, int64_t by);
  bool compare_pointers(BinaryOp op, const ConstValue& a, const ConstValue& b, bool& out);
  bool to_base(const Type* derived, const Type* base, Place& place);
  bool to_derived(const Type* base, const Type* derived, Place& place);
  bool static_object(const VarDecl* var, Place& out);
  bool unknown_object(const VarDecl* var, Place& out);
  bool detach(ConstValue& value);

  // Expressions (const_eval.cpp)
  bool value(const Expr* e, ConstValue& out);
  bool value_of(const Expr* e, ConstValue& out);
  bool place(const Expr* e, Place& out);
  bool place_of(const Expr* e, Place& out);
  bool variable(const VarExpr* e, Place& out);
  bool materialize(const Expr* e, Place& out);
  bool field_value(const FieldExpr* e, ConstValue& out);
  bool aggregate(const AggregateExpr* e, ConstValue& out);
  bool bound(const Expr* e, QualType type,
             ConstValue& out);  // initialises an object or reference of that type
  bool truth(const Expr* e, bool& out);
  bool discard(const Expr* e);

  // Operators (const_eval_operator.cpp)
  bool apply(ir::Op op, QualType result, std::initializer_list<const ConstValue*> args, ConstValue& out,
             const ir::Attr& attr = {});
  bool apply(ir::Op op, QualType result, std::span<const ConstValue* const> args, const ir::Attr& attr,
             ConstValue& out);
  bool convert(const ConstValue& from, QualType to, ConstValue& out);
  bool unary(const UnaryExpr* e, ConstValue& out);
  bool binary(const BinaryExpr* e, ConstValue& out);
  bool arithmetic(BinaryOp op, QualType type, const ConstValue& a, const ConstValue& b, ConstValue& out);
  bool pointer_arithmetic(BinaryOp op, QualType type, const ConstValue& a, const ConstValue& b,
                          ConstValue& out);
  bool inc_dec(const IncDecExpr* e, Place& target, ConstValue& before);
  bool assign(const AssignExpr* e, Place& target);
  bool compound(const CompoundExpr* e, Place& target);
  bool cast(const CastExpr* e, ConstValue& out);
  bool cast_place(const CastExpr* e, Place& out);
  bool intrinsic(const IntrinsicExpr* e, ConstValue& out);

  // Functions and statements (const_eval_call.cpp)
  bool call(const CallExpr* e, ConstValue& out);
  bool construct(const ConstructExpr* e, ConstValue& out);
  bool call_pointer(const CallPointerExpr* e, ConstValue& out);
  bool enter(FunctionDecl* function, ConstValue self, std::span<Expr* const> args, ConstValue& out);
  bool bind_arguments(FunctionDecl* function, std::span<Expr* const> args, Frame& frame);
  bool run_ctor_inits(const FunctionDecl* ctor);
  bool callable(FunctionDecl* function);
  Flow exec(const Stmt* s);
  Flow exec_list(const std::vector<Stmt*>& list, size_t from = 0);
  Flow exec_decl(const DeclStmt* s);
  Flow exec_if(const IfStmt* s);
  Flow exec_loop(const LoopStmt* s);
  Flow exec_switch(const SwitchStmt* s);
  Flow exec_return(const ReturnStmt* s);

  Sema& sema_;
  ConstEvalLimits limits_;
  std::string why_;
  uint64_t steps_ = 0;
  int depth_ = 0;
  int nesting_ = 0;
  std::deque<Object> objects_;
  std::deque<Object> statics_;
  std::unordered_map<const void*, Place> static_of_;  // by variable, or by string literal
  std::vector<Frame*> frames_;
};

}  // namespace quern::lang
