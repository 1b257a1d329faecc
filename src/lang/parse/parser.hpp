// The parser: reads a token range, resolves all names as it goes and calls Sema's actions. Bodies of
// templates are parsed again for each instance, with the parameters bound by the scope, so nothing is ever
// dependent. Only the parameter lists of templates are parsed as patterns, for deduction.
#pragma once

#include <array>
#include <functional>

#include "lang/parse/cursor.hpp"
#include "lang/parse/word.hpp"
#include "lang/sema/impl.hpp"

namespace quern::lang {

struct PtxOperand;
struct PtxStatement;
struct PtxText;

class Parser : public Cursor {
 public:
  Parser(Sema& sema, TokenRange range, Scope* scope, FunctionDecl* function = nullptr);
  ~Parser();

  // ---- declarations (parse_decl.cpp)
  struct Specifiers {
    QualType type;
    bool is_typedef = false, is_static = false, is_extern = false, is_constexpr = false, is_mutable = false;
    bool shared = false, constant = false, device = false, is_restrict = false;
    std::optional<int64_t> align;
    bool is_packed = false, has_no_address = false;  // packed; [[no_unique_address]]
    uint32_t max_threads = 0, min_blocks = 0;
    std::array<uint32_t, 3> cluster{};
    SourceLoc loc;
    const Token* auto_token = nullptr;  // the type is `auto`
    TokenRange constraint;              // the concept before it
  };
  struct Declarator {
    QualType type;
    Ident* name = nullptr;
    SourceLoc loc;
    bool is_restrict = false;
    bool is_pack = false;
    bool has_params = false;       // declares a function
    std::optional<int64_t> align;  // after the name
    bool is_packed = false;
  };
  Specifiers specifiers();
  Declarator declarator(QualType base);
  bool function_signature(FunctionDecl* f);
  void function_body(FunctionDecl* f);
  // Parses the initialiser at the cursor ('=', '{', '(' or none) for a variable of that type.
  void initialiser(VarDecl* var, bool allow_paren);
  Expr* deduced_init(QualType& type, bool allow_paren, SourceLoc at);
  void note_constant(VarDecl* var);
  bool variable_named(VarDecl* var);     // completes a namespace variable or static member
  void field_declaration(ClassDecl* c);  // one data member declaration
  std::optional<int64_t> alignment();    // a number, or a type with that alignment
  // The effect of __attribute__((…)) on the layout; the cursor is inside of it.
  struct LayoutWords {
    std::optional<int64_t> align;
    bool is_packed = false;
  };
  LayoutWords layout_words();
  bool typedef_named(TypedefDecl* decl);
  void bit_field(FieldDecl* field, int64_t width);
  std::vector<ClassDecl*> base_list();
  void enum_body(EnumDecl* decl);
  bool parameter_patterns(TemplateDecl* t);  // pattern mode: a function template's parameters

  // ---- types and names (parse_type.cpp)
  struct NameRef {
    std::vector<Decl*> decls;
    Ident* name = nullptr;
    SourceLoc loc;
    uint32_t length = 1;
    std::vector<TemplateArg> args;
    bool has_args = false;
    bool is_qualified = false;
    Scope* looked_in = nullptr;         // qualified: where the last name was looked up
    QualType type;                      // set: it names a type
    TemplateDecl* template_ = nullptr;  // a class template without arguments
    Scope* scope = nullptr;             // a namespace
  };
  bool name(NameRef& out, Scope* look_in = nullptr);  // false: nothing was parsed
  base::MessageText undeclared(const NameRef& ref,
                               const base::Message<1>& what);  // "'x' is not …; did you mean 'y'?"
  bool try_name(NameRef& out);                                 // the same, without reporting errors
  QualType type_id();                                          // reports
  bool template_args(std::vector<TemplateArg>& out, const TemplateDecl* of = nullptr);  // at '<'
  TemplateArg template_arg(const TemplateParam* param);
  std::vector<Decl*> qualified_decls();  // for using declarations, the whole range is a name
  bool at_type();                        // does a type start here?
  bool at_declaration();                 // does a declaration statement start here?
  void pattern_mode(bool on) { pattern_ = on; }

  // ---- expressions (parse_expr.cpp, parse_primary.cpp)
  Expr* expression();  // with commas
  Expr* assignment();
  Expr* conditional();
  std::optional<int64_t> constant();        // an integral constant expression; reports
  Sema::BracedInit* braced();               // at '{'
  std::vector<Expr*> arguments(Tok close);  // up to and including the closing bracket; packs expanded

