// Overload resolution: which candidates are viable, and which of them is best.
#include <algorithm>

#include "lang/sema/constraint.hpp"
#include "lang/sema/expression.hpp"

namespace quern::lang {

namespace {

bool takes_object(const FunctionDecl* f) { return f->is_method() && !f->is_ctor; }

// A method of a class template may have its own constraints; deduction has checked those of templates.
bool constraint_holds(Sema& sema, const Candidate& c) {
  const FunctionDecl* f = c.function;
  return c.from != nullptr || f->constraint.empty() || is_satisfied(sema, function_constraint(sema, f));
}

bool is_viable(Sema& sema, const Call& call, Candidate& c) {
  FunctionDecl* f = c.function;
  if (!sema.complete_signature(f) || !constraint_holds(sema, c) || (f->is_explicit && !call.allow_explicit))
    return false;
  std::span<Expr* const> args = call.args;
  if (call.is_operator && takes_object(f)) {
    c.sequences.push_back(classify_object(sema, args[0], f));
    args = args.subspan(1);
  } else if (call.set->object != nullptr) {
    Sequence ignored;
    ignored.rank = Rank::kExact;
    ignored.is_ignored = true;
    c.sequences.push_back(takes_object(f) ? classify_object(sema, call.set->object, f) : ignored);
    // Functions that `using` brings from a base count as the class's own.
    Sequence& object = c.sequences[0];
    if (object) object.rank = Rank::kExact, object.distance = 0;
  }
  if (!c.sequences.empty() && !c.sequences[0]) return false;
  const std::vector<VarDecl*>& params = f->params;
  if (args.size() < required_params(params) || (args.size() > params.size() && !f->is_variadic)) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    Sequence s;
    s.rank = Rank::kEllipsis;
    if (i < params.size()) s = classify(sema, args[i], params[i]->type, call.allow_user);
    if (!s) return false;
    c.sequences.push_back(s);
  }
  return true;
}

bool make_candidate(Sema& sema, const Call& call, Decl* decl, Candidate& c) {
  if (decl->kind == DeclKind::kFunction) {
    c.function = static_cast<FunctionDecl*>(decl);
    return is_viable(sema, call, c);
  }
  if (decl->kind != DeclKind::kTemplate) return false;
  c.from = static_cast<TemplateDecl*>(decl);
  if (c.from->of != TemplateDecl::Of::kFunction) return false;
  std::span<Expr* const> args = call.args;
  const FunctionDecl* pattern = decl_cast<FunctionDecl>(c.from->pattern, DeclKind::kFunction);
  if (call.is_operator && pattern != nullptr && takes_object(pattern)) args = args.subspan(1);
  std::string why;
  c.function = sema.deduce_call(c.from, call.set->explicit_args, args, call.set->loc, &why);
  return c.function != nullptr && is_viable(sema, call, c);
}

bool same_parameters(const FunctionDecl* a, const FunctionDecl* b) {
  const std::vector<VarDecl*>& x = a->params;
  const std::vector<VarDecl*>& y = b->params;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const VarDecl* p, const VarDecl* q) { return p->type.type == q->type.type; });
}

// A method hides one with the same parameters from a base.
int compare_owners(Sema& sema, const FunctionDecl* a, const FunctionDecl* b) {
  if (a->class_decl == nullptr || b->class_decl == nullptr || a->class_decl == b->class_decl) return 0;
  if (base_distance(sema, a->class_decl, b->class_decl) > 0) return 1;
  return base_distance(sema, b->class_decl, a->class_decl) > 0 ? -1 : 0;
}

// Tie-breakers if all arguments match equally well. A user's function is preferred to an equally good library
// function: programs define their own atomicAdd(double*, double) and clamp().
int tie_break(Sema& sema, const Candidate& a, const Candidate& b) {
  if ((a.from == nullptr) != (b.from == nullptr)) return a.from == nullptr ? 1 : -1;
  if (a.from != nullptr && a.from != b.from) {
    const bool first = sema.more_specialised(a.from, b.from);
    const bool second = sema.more_specialised(b.from, a.from);
    if (first != second) return first ? 1 : -1;
  }
  const int order =
      compare_constraints(function_constraint(sema, a.function), function_constraint(sema, b.function));
  if (order != 0) return order;
  if (a.function->is_library != b.function->is_library) return b.function->is_library ? 1 : -1;
  if (!same_parameters(a.function, b.function)) return 0;
  if (const int hides = compare_owners(sema, a.function, b.function); hides != 0) return hides;
  if (a.function->body_range.empty() != b.function->body_range.empty())
    return b.function->body_range.empty() ? 1 : -1;
  return a.function == b.function ? 1 : 0;
}

