// Class template argument deduction: `Pair p{1, 2.5f}`.
#include <algorithm>

#include "lang/parse/parser.hpp"
#include "lang/parse/scanner.hpp"
#include "lang/sema/deduce.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

namespace {

// The body of a class template, scanned without an instance for what deduction needs.
struct Outline {
  ClassDecl* decl = nullptr;
  std::vector<TokenRange> fields;
};

Outline scan_outline(Sema& sema, const TemplateDecl* t) {
  const auto* pattern = static_cast<ClassDecl*>(t->pattern);
  Outline out;
  out.decl = sema.make<ClassDecl>(*pattern);
  auto* around =
      sema.make<Scope>();  // friends of the class are declared here, where lookup does not find them
  around->kind = Scope::Kind::kNamespace;
  around->parent = bind_placeholders(sema, t->params, t->scope);
  out.decl->members = sema.make<Scope>();
  out.decl->members->kind = Scope::Kind::kClass;
  out.decl->members->parent = around;
  out.decl->members->class_decl = out.decl;
  if (!pattern->is_defined) return out;
  const TokenRange body = pattern->body_range;
  Scanner scanner(sema, {body.begin + 1, std::max(body.begin + 1, body.end - 1)}, out.decl->members, true);
  scanner.run();
  out.fields = scanner.fields;
  return out;
}

// A constructor as a function template over the parameters of its class and its own.
TemplateDecl* guide_of(Sema& sema, const TemplateDecl* t, const FunctionDecl* ctor, const TemplateDecl* own) {
  auto* f = sema.make<FunctionDecl>(*ctor);
  f->class_decl = nullptr;
  f->is_ctor = false;
  f->is_guide = true;
  f->scope = t->scope;
  auto* guide = sema.make<TemplateDecl>();
  guide->name = t->name;
  guide->loc = ctor->loc;
  guide->params = t->params;
  if (own != nullptr) guide->params.insert(guide->params.end(), own->params.begin(), own->params.end());
  guide->scope = t->scope;
  guide->pattern = f;
  f->from_template = guide;
  return guide;
}

void add_implicit_guides(Sema& sema, TemplateDecl* t) {
  if (t->has_implicit_guides) return;
  t->has_implicit_guides = true;
  const Outline outline = scan_outline(sema, t);
  for (const FunctionDecl* f : outline.decl->ctors) {
    if (!f->is_deleted) t->guides.push_back(guide_of(sema, t, f, nullptr));
  }
  for (const TemplateDecl* own : outline.decl->ctor_templates) {
    t->guides.push_back(guide_of(sema, t, static_cast<FunctionDecl*>(own->pattern), own));
  }
}

// An aggregate: the initialisers initialise its members in order.
std::vector<TemplateArg> deduce_aggregate(Sema& sema, const TemplateDecl* t, std::span<Expr* const> args) {
  Outline outline = scan_outline(sema, t);
  if (!outline.decl->ctors.empty() || !outline.decl->ctor_templates.empty()) return {};
  if (!outline.decl->bases_range.empty() || args.empty()) return {};
  Tentative attempt(sema.diagnostics);
  for (TokenRange range : outline.fields) {
    Parser parser(sema, range, outline.decl->members);
    parser.pattern_mode(true);
    parser.field_declaration(outline.decl);
  }
  std::vector<QualType> patterns;
  for (const FieldDecl* f : outline.decl->fields) patterns.push_back(f->type);
  std::vector<TemplateArg> bindings(t->params.size()), full;
  if (attempt.failed() || !deduce_each(sema, patterns, args, bindings)) return {};
  return complete_args(sema, t, bindings, t->loc, full) ? full : std::vector<TemplateArg>();
}

bool is_instance_of(QualType type, const TemplateDecl* t) {
  return type->is_class() && type->class_decl->from_template == t;
}

}  // namespace

QualType Sema::deduce_class(TemplateDecl* t, std::span<Expr* const> args, SourceLoc loc) {
  const QualType none = basic(TypeKind::kError);
  if (any_error(args)) return none;
  if (args.size() == 1 && is_instance_of(args[0]->type, t)) return args[0]->type.unqualified();
  const std::string name(t->name->text);
  if (t->of != TemplateDecl::Of::kClass) {
    error(loc, message::kTemplateArgumentsMissing(name, name));
    return none;
  }
  add_implicit_guides(*this, t);
  OverloadSet set;
  set.candidates = t->guides;
  set.name = t->name;
  set.loc = loc;
  const Choice choice = set.candidates.empty() ? Choice{} : choose(*this, {.set = &set, .args = args});
  std::vector<TemplateArg> found;
  if (const FunctionDecl* f = choice.function) {
    if (!f->result->is_void()) return f->result.unqualified();
    found.assign(f->template_args.begin(),
                 f->template_args.begin() + static_cast<ptrdiff_t>(t->params.size()));
  } else {
    found = deduce_aggregate(*this, t, args);
  }
  if (found.empty()) {
    const auto has_default = [](const TemplateParam& p) { return p.is_pack || !p.default_range.empty(); };
    if (!args.empty() || !std::all_of(t->params.begin(), t->params.end(), has_default)) {
      error(loc, args.empty() ? message::kTemplateArgumentsMissing(name, name)
                              : message::kTemplateArgumentsNotDeduced(name, types_of(args), name));
      return none;
    }
  }
  ClassDecl* c = instantiate_class(t, found, loc);
  return c != nullptr ? QualType(c->type) : none;
}

}  // namespace quern::lang
