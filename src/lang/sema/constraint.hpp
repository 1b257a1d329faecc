// Constraints: the requirements of requires-clauses, concepts and constrained parameters on template
// arguments. They are only evaluated with all parameters bound, so that a constraint has a normal form and a
// result.
#pragma once

#include "lang/sema/sema.hpp"

namespace quern::lang {

// Atoms joined by && and ||, with concepts replaced by their definitions ([temp.constr.normal]).
struct Constraint {
  enum class Kind : uint8_t { kAll, kAny, kAtom } kind = Kind::kAll;  // kAll of nothing: no constraint
  std::vector<Constraint> parts;
  // kAtom: an expression, and where its names are looked up.
  TokenRange text;
  Scope* scope = nullptr;
  // The concept whose definition contains it, with its arguments: such atoms can be identical.
  const TemplateDecl* concept_ = nullptr;
  std::vector<TemplateArg> args;

  bool is_empty() const { return kind == Kind::kAll && parts.empty(); }
};

// The constraint of a template for these arguments, one per parameter.
Constraint template_constraint(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& args);
// The constraint of a function: that of its template and its trailing requires-clause; the signature must be
// known.
Constraint function_constraint(Sema& sema, const FunctionDecl* f);

// Whether it is satisfied. An atom that cannot be parsed is not satisfied; nothing is reported.
bool is_satisfied(Sema& sema, const Constraint& constraint, std::string* unsatisfied = nullptr);
bool satisfies_concept(Sema& sema, const TemplateDecl* definer, const std::vector<TemplateArg>& args);
// A concept as it is written before a name (`C`, `C<int>`), applied to a type.
bool satisfies(Sema& sema, TokenRange constraint, Scope* scope, QualType type,
               std::string* unsatisfied = nullptr);
bool holds(Sema& sema, TokenRange constraint, Scope* scope);  // a whole constraint-expression

// 1: a is more constrained than b, -1: b is more constrained, 0: neither.
int compare_constraints(const Constraint& a, const Constraint& b);

}  // namespace quern::lang
