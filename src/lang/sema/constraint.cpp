#include "lang/sema/constraint.hpp"

#include <algorithm>

#include "lang/parse/parser.hpp"
#include "lang/sema/deduce.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

using Kind = Constraint::Kind;

struct Place {  // where the text of a constraint is
  Scope* scope = nullptr;
  const TemplateDecl* concept_ = nullptr;
  std::vector<TemplateArg> args;
};

Constraint read(Sema& sema, TokenRange text, const Place& place);

Constraint atom(TokenRange text, const Place& place) {
  Constraint c;
  c.kind = Kind::kAtom;
  c.text = text;
  c.scope = place.scope;
  c.concept_ = place.concept_;
  c.args = place.args;
  return c;
}

// At '<' after a name: template arguments, or a comparison? The token after the '>' decides.
bool skip_template_args(Cursor& c) {
  const Token* start = c.position();
  if (!c.skip_angles()) return false;
  switch (c.kind()) {
    case Tok::kNumber:
    case Tok::kIdentifier:
    case Tok::kw_sizeof:
    case Tok::kMinus: c.position(start); return false;
    default: return true;
  }
}

// The positions of an operator outside of brackets; empty: there is none.
std::vector<const Token*> find_operator(TokenRange text, Tok op) {
  std::vector<const Token*> found;
  Cursor c(text);
  while (!c.at_end()) {
    if (c.at(op)) found.push_back(c.position());
    if (c.at(Tok::kLess) && skip_template_args(c)) continue;
    if (c.at(Tok::kLParen) || c.at(Tok::kLBrace) || c.at(Tok::kLBracket)) {
      c.skip_balanced();
    } else {
      c.advance();
    }
  }
  return found;
}

Constraint join(Sema& sema, Kind kind, TokenRange text, const std::vector<const Token*>& at,
                const Place& place) {
  Constraint c;
  c.kind = kind;
  const Token* from = text.begin;
  for (const Token* op : at) {
    c.parts.push_back(read(sema, {from, op}, place));
    from = op + 1;
  }
  c.parts.push_back(read(sema, {from, text.end}, place));
  return c;
}

// The definition of a concept with its arguments.
Constraint definition(Sema& sema, const TemplateDecl* definer, const std::vector<TemplateArg>& args) {
  Place place;
  place.concept_ = definer;
  place.args = args;
  place.scope = bind_template(sema, definer, args);
  return read(sema, definer->constraint, place);
}

// Whether the whole text is `name<…>` of a concept.
bool read_concept_id(Sema& sema, TokenRange text, const Place& place, Constraint& out) {
  if (text.begin->kind != Tok::kIdentifier && text.begin->kind != Tok::kColonColon) return false;
  Tentative attempt(sema.diagnostics);
  Parser parser(sema, text, place.scope);
  Parser::NameRef ref;
  if (!parser.name(ref) || !parser.at_end() || ref.decls.empty() || attempt.failed()) return false;
  const auto* t = decl_cast<TemplateDecl>(ref.decls.front(), DeclKind::kTemplate);
  if (t == nullptr || t->of != TemplateDecl::Of::kConcept || !ref.has_args) return false;
  std::vector<TemplateArg> args;
  if (!complete_args(sema, t, ref.args, text.begin->loc, args)) return false;
  out = definition(sema, t, args);
  return true;
}

bool is_parenthesised(TokenRange text) {
  if (text.begin->kind != Tok::kLParen) return false;
  Cursor c(text);
  c.skip_balanced();
  return c.at_end();
}

Constraint read(Sema& sema, TokenRange text, const Place& place) {
  if (text.begin >= text.end) return atom(text, place);
  if (sema.depth > Sema::kMaxDepth / 2) return atom({}, place);
  struct Deeper {
    Sema& sema;
    explicit Deeper(Sema& s) : sema(s) { ++sema.depth; }
    ~Deeper() { --sema.depth; }
  } deeper(sema);
  if (is_parenthesised(text)) {
    const TokenRange inside{text.begin + 1, text.end - 1};
    return find_operator(inside, Tok::kEllipsis).empty() ? read(sema, inside, place) : atom(text, place);
  }
  if (!find_operator(text, Tok::kQuestion).empty()) return atom(text, place);
  if (auto at = find_operator(text, Tok::kPipePipe); !at.empty())
    return join(sema, Kind::kAny, text, at, place);
  if (auto at = find_operator(text, Tok::kAmpAmp); !at.empty())
    return join(sema, Kind::kAll, text, at, place);
  Constraint named;
  return read_concept_id(sema, text, place, named) ? named : atom(text, place);
}

