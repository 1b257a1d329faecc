// Constraints: what requires-clauses, concepts and constrained parameters ask of template arguments. Only
// ever looked at with all parameters bound, so that a constraint has a normal form and an answer.
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
  // The concept whose definition it stands in, with its arguments: such atoms can be the same.
  const TemplateDecl* concept_ = nullptr;
  std::vector<TemplateArg> args;

  bool is_empty() const { return kind == Kind::kAll && parts.empty(); }
};

// What a template asks of these arguments, one per parameter.
Constraint template_constraint(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& args);
// What a function asks, its template's demands and its trailing requires-clause; the signature must be known.
Constraint function_constraint(Sema& sema, const FunctionDecl* f);

// Whether it holds. An atom that cannot be read does not hold; nothing is reported.
bool is_satisfied(Sema& sema, const Constraint& constraint, std::string* unsatisfied = nullptr);
bool satisfies_concept(Sema& sema, const TemplateDecl* definer, const std::vector<TemplateArg>& args);
// A concept as it stands in front of a name (`C`, `C<int>`), asked about a type.
bool satisfies(Sema& sema, TokenRange constraint, Scope* scope, QualType type,
               std::string* unsatisfied = nullptr);
bool holds(Sema& sema, TokenRange constraint, Scope* scope);  // a whole constraint-expression

// 1: a asks for more than b, -1: the other way round, 0: neither.
int compare_constraints(const Constraint& a, const Constraint& b);

}  // namespace quern::lang