  // ---- statements (parse_stmt.cpp)
  Stmt* statement();
  BlockStmt* block();

 private:
  struct Operand {  // an expression, or a set of functions to be resolved
    Expr* expr = nullptr;
    OverloadSet set;
    bool is_set = false;
  };

  void expect(Tok kind, const base::Message<0>& where);
  void recover();  // after the next ';' or before '}'
  Expr* error_here(base::MessageText message);
  Expr* too_long();  // the expression; its remaining tokens are skipped
  void set_scope(Scope* scope);
  Scope* push_scope();
  void pop_scope();

  // types
  bool named_type(Specifiers& s);
  bool basic_type(Specifiers& s);
  QualType decltype_();
  QualType decltype_of(const Expr* e, const Token* first);  // `first`: where the expression begins
  QualType nested_type(QualType type);
  QualType class_specifier(bool& ok);
  QualType enum_specifier(bool& ok);
  QualType apply_suffixes(QualType base, Declarator& d);
  QualType array_suffix(QualType base);
  std::vector<QualType> parameter_types(bool& variadic, bool& ends_in_pack);
  void parameters(FunctionDecl* f);
  void parameter(FunctionDecl* f, int index);
  QualType auto_param_type(const FunctionDecl* f, const Token* word);
  bool resolve_type(NameRef& ref);
  static bool names_concept(const NameRef& ref);
  bool step_into(NameRef& ref);
  QualType pattern_type(TemplateDecl* t, std::vector<TemplateArg> args);
  QualType alias_pattern(TemplateDecl* t, const std::vector<TemplateArg>& args);
  void attribute(Specifiers& s);
  std::optional<int64_t> align_argument();  // in its brackets
  void skip_default();
  bool at_paren_declarator(size_t at_paren) const;

  // expressions
  Expr* binary(int min_precedence);
  int precedence(Tok& op, size_t& tokens) const;
  Operand unary_operand();
  Expr* unary();
  Expr* prefix();
  Operand primary();
  Operand postfix(Operand operand);
  Expr* launch(const Operand& kernel);  // parse_launch.cpp
  Expr* value(const Operand& operand);  // here a set must resolve to one function
  Operand name_operand();
  Operand decls_operand(NameRef& ref);
  Expr* concept_operand(const TemplateDecl* t, const NameRef& ref);
  Expr* var_operand(VarDecl* var, const NameRef& ref);
  Expr* number_literal();
  Expr* user_literal(const Token& t, size_t suffix);
  Expr* string_literal();
  Expr* char_literal();
  Expr* paren_or_cast();
  Expr* fold_expression(bool& is_fold);
  Expr* requires_expression();
  bool requirement(TokenRange text);
  Expr* size_of_expr();
  Expr* named_cast();
  Expr* type_operand(QualType type, SourceLoc at);  // T(…), T{…}
  // new and delete (parse_new.cpp)
  Expr* new_expression();
  QualType new_type();
  Expr* new_init(QualType type);
  Expr* new_array(QualType type, Expr* count, Expr* place, SourceLoc at);
  Expr* delete_expression();
  Expr* destructor_call(Expr* object, bool arrow, bool is_static);
  Expr* destroy(Expr* pointer, DestroyExpr::How how, SourceLoc at);
  Expr* call_library(std::string_view function, QualType argument, std::vector<Expr*> args, SourceLoc at);
  bool at_empty_braces() const;
  Expr* lambda();
  Expr* block_expression();
  TokenRange lambda_requires();
  void lambda_captures(ClassDecl* closure, AggregateExpr* init, bool& by_copy, bool& by_ref);
  void capture(ClassDecl* closure, AggregateExpr* init, VarDecl* var, bool by_ref, SourceLoc at);
  void capture_all(ClassDecl* closure, AggregateExpr* init, VarDecl* var, bool by_ref, SourceLoc at);
  FieldDecl* captured_value(ClassDecl* closure, AggregateExpr* init, Ident* id, bool by_ref, VarDecl* as);
  void capture_pack(ClassDecl* closure, AggregateExpr* init, bool by_ref);
  void capture_this(ClassDecl* closure, AggregateExpr* init, bool by_copy, SourceLoc at);
  void implicit_captures(ClassDecl* closure, AggregateExpr* init, TokenRange body, bool by_ref);
  Expr* captured(VarDecl* var, SourceLoc at);             // nullptr: it is the current function's own
  Expr* this_object(ClassDecl* member_of, SourceLoc at);  // *this, through lambdas; nullptr: not available
  Expr* assert_call(SourceLoc at);
  Expr* member_access(Expr* object, bool arrow, Operand& out);
  Expr* qualified_member(Expr* object, bool arrow, const NameRef& ref, Operand& out);
  bool expansion_range(TokenRange& pattern);  // at an argument: whether it is `pattern...`
  std::vector<const Decl*> packs_in(TokenRange range, size_t& count);
  // Calls `each` once per element of the packs in the pattern, with the cursor at its start; ends after the
  // '...'.
  void expand_pack(TokenRange pattern, const std::function<void()>& each);