bool atom_holds(Sema& sema, const Constraint& c) {
  if (c.text.begin >= c.text.end) return false;
  Tentative attempt(sema.diagnostics);
  Parser parser(sema, c.text, c.scope);
  Expr* e = parser.conditional();
  if (attempt.failed() || !parser.at_end() || !e->type->is_bool()) return false;
  const auto value = sema.constant_integer(e, false);
  return value && *value != 0;
}

std::string spell(TokenRange text) {
  std::string out;
  for (const Token* t = text.begin; t < text.end; ++t) {
    if (t > text.begin && t->space_before) out += ' ';
    out += t->text;
  }
  return out;
}

// "T = float", for the names that the atom's text contains.
std::string bound_names(const Constraint& c) {
  std::string out;
  for (const Scope* s = c.scope; s != nullptr && s->kind == Scope::Kind::kTemplate; s = s->parent) {
    for (const Token* t = c.text.begin; t < c.text.end; ++t) {
      const auto found = t->kind == Tok::kIdentifier ? s->names.find(t->ident) : s->names.end();
      if (found == s->names.end() || found->second.empty()) continue;
      std::string one =
          std::string(t->text) + " = " + to_string(static_cast<BoundDecl*>(found->second[0])->arg);
      if (out.find(one) == std::string::npos) out += (out.empty() ? "" : ", ") + one;
    }
  }
  return out;
}

std::string describe(const Constraint& c) {
  if (c.concept_ != nullptr) {
    std::string args;
    for (size_t i = 0; i < c.args.size(); ++i) args += (i > 0 ? ", " : "") + to_string(c.args[i]);
    return message::kConceptFailed(c.concept_->name->text, args).str();
  }
  const std::string names = bound_names(c);
  return (names.empty() ? message::kRequirementFailed(spell(c.text))
                        : message::kRequirementFailedWith(spell(c.text), names))
      .str();
}

void add(Constraint& all, Constraint one) {
  if (!one.is_empty()) all.parts.push_back(std::move(one));
}

// `C` or `C<int>` before a parameter's name, with the parameter's type as the first argument.
Constraint of_type(Sema& sema, TokenRange text, Scope* scope, QualType type) {
  Place place;
  place.scope = scope;
  Tentative attempt(sema.diagnostics);
  Parser parser(sema, text, scope);
  Parser::NameRef ref;
  if (!parser.name(ref) || !parser.at_end() || ref.decls.empty() || attempt.failed()) return atom({}, place);
  const auto* t = decl_cast<TemplateDecl>(ref.decls.front(), DeclKind::kTemplate);
  if (t == nullptr || t->of != TemplateDecl::Of::kConcept) return atom({}, place);
  TemplateArg first;
  first.kind = TemplateArg::Kind::kType;
  first.type = type;
  std::vector<TemplateArg> given{first}, args;
  given.insert(given.end(), ref.args.begin(), ref.args.end());
  if (!complete_args(sema, t, given, text.begin->loc, args)) return atom({}, place);
  return definition(sema, t, args);
}

// Clauses of atoms: of a disjunctive normal form (kAny of kAlls), or of a conjunctive one.
using Clause = std::vector<const Constraint*>;
constexpr size_t kMostClauses = 256;

