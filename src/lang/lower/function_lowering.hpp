// Lowers the body of one function. Order of evaluation: operands and arguments from left to right, the right
// side of an assignment before its left side (as C++17 requires where it specifies an order).
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/ir/builder.hpp"
#include "lang/lower/module_lowering.hpp"
#include "lang/lower/usage.hpp"

namespace quern::lang {

class FunctionLowering {
 public:
  FunctionLowering(ModuleLowering& shared, FunctionDecl* decl, ir::Function* function);

  bool run();  // false: there were errors

 private:
  // The representation of a variable in this function. Exactly one of the three is set.
  struct Local {
    ir::Value* value = nullptr;    // never modified: its value; a reference: the address it refers to
    ir::Value* slot = nullptr;     // the address of its memory
    ir::Value* address = nullptr;  // a reference declared in a loop's head: memory that holds the address
  };
  // A target of break, continue or goto.
  struct Target {
    ir::Inst* inst = nullptr;
    bool continues = false;      // by `continue`, else by `exit`
    size_t cleanups = 0;         // objects that are still alive there
    ir::Value* state = nullptr;  // not nullptr: the variable that is set to `number` first
    uint32_t number = 0;
  };
  // A loop over states (lower_states.cpp).
  struct Machine {
    ir::Inst* loop = nullptr;
    ir::Inst* choice = nullptr;  // the switch over states
    ir::Value* state = nullptr;
    bool takes_labels = false;                          // all labels are states
    std::unordered_map<const Stmt*, uint32_t> entries;  // the states of labels
    Machine* outer = nullptr;
  };
  struct Breakable {
    Target on_break;
    Target on_continue;  // inst nullptr: a switch, which forwards `continue`
  };
  struct Label {
    const Ident* name = nullptr;
    Target target;
  };
  struct Cleanup {
    const Type* type = nullptr;  // a class, or an array of it
    ir::Value* address = nullptr;
    ir::Value* made = nullptr;  // memory that says whether the object was constructed; nullptr: it always is
  };
  // Scope guard: when it ends, the temporaries of the full expression are destroyed.
  class FullExpression {
   public:
    explicit FullExpression(FunctionLowering& lowering);
    ~FullExpression();
    FullExpression(const FullExpression&) = delete;
    FullExpression& operator=(const FullExpression&) = delete;

   private:
    FunctionLowering& lowering_;
    size_t outside_;
  };
  // A branch inside of an expression: temporaries created there outlive the branch.
  class ExpressionBranch {
   public:
    ExpressionBranch(FunctionLowering& lowering, ir::Value* condition);
    ~ExpressionBranch();
    ExpressionBranch(const ExpressionBranch&) = delete;
    ExpressionBranch& operator=(const ExpressionBranch&) = delete;
    void side(size_t i);  // 0: the condition is true

   private:
    FunctionLowering& lowering_;
    ir::Block* after_;
    ir::Inst* choice_;
    bool was_conditional_;
    ir::Inst* memory_before_;
  };

  // ---- the function as a whole (function_lowering.cpp)
  void bind_params();
  void lower_ctor_inits();
  // Stores the dynamic type `whole` into the subobject `part` of an object at `offset`, and into its bases.
  void set_vptrs(ClassDecl* whole, ClassDecl* part, ir::Value* object, uint64_t offset);
  void finish();
  void place(const Expr* e) { place(e->loc, e->length); }
  void place(SourceLoc loc, uint32_t length = 1);
  ir::Value* error(const Expr* e, const base::MessageText& message);
  void error(SourceLoc loc, const base::MessageText& message);
  const ir::Type* type(QualType t);  // reports types without a size
  ir::Value* undef(QualType t);
  ir::TypeTable& ir_types() { return module_.types(); }
  const ir::Type* ir_type(ir::TypeKind kind) { return module_.types().get(kind); }
  const ir::Type* generic_ptr() { return module_.types().ptr(ir::Space::kGeneric); }

  // ---- values (lower_expr.cpp). Pointers have the address space that is known; value() makes them generic,
  // as pointers in memory and in other functions are.
  ir::Value* value(const Expr* e);
  ir::Value* pointer(const Expr* e);
  ir::Value* generic(ir::Value* v);
  void discard(const Expr* e);
  ir::Value* rvalue(const Expr* e);
  ir::Value* constant(const ConstExpr* e);
  ir::Value* unary(const UnaryExpr* e);
  ir::Value* binary(const BinaryExpr* e);
  ir::Value* arithmetic(BinaryOp op, ir::Value* a, ir::Value* b);
  ir::Value* compare(BinaryOp op, ir::Value* a, ir::Value* b);
  ir::Value* logical(const BinaryExpr* e);
  ir::Value* conditional(const ConditionalExpr* e);
  ir::Value* pointer_add(ir::Value* pointer, const Type* pointer_type, ir::Value* index, bool subtract);
  ir::Value* pointer_difference(const BinaryExpr* e);
  ir::Value* known_variable(const VarExpr* e);   // its value without memory access, or nullptr
  ir::Value* known_element(const IndexExpr* e);  // of a constant table, or nullptr
  ir::Value* number_cast(ir::Value* v, QualType to);
  ir::Value* cast(const CastExpr* e);
  ir::Const* to_ir_constant(const ConstValue& v);