  // statements
  Stmt* declaration_statement();
  void fail_assertion(const Expr* condition, const std::string& text);
  void init_declarators(Specifiers& s, std::vector<VarDecl*>& out);
  VarDecl* local_variable(Specifiers& s, Declarator& d);
  void check_auto(const Specifiers& spec, const VarDecl* v);
  struct Binding {  // auto& [a, b]
    QualType type;
    std::vector<std::pair<Ident*, SourceLoc>> names;
    SourceLoc loc;
  };
  bool at_binding(const Specifiers& s) const;
  Binding binding_names(const Specifiers& s);
  void structured_binding(Specifiers& s, std::vector<VarDecl*>& out);
  void unnamed_object(Specifiers& s, std::vector<VarDecl*>& out);
  void bind_parts(VarDecl* whole, const Binding& binding, std::vector<VarDecl*>& out);
  std::vector<Expr*> parts_of(VarDecl* whole);
  std::optional<int64_t> tuple_size(QualType type);
  Expr* tuple_part(Expr* whole, int64_t index, SourceLoc at);
  Stmt* if_statement();
  Expr* consteval_condition();
  void skip_statement();
  Stmt* for_statement();
  bool at_range_for() const;
  struct Range;
  VarDecl* hidden_variable(const char* name, Expr* init, std::vector<Stmt*>& out);
  Expr* range_bound(Expr* range, const char* name, SourceLoc at);
  Range loop_range(SourceLoc at);
  Stmt* range_for(SourceLoc at, int unroll);
  // ---- inline PTX (parse_asm.cpp)
  Stmt* asm_statement();
  bool asm_operands(std::vector<PtxOperand>& operands, std::vector<Stmt*>& out);
  bool asm_operand(bool is_output, std::vector<PtxOperand>& operands, std::vector<Stmt*>& out);
  bool asm_body(const PtxText& ptx, BlockStmt* b);
  bool asm_instructions(const PtxText& ptx, SourceLoc at_loc, std::vector<Stmt*>& out);
  bool asm_instruction(const PtxStatement& one, SourceLoc at_loc, std::vector<Stmt*>& out);
  Stmt* while_statement();
  Stmt* do_statement();
  Stmt* switch_statement();
  Stmt* case_statement();
  Stmt* return_statement();
  Expr* condition(std::vector<Stmt*>& init);
  Expr* declared_condition(std::vector<Stmt*>& init);
  Stmt* scoped_statement();
  int unroll_pragma();
  void constructor_inits(FunctionDecl* f);
  CtorInit inherited_init(FunctionDecl* f);

  Sema& sema_;
  Scope* scope_;
  FunctionDecl* function_;
  Scope* outer_scope_;  // the Sema::current_scope to restore
  bool pattern_ = false;
  int no_greater_ = 0;  // inside a template argument list: '>' closes it
  bool in_template_args_ = false;
  const Token* autos_from_ = nullptr;  // parameters with `auto` are named by their position after it
  int loop_unroll_ = 0;
  int loop_depth_ = 0, switch_depth_ = 0;
  std::vector<const GotoStmt*> gotos_;
  std::vector<const Ident*> labels_;
};

bool is_basic_type_keyword(Tok k);  // int, unsigned, …

// Declares the parameters of a function in a scope.
void declare_params(Sema& sema, Scope* scope, const FunctionDecl* f);

// Replaces `auto` in a declared type by the deduced type. Null if it does not match.
QualType deduce_auto(Sema& sema, QualType declared, Expr* from);

}  // namespace quern::lang