std::vector<Clause> clauses(const Constraint& c, Kind outer) {
  if (c.kind == Kind::kAtom) return {{&c}};
  std::vector<Clause> out;
  if (c.kind != outer) out.emplace_back();
  for (const Constraint& part : c.parts) {
    const std::vector<Clause> more = clauses(part, outer);
    if (c.kind == outer) {
      out.insert(out.end(), more.begin(), more.end());
      continue;
    }
    std::vector<Clause> product;
    for (const Clause& a : out) {
      for (const Clause& b : more) {
        product.push_back(a);
        product.back().insert(product.back().end(), b.begin(), b.end());
      }
    }
    out = std::move(product);
    if (out.size() > kMostClauses) return {};
  }
  return out;
}

bool same_atom(const Constraint& a, const Constraint& b) {
  return a.text.begin == b.text.begin && a.concept_ == b.concept_ && a.args == b.args;
}

bool subsumes(const Constraint& p, const Constraint& q) {
  const std::vector<Clause> all = clauses(q, Kind::kAll);
  const std::vector<Clause> any = clauses(p, Kind::kAny);
  if (any.empty()) return false;
  return std::all_of(any.begin(), any.end(), [&](const Clause& i) {
    return std::all_of(all.begin(), all.end(), [&](const Clause& j) {
      return std::any_of(i.begin(), i.end(), [&](const Constraint* a) {
        return std::any_of(j.begin(), j.end(), [&](const Constraint* b) { return same_atom(*a, *b); });
      });
    });
  });
}

}  // namespace

Constraint template_constraint(Sema& sema, const TemplateDecl* t, const std::vector<TemplateArg>& args) {
  Constraint all;
  Scope* scope = nullptr;
  for (size_t i = 0; i < t->params.size() && i < args.size(); ++i) {
    if (t->params[i].constraint.empty()) continue;
    if (scope == nullptr) scope = bind_template(sema, t, args);
    const std::vector<TemplateArg> one{args[i]};
    for (const TemplateArg& a : t->params[i].is_pack ? args[i].pack : one) {
      add(all, of_type(sema, t->params[i].constraint, scope, a.type));
    }
  }
  if (!t->constraint.empty()) {
    Place place;
    place.scope = scope != nullptr ? scope : bind_template(sema, t, args);
    add(all, read(sema, t->constraint, place));
  }
  return all;
}

Constraint function_constraint(Sema& sema, const FunctionDecl* f) {
  Constraint all;
  if (f->from_template != nullptr) add(all, template_constraint(sema, f->from_template, f->template_args));
  if (f->constraint.empty()) return all;
  Place place;
  place.scope = sema.make<Scope>();
  place.scope->kind = Scope::Kind::kBlock;
  place.scope->parent = f->scope;
  declare_params(sema, place.scope, f);  // the clause may refer to them
  add(all, read(sema, f->constraint, place));
  return all;
}

bool is_satisfied(Sema& sema, const Constraint& c, std::string* unsatisfied) {
  switch (c.kind) {
    case Kind::kAll:
      return std::all_of(c.parts.begin(), c.parts.end(),
                         [&](const Constraint& part) { return is_satisfied(sema, part, unsatisfied); });
    case Kind::kAny:
      return std::any_of(c.parts.begin(), c.parts.end(),
                         [&](const Constraint& part) { return is_satisfied(sema, part, unsatisfied); });
    case Kind::kAtom: break;
  }
  if (atom_holds(sema, c)) return true;
  if (unsatisfied != nullptr) *unsatisfied = describe(c);
  return false;
}

bool satisfies_concept(Sema& sema, const TemplateDecl* definer, const std::vector<TemplateArg>& args) {
  return is_satisfied(sema, definition(sema, definer, args));
}

bool satisfies(Sema& sema, TokenRange constraint, Scope* scope, QualType type, std::string* unsatisfied) {
  return is_satisfied(sema, of_type(sema, constraint, scope, type), unsatisfied);
}

bool holds(Sema& sema, TokenRange constraint, Scope* scope) {
  Place place;
  place.scope = scope;
  return is_satisfied(sema, read(sema, constraint, place));
}

int compare_constraints(const Constraint& a, const Constraint& b) {
  if (a.is_empty() && b.is_empty()) return 0;
  const bool first = subsumes(a, b);
  const bool second = subsumes(b, a);
  return first == second ? 0 : first ? 1 : -1;
}

}  // namespace quern::lang
