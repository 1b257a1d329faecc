// How a function uses its variables, and what an expression may do. Lowering uses this to choose between a
// value and memory, or between a select and a branch.
#pragma once

#include <functional>
#include <unordered_set>

#include "lang/tree/statements.hpp"
#include "lang/tree/tree.hpp"

namespace quern::lang {

class Usage {
 public:
  // Finds the variables that are modified or whose address is taken in the function.
  void scan(const FunctionDecl* function);

  bool is_only_read(const VarDecl* var) const { return !touched_.contains(var); }
  bool has_labels() const { return has_labels_; }
  const std::unordered_set<const ClassDecl*>& made_classes() const { return made_; }  // of prvalues

  // Whether the expression can be evaluated speculatively: few operations, no effect, no memory access but to
  // variables of this function that are surely initialized, nothing that a checker reports (division).
  bool is_speculable(const Expr* e) const;

 private:
  enum class Access : uint8_t { kRead, kTouch };
  void statement(const Stmt* s);
  void statements(const std::vector<Stmt*>& list);
  void expression(const Expr* e, Access access = Access::kRead);
  void initialiser(const VarDecl* var);
  void bind(const Expr* e, QualType to);  // as argument or initialiser of something of type `to`
  void call(const CallExpr* e);
  void aggregate(const AggregateExpr* e);
  bool is_cheap(const Expr* e, int& budget) const;
  bool is_safe_place(const Expr* e, int& budget) const;

  std::unordered_set<const VarDecl*> touched_;
  std::unordered_set<const ClassDecl*> made_;
  bool has_labels_ = false;
  bool returns_ref_ = false;
};

void for_each_declaration(const Stmt* s, const std::function<void(const VarDecl*)>& fn);
void for_each_label(const Stmt* s, const std::function<void(const LabelStmt*)>& fn);
bool contains_goto(const Stmt* s, const Ident* label);

}  // namespace quern::lang