  // ---- changes of variables (lower_assign.cpp)
  struct Changed {
    ir::Value* address = nullptr;
    ir::Value* before = nullptr;
    ir::Value* after = nullptr;
  };
  Changed assign(const AssignExpr* e);
  Changed assign_members(const AssignExpr* e);
  Changed compound(const CompoundExpr* e);
  Changed inc_dec(const IncDecExpr* e);

  // ---- bit-fields (lower_bits.cpp); the address is the unit's
  ir::Value* load_bits(const FieldDecl& field, ir::Value* from, bool is_volatile = false);
  ir::Value* store_bits(const FieldDecl& field, ir::Value* to, ir::Value* v, bool is_volatile = false);
  ir::Value* fit_bits(const FieldDecl& field, ir::Value* unit, uint32_t offset);
  void clear_bits(ClassDecl* decl, ir::Value* object);  // so that no uninitialized bit is read
  void clear_unset(QualType t, ir::Value* object);

  // ---- addresses (lower_address.cpp)
  ir::Value* address(const Expr* e);  // of an lvalue (a prvalue is put into a temporary)
  ir::Value* variable_address(const VarExpr* e);
  ir::Value* field_address(const FieldExpr* e);
  ir::Value* conditional_address(const ConditionalExpr* e);
  ir::Value* index_address(const IndexExpr* e);
  ir::Value* cast_address(const CastExpr* e);
  ir::Value* base_address(ir::Value* object, const Type* derived, const Type* base, uint64_t offset);
  ir::Value* base_value(ir::Value* object, const Type* derived, const Type* base);
  ir::Value* load(const Expr* e, ir::Value* from);
  ir::Value* store(const Expr* target, ir::Value* to, ir::Value* v);  // the value that it then holds
  // Members of packed classes (lower_packed.cpp)
  uint64_t known_align(const Expr* e);
  static bool is_aligned_member(const FieldDecl& field);
  ir::Value* load_bytes(const ir::Type* t, ir::Value* from);
  void store_bytes(ir::Value* to, ir::Value* v);
  void copy_bytes(ir::Value* to, ir::Value* from, uint64_t bytes);
  void init_packed(QualType t, const Expr* e, ir::Value* to);
  bool is_value(const Expr* e);  // known without memory: a prvalue, or part of a variable that is only read
  ir::Value* part_of_value(const FieldExpr* e);
  const Local* local(const VarDecl* var) const;

  // ---- calls (lower_call.cpp)
  ir::Value* call(const CallExpr* e);
  ir::Value* call_pointer(const CallPointerExpr* e);
  ir::Value* function_number(FunctionDecl* function, const Expr* at);
  ir::Value* function_ref(const VarExpr* e);
  ir::Value* known_call(const CallExpr* e);  // nullptr: a call is needed
  ir::Value* intrinsic(const IntrinsicExpr* e);
  ir::Value* inline_ptx(const IntrinsicExpr* e);
  ir::Value* construct_value(const ConstructExpr* e);
  ir::Value* new_object(const NewExpr* e);
  void destroy_object(const DestroyExpr* e);
  void construct_into(const ConstructExpr* e, ir::Value* object);
  ir::Value* argument(const Expr* e, QualType param);
  ir::Inst* emit_call(ir::Function* callee, std::span<ir::Value* const> args);

  // ---- lifetimes (lower_temporary.cpp)
  ir::Inst* temporary_memory(const ir::Type* t);
  ir::Inst* in_memory(const Expr* e);
  ir::Value* temporary(const Expr* e);  // in_memory, and destroyed at the end of the full expression
  ir::Value* full_value(const Expr* e);
  ir::Value* bind_reference(const Expr* e);
  bool is_destroyed(QualType t);  // destroying an object of that type runs code
  bool makes_destroyed(const Expr* e) { return !e->is_lvalue && is_destroyed(e->type); }
  void destroy(const Type* t, ir::Value* object);
  std::vector<Cleanup> parts_to_destroy(ClassDecl* decl, ir::Value* object);
  void run_cleanups(size_t down_to, const ir::Value* moved = nullptr);
  void leave_scope(size_t outside);
  ir::Value* returned_object(const Expr* e);

  // ---- copies (lower_copy.cpp)
  bool copies_by_member(QualType t, Copy how);
  void copy_object(const Type* t, ir::Value* from, ir::Value* to, Copy how);
  void copy_members(ClassDecl* decl, ir::Value* from, ir::Value* to, Copy how);
  void for_each_element(const Type* array, bool from_last, const std::function<void(ir::Value*)>& body);

