// A class of which only the member names are known. Programs declare the structs of their kernels in classes
// that only the host can create (with virtual functions, with containers): `Solver::Parameters` needs only
// the names of Solver.
#include <algorithm>

#include "lang/parse/parser.hpp"
#include "lang/parse/scanner.hpp"
#include "lang/sema/impl.hpp"

namespace quern::lang {

namespace {

// An instance of a template is always completed: its user may rely on its assertions and bases.
bool may_stay_open(const ClassDecl* c) {
  return c->state == Lazy::kNot && c->is_defined && c->from_template == nullptr && !c->is_library;
}

bool is_type(const Decl* d) {
  if (d->kind != DeclKind::kTemplate)
    return d->kind == DeclKind::kClass || d->kind == DeclKind::kEnum || d->kind == DeclKind::kTypedef;
  const auto of = static_cast<const TemplateDecl*>(d)->of;
  return of == TemplateDecl::Of::kClass || of == TemplateDecl::Of::kAlias;
}

// The bases as far as they can be determined: an unknown one only matters when the class is completed.
void open_bases(Sema& sema, ClassDecl* c) {
  if (c->bases_range.empty()) return;
  Tentative attempt(sema.diagnostics);
  for (ClassDecl* base : Parser(sema, c->bases_range, c->outer).base_list()) {
    if (may_stay_open(base)) {
      sema.open_class(base);
      sema.impl->opened[c].bases.push_back(base);
    }
  }
}

bool mentions(const std::vector<TokenRange>& ranges, const Ident* name) {
  return std::any_of(ranges.begin(), ranges.end(), [name](TokenRange range) {
    return std::any_of(range.begin, range.end, [name](const Token& t) { return t.ident == name; });
  });
}

}  // namespace

void Sema::open_class(ClassDecl* c) {
  if (impl->opened.contains(c)) return;
  impl->opened[c];
  c->members = make<Scope>();
  c->members->kind = Scope::Kind::kClass;
  c->members->parent = c->outer;
  c->members->class_decl = c;
  const TokenRange inside{c->body_range.begin + 1, std::max(c->body_range.begin + 1, c->body_range.end - 1)};
  Scanner scanner(*this, inside, c->members, c->is_library);
  scanner.run();
  ClassParts& parts = impl->opened[c];
  parts.fields = std::move(scanner.fields);
  parts.inherited_constructors = std::move(scanner.inherited_constructors);
  parts.static_asserts = std::move(scanner.static_asserts);
  if (may_stay_open(c)) open_bases(*this, c);
}

bool Sema::declares_type(ClassDecl* c, Ident* name) {
  if (name == nullptr || !may_stay_open(c)) return false;
  open_class(c);
  const auto found = c->members->names.find(name);
  if (found != c->members->names.end())
    return std::all_of(found->second.begin(), found->second.end(), is_type);
  const std::vector<ClassDecl*> bases = impl->opened[c].bases;
  return std::any_of(bases.begin(), bases.end(), [&](ClassDecl* base) { return declares_type(base, name); });
}

void Sema::know_fields(ClassDecl* c, const Ident* name) {
  const auto opened = impl->opened.find(c);
  if (opened == impl->opened.end() || c->state != Lazy::kNot) return;
  const std::vector<ClassDecl*> bases = opened->second.bases;
  if (mentions(opened->second.fields, name)) complete_class(c);
  for (ClassDecl* base : bases) know_fields(base, name);
}

}  // namespace quern::lang