int compare_candidates(Sema& sema, const Candidate& a, const Candidate& b) {
  bool a_wins = false;
  bool b_wins = false;
  const size_t n = std::min(a.sequences.size(), b.sequences.size());
  for (size_t i = 0; i < n; ++i) {
    const int order = compare(a.sequences[i], b.sequences[i]);
    a_wins = a_wins || order > 0;
    b_wins = b_wins || order < 0;
  }
  if (a_wins != b_wins) return a_wins ? 1 : -1;
  return a_wins ? 0 : tie_break(sema, a, b);
}

}  // namespace

Choice choose(Sema& sema, const Call& call) {
  Choice choice;
  std::vector<Candidate> viable;
  const bool only_templates = call.set->has_explicit_args &&
                              std::any_of(call.set->candidates.begin(), call.set->candidates.end(),
                                          [](const Decl* d) { return d->kind == DeclKind::kTemplate; });
  for (Decl* d : call.set->candidates) {
    if (only_templates && d->kind != DeclKind::kTemplate) continue;
    Candidate c;
    if (make_candidate(sema, call, d, c)) viable.push_back(std::move(c));
  }
  if (viable.empty()) return choice;
  size_t best = 0;
  for (size_t i = 1; i < viable.size(); ++i) {
    if (compare_candidates(sema, viable[i], viable[best]) > 0) best = i;
  }
  for (size_t i = 0; i < viable.size() && choice.rival == nullptr; ++i) {
    if (i != best && compare_candidates(sema, viable[best], viable[i]) <= 0)
      choice.rival = viable[i].function;
  }
  choice.function = viable[best].function;
  choice.best = std::move(viable[best]);
  return choice;
}

namespace {

// Names are known here regardless of their position. In C++, a function that comes later in its namespace
// does not hide those of enclosing scopes; so if none of a namespace is viable, the enclosing scopes are
// searched.
Choice choose_around(Sema& sema, const Call& call) {
  const OverloadSet& set = *call.set;
  if (set.is_qualified || set.object != nullptr || set.name == nullptr || set.candidates.empty()) return {};
  Scope* scope = set.candidates.front()->parent;
  while (scope != nullptr && scope->kind == Scope::Kind::kNamespace) {
    scope = scope->parent;
    if (scope == nullptr) break;
    OverloadSet outer = set;
    outer.candidates.clear();
    add_decls(outer.candidates, sema.lookup_in(set.name, scope));
    Choice choice = choose(sema, {.set = &outer, .args = call.args});
    if (choice.function != nullptr) return choice;
  }
  return {};
}

}  // namespace

FunctionDecl* Sema::resolve(const OverloadSet& set, std::span<Expr* const> args) {
  if (any_error(args) || (set.object != nullptr && is_error(set.object))) return nullptr;
  const Call call{.set = &set, .args = args};
  Choice choice = choose(*this, call);
  if (choice.function == nullptr) choice = choose_around(*this, call);
  if (choice.function == nullptr) {
    report_no_match(*this, call, set.loc);
    return nullptr;
  }
  if (choice.rival != nullptr) {
    report_ambiguous(*this, call, choice, set.loc);
    return nullptr;
  }
  return choice.function;
}

FunctionDecl* Sema::resolve_silently(const OverloadSet& set, std::span<Expr* const> args) {
  if (any_error(args)) return nullptr;
  const Choice choice = choose(*this, {.set = &set, .args = args});
  return choice.rival == nullptr ? choice.function : nullptr;
}

size_t required_params(std::span<VarDecl* const> params) {
  size_t n = 0;
  while (n < params.size() && params[n]->default_range.empty() && params[n]->default_arg == nullptr) ++n;
  return n;
}

void add_decls(std::vector<Decl*>& to, std::span<Decl* const> more) {
  for (Decl* d : more) {
    if (d->kind != DeclKind::kFunction && d->kind != DeclKind::kTemplate) continue;
    if (std::find(to.begin(), to.end(), d) == to.end()) to.push_back(d);
  }
}

}  // namespace quern::lang