  // ---- initialisation (lower_init.cpp)
  void init_into(const Expr* e, ir::Value* to);
  void init_field(const FieldDecl& field, const Expr* e, ir::Value* to);
  void init_as(QualType type, const Expr* e, ir::Value* to);  // also binds references; e nullptr: zero
  void init_aggregate(const AggregateExpr* e, ir::Value* to);
  void init_array(const AggregateExpr* e, ir::Value* to);
  ir::Value* missing_value(const AggregateExpr* e, QualType member);
  void init_string(const StringExpr* e, QualType type, ir::Value* to);
  ir::Value* aggregate_value(const AggregateExpr* e);  // nullptr: it needs memory
  void declare(VarDecl* var);
  void declare_object(const VarDecl* var);
  void declare_reference(const VarDecl* var);
  // Allocates the variables that jumps may bypass; `all`: also those with an initialiser.
  void hoist(const std::vector<Stmt*>& statements, bool all);
  void hoist(const VarDecl* var);
  ir::Value* make_slot(const VarDecl* var);
  bool is_simple(const VarDecl* var) const;
  bool is_constant_local(const VarDecl* var) const;

  // ---- statements (lower_stmt.cpp)
  void statement(const Stmt* s);
  void list(const std::vector<Stmt*>& statements);
  void branch(const Stmt* s, ir::Block* block);
  void scoped(const Stmt* s);
  void if_statement(const IfStmt* s);
  void if_guards(const Expr* condition, const Stmt* body);
  void loop(const LoopStmt* s);
  void loop_body(const LoopStmt* s, ir::Block* block);
  void run_once(const LoopStmt* s);
  void return_statement(const ReturnStmt* s);
  void jump(const Target& target);
  bool ended() const { return builder_.block()->terminated(); }

  // ---- switch (lower_switch.cpp)
  struct Segment;
  void switch_statement(const SwitchStmt* s);
  bool split_cases(const SwitchStmt* s, std::vector<Segment>& segments);
  bool add_labels(const CaseStmt* label, Segment& segment);
  void plain_switch(const SwitchStmt* s, ir::Value* on, const std::vector<Segment>& segments);
  void falling_switch(const SwitchStmt* s, ir::Value* on, const std::vector<Segment>& segments);
  std::vector<ir::SwitchCase> case_values(const std::vector<Segment>& segments, const ir::Type* type);

  // ---- goto (lower_goto.cpp)
  struct Region;
  void goto_statement(const GotoStmt* s);
  void list_with_labels(const std::vector<Stmt*>& statements);
  bool add_regions(const std::vector<Stmt*>& statements, size_t at, const Ident* label,
                   std::vector<Region>& regions);
  static size_t find_regions(const std::vector<Stmt*>& statements, size_t at, const Ident* label,
                             std::vector<Region>& regions);
  bool jumps_into_loop(const Stmt* s) const;
  void lower_regions(const std::vector<Stmt*>& statements, size_t begin, size_t end,
                     std::span<const Region> regions);

  // ---- jumps into blocks (lower_states.cpp)
  bool needs_states(const Stmt* body) const;  // lower_goto.cpp
  bool check_gotos(const Stmt* body);
  bool check_cases(const SwitchStmt* s);
  void body_with_labels(const Stmt* body);
  void with_states(const Stmt* s, const std::function<void()>& body);
  bool has_entry(const Stmt* s) const;
  void with_entries(const Stmt* s);
  void if_with_entries(const IfStmt* s);
  void loop_with_entries(const LoopStmt* s);
  void switch_with_entries(const SwitchStmt* s, ir::Value* on);  // lower_switch.cpp
  uint32_t new_state();
  Target state_target(uint32_t state);
  void go_to_state(uint32_t state);
  void begin_state(uint32_t state);
  void choose_state(const Expr* condition, uint32_t yes, uint32_t no);

  ModuleLowering& shared_;
  Sema& sema_;
  ir::Module& module_;
  FunctionDecl* decl_;
  ir::Function* function_;
  ir::Builder builder_;
  Usage usage_;
  ir::Value* this_ = nullptr;
  std::unordered_map<const VarDecl*, Local> locals_;
  std::unordered_map<const VarDecl*, ir::Value*> constants_;
  std::vector<Breakable> breakables_;
  std::vector<Label> labels_;
  Machine* machine_ = nullptr;
  std::vector<Cleanup> cleanups_;           // live objects, in the order of their construction
  std::vector<Cleanup> extended_cleanups_;  // temporaries whose lifetime a reference being declared extends
  const Expr* extended_ = nullptr;          // the expression that creates such a temporary
  ir::Inst* temporaries_before_ =
      nullptr;                         // where memory of temporaries is allocated; nullptr: where it is used
  bool is_conditional_ = false;        // the code being lowered may not run although the full expression does
  bool destroys_temporaries_ = false;  // some expression of the function creates objects with destructors
  SourceLoc placed_;
  uint32_t placed_length_ = 0;
  bool failed_ = false;
};

}  // namespace quern::lang
