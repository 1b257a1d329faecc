#include <algorithm>

#include "lang/builtin/library.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/impl.hpp"
#include "lang/text/lexer.hpp"

namespace quern::lang {

namespace {

bool is_function_like(const Decl* d) {
  return d->kind == DeclKind::kFunction ||
         (d->kind == DeclKind::kTemplate &&
          static_cast<const TemplateDecl*>(d)->of == TemplateDecl::Of::kFunction);
}

bool all_functions(const std::vector<Decl*>& decls) {
  return std::all_of(decls.begin(), decls.end(), is_function_like);
}

std::string library_key(const Sema& sema, const Scope* scope, const Ident* name) {
  std::string prefix = sema.impl->library_scopes.at(scope);
  return prefix.empty() ? std::string(name->text) : prefix + "::" + std::string(name->text);
}

// Types of the language that CUDA declares in a header. A variable may well be named `half`.
TypeKind native_type(std::string_view name) {
  if (name == "half" || name == "__half" || name == "_Float16") return TypeKind::kHalf;
  if (name == "nv_bfloat16" || name == "__nv_bfloat16") return TypeKind::kBFloat;
  return TypeKind::kError;
}

// Adds the library's declarations of a name to its scope, when it is first looked up there.
void load_library(Sema& sema, Scope* scope, Ident* name) {
  auto known = sema.impl->library_scopes.find(scope);
  if (known == sema.impl->library_scopes.end() || name == nullptr) return;
  bool& asked = sema.impl->library_asked[{scope, name}];
  if (asked) return;
  asked = true;
  const std::string key = library_key(sema, scope, name);
  if (is_library_namespace(key)) {
    for (Decl* d : scope->names[name]) {
      if (auto* ns = decl_cast<NamespaceDecl>(d, DeclKind::kNamespace)) {
        sema.impl->library_scopes[ns->members] = key;
        return;
      }
    }
    auto* ns = sema.make<NamespaceDecl>();
    ns->name = name;
    ns->members = sema.make<Scope>();
    ns->members->kind = Scope::Kind::kNamespace;
    ns->members->parent = scope;
    ns->members->name = name;
    sema.impl->library_scopes[ns->members] = key;
    sema.declare(scope, ns);
    return;
  }
  const auto& mine = scope->names[name];
  if (mine.empty() && scope == sema.global) {
    const TypeKind kind = native_type(name->text);
    if (kind != TypeKind::kError) {
      auto* decl = sema.make<TypedefDecl>();
      decl->name = name;
      decl->type = sema.basic(kind);
      decl->state = Lazy::kDone;
      sema.declare(scope, decl);
      return;
    }
  }
  if (!all_functions(mine)) return;  // the user's own type or variable of that name
  for (const LibraryDecl& d : find_library_decls(key)) {
    sema.scan(library_tokens(sema, d.file, d.begin, d.end), scope, true);
  }
}

// Resolves the `using namespace` and `using enum` directives of a scope that have not been resolved yet.
void resolve_directives(Sema& sema, Scope* scope) {
  auto found = scope->names.find(nullptr);
  if (found == scope->names.end() || found->second.empty()) return;
  std::vector<Decl*> pending;
  pending.swap(found->second);
  for (Decl* d : pending) {
    auto* use = static_cast<UsingDecl*>(d);
    Tentative attempt(sema.diagnostics);
    Parser parser(sema, use->range, use->scope);
    for (Decl* target : parser.qualified_decls()) {
      if (auto* ns = decl_cast<NamespaceDecl>(target, DeclKind::kNamespace)) {
        if (ns->members != scope) scope->used.push_back(ns->members);
      }
      if (auto* e = decl_cast<EnumDecl>(target, DeclKind::kEnum)) scope->used.push_back(e->members);
    }
  }
}

void append_unique(std::vector<Decl*>& to, const std::vector<Decl*>& from) {
  for (Decl* d : from) {
    if (std::find(to.begin(), to.end(), d) == to.end()) to.push_back(d);
  }
}

void expand_using(Sema& sema, std::vector<Decl*>& decls) {
  for (size_t i = 0; i < decls.size(); ++i) {
    if (decls[i]->kind != DeclKind::kUsing) continue;
    auto* use = static_cast<UsingDecl*>(decls[i]);
    decls.erase(decls.begin() + static_cast<ptrdiff_t>(i));
    if (use->range.empty()) continue;
    const TokenRange range = use->range;
    use->range = {};  // a name that refers to itself ends here
    std::vector<Decl*> target;
    {
      Tentative attempt(sema.diagnostics);
      target = Parser(sema, range, use->scope).qualified_decls();
    }
    use->range = range;
    append_unique(decls, target);
    i = static_cast<size_t>(-1);
  }
}

bool same_tokens(TokenRange a, TokenRange b) {
  return std::equal(a.begin, a.end, b.begin, b.end,
                    [](const Token& x, const Token& y) { return x.text == y.text; });
}

bool same_parameters(Sema& sema, FunctionDecl* a, FunctionDecl* b) {
  if (!sema.complete_signature(a) || !sema.complete_signature(b)) return false;
  if (a->params.size() != b->params.size() || a->is_const != b->is_const) return false;
  if (a->for_lvalues != b->for_lvalues || a->for_rvalues != b->for_rvalues) return false;
  if (!same_tokens(a->constraint, b->constraint)) return false;
  for (size_t i = 0; i < a->params.size(); ++i) {
    if (a->params[i]->type.unqualified() != b->params[i]->type.unqualified()) return false;
  }
  return true;
}

bool same_template(Sema& sema, TemplateDecl* a, TemplateDecl* b) {
  if (a->params.size() != b->params.size() || a->of != TemplateDecl::Of::kFunction || b->of != a->of)
    return false;
  for (size_t i = 0; i < a->params.size(); ++i) {
    if (a->params[i].kind != b->params[i].kind || a->params[i].is_pack != b->params[i].is_pack) return false;
    if (!same_tokens(a->params[i].constraint, b->params[i].constraint)) return false;
  }
  if (!same_tokens(a->constraint, b->constraint)) return false;
  for (TemplateDecl* t : {a, b}) {
    if (!t->pattern_parsed) {
      auto* f = static_cast<FunctionDecl*>(t->pattern);
      Parser(sema, f->range, t->scope).parameter_patterns(t);
    }
  }
  auto spelled = [](const TemplateDecl* t) {
    std::string out;
    for (QualType p : t->param_patterns) out += to_string(p) + ",";
    return out;
  };
  return spelled(a) == spelled(b);
}

// A function that is declared and later defined is one function: the declaration is removed, its default
// arguments move over.
void merge_redeclarations(Sema& sema, Scope* scope, const Ident* name, std::vector<Decl*>& decls) {
  if (decls.size() < 2 || !sema.impl->merged.insert({scope, name}).second) return;
  auto has_body = [](const FunctionDecl* f) { return !f->body_range.empty(); };
  std::vector<Decl*> kept;
  for (Decl* d : decls) {
    bool drop = false;
    for (Decl* o : decls) {
      if (o == d || drop) continue;
      if (d->kind == DeclKind::kFunction && o->kind == DeclKind::kFunction) {
        auto* f = static_cast<FunctionDecl*>(d);
        auto* g = static_cast<FunctionDecl*>(o);
        const bool earlier_twin = std::find(kept.begin(), kept.end(), o) != kept.end();
        if (has_body(f) || (!has_body(g) && !earlier_twin) || !same_parameters(sema, f, g)) continue;
        drop = true;
        for (size_t i = 0; i < f->params.size(); ++i) {
          if (g->params[i]->default_range.empty()) g->params[i]->default_range = f->params[i]->default_range;
          if (!g->params[i]->default_range.empty()) g->required_params = std::min(g->required_params, i);
        }
        g->is_device |= f->is_device;
        g->is_kernel |= f->is_kernel;
      } else if (d->kind == DeclKind::kTemplate && o->kind == DeclKind::kTemplate) {
        auto* a = static_cast<TemplateDecl*>(d);
        auto* b = static_cast<TemplateDecl*>(o);
        if (a->of != TemplateDecl::Of::kFunction || b->of != TemplateDecl::Of::kFunction) continue;
        auto* f = static_cast<FunctionDecl*>(a->pattern);
        auto* g = static_cast<FunctionDecl*>(b->pattern);
        if (has_body(f) || !has_body(g) || !same_template(sema, a, b)) continue;
        drop = true;
        for (size_t i = 0; i < a->params.size(); ++i) {
          if (b->params[i].default_range.empty()) b->params[i].default_range = a->params[i].default_range;
        }
        for (TemplateDecl* s : a->specialisations) b->specialisations.push_back(s);
        g->is_device |= f->is_device;
      }
    }
    if (!drop) kept.push_back(d);
  }
  decls = kept;
}

bool is_extern(const Decl* d) {
  if (d->kind != DeclKind::kVar) return false;
  const TokenRange range = static_cast<const VarDecl*>(d)->range;
  return std::any_of(range.begin, range.end, [](const Token& t) { return t.kind == Tok::kw_extern; });
}

// A variable declared `extern` is replaced by its definition.
void merge_variables(std::vector<Decl*>& decls) {
  if (decls.size() < 2) return;
  const bool is_defined = std::any_of(
      decls.begin(), decls.end(), [](const Decl* d) { return d->kind == DeclKind::kVar && !is_extern(d); });
  if (is_defined) std::erase_if(decls, is_extern);
}

void add_from(Sema& sema, Ident* name, Scope* scope, std::vector<Decl*>& out, std::vector<Scope*>& seen) {
  if (std::find(seen.begin(), seen.end(), scope) != seen.end()) return;
  seen.push_back(scope);
  for (auto it = scope->locals.rbegin(); it != scope->locals.rend(); ++it) {
    if (it->first == name) {
      if (!out.empty() && !is_function_like(it->second)) break;
      out.push_back(it->second);
      if (!is_function_like(it->second)) break;
    }
  }
  if (!out.empty()) return expand_using(sema, out);
  load_library(sema, scope, name);
  if (auto it = scope->names.find(name); it != scope->names.end()) {
    merge_redeclarations(sema, scope, name, it->second);
    merge_variables(it->second);
    append_unique(out, it->second);
  }
  expand_using(sema, out);
  resolve_directives(sema, scope);
  if (!scope->used.empty() && all_functions(out)) {
    const std::vector<Scope*> used = scope->used;
    for (Scope* u : used) add_from(sema, name, u, out, seen);
  }
}

}  // namespace

TokenRange library_tokens(Sema& sema, uint32_t file, uint32_t begin, uint32_t end) {
  const auto files = library_files();
  auto& ids = sema.impl->library_file_ids;
  if (ids.size() < files.size()) ids.resize(files.size(), UINT32_MAX);
  if (ids[file] == UINT32_MAX) {
    ids[file] = sema.sources.add(std::string(files[file].name), std::string(files[file].text), true);
  }
  const std::string_view whole = sema.sources.text(ids[file]);
  const std::string_view text = sema.sources.keep(std::string(whole.substr(begin, end - begin)));
  const SourceLoc base{sema.sources.start(ids[file]).offset + begin};
  Lexer lexer(LexShared{sema.sources, sema.idents, sema.diagnostics}, text, base);
  auto& list = sema.impl->token_lists.emplace_back();
  for (;;) {
    Token token;
    lexer.next(token);
    if (token.kind == Tok::kEnd) break;
    if (token.kind == Tok::kIdentifier && token.ident->keyword != Tok::kIdentifier)
      token.kind = token.ident->keyword;
    if (token.kind == Tok::kIdentifier && token.text == "QUERN_HEAP_BYTES") {
      token.kind = Tok::kNumber;
      token.text = sema.sources.keep(std::to_string(sema.impl->heap_bytes) + "u");
    }
    if (token.kind == Tok::kIdentifier && token.text == "QUERN_PENDING_LAUNCHES") {
      token.kind = Tok::kNumber;
      token.text = sema.sources.keep(std::to_string(sema.impl->pending_launches) + "u");
    }
    list.push_back(token);
  }
  return {list.data(), list.data() + list.size()};
}

void Sema::declare(Scope* scope, Decl* decl) {
  decl->parent = scope;
  if (scope->kind == Scope::Kind::kFunction || scope->kind == Scope::Kind::kBlock) {
    scope->locals.emplace_back(decl->name, decl);
  } else {
    scope->names[decl->name].push_back(decl);
    impl->merged.erase({scope, decl->name});
  }
}

namespace {

// In a class of which only the names are known, and in its bases.
std::vector<Decl*> opened_members(Sema& sema, Ident* name, const ClassDecl* c) {
  std::vector<Decl*> out;
  std::vector<Scope*> seen;
  add_from(sema, name, c->members, out, seen);
  if (!out.empty()) return out;
  const std::vector<ClassDecl*> bases = sema.impl->opened[c].bases;
  for (const ClassDecl* base : bases) append_unique(out, opened_members(sema, name, base));
  return out;
}

// A class that is being completed, or only opened, is searched as far as it is known.
std::vector<Decl*> members_so_far(Sema& sema, Ident* name, Scope* scope) {
  if (scope->class_decl->state == Lazy::kNot && sema.impl->opened.contains(scope->class_decl))
    return opened_members(sema, name, scope->class_decl);
  std::vector<Decl*> out;
  std::vector<Scope*> seen;
  add_from(sema, name, scope, out, seen);
  if (!out.empty()) return out;
  for (const BaseClass& base : scope->class_decl->bases)
    append_unique(out, sema.lookup_in(name, base.decl->members));
  return out;
}

}  // namespace

std::vector<Decl*> Sema::lookup_in(Ident* name, Scope* scope) {
  std::vector<Decl*> out;
  std::vector<Scope*> seen;
  if (scope->kind == Scope::Kind::kClass && scope->class_decl != nullptr) {
    if (declares_type(scope->class_decl, name)) return opened_members(*this, name, scope->class_decl);
    complete_class(scope->class_decl);
  }
  add_from(*this, name, scope, out, seen);
  if (out.empty() && scope->kind == Scope::Kind::kClass) {
    for (const BaseClass& base : scope->class_decl->bases) {
      append_unique(out, lookup_in(name, base.decl->members));
    }
  }
  return out;
}

std::vector<Decl*> Sema::lookup(Ident* name, Scope* from, Wanted wanted) {
  for (Scope* s = from; s != nullptr; s = s->parent) {
    std::vector<Decl*> found;
    if (s->kind == Scope::Kind::kClass) {
      know_fields(s->class_decl, name);
      found = members_so_far(*this, name, s);
    } else {
      std::vector<Scope*> seen;
      add_from(*this, name, s, found, seen);
    }
    if (wanted == Wanted::kScopes)
      std::erase_if(found, [](const Decl* d) { return d->kind == DeclKind::kVar; });
    if (!found.empty()) return found;
  }
  return {};
}

namespace {

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  std::vector<size_t> row(a.size() + 1), before(a.size() + 1), older(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i) row[i] = i;
  for (size_t j = 1; j <= b.size(); ++j) {
    older.swap(before);
    before.swap(row);
    row[0] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      const size_t change = before[i - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[i] = std::min({row[i - 1] + 1, before[i] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[i] = std::min(row[i], older[i - 2] + 1);
    }
  }
  return row[a.size()];
}

struct Nearest {
  std::string_view wanted;
  std::string best;
  size_t distance;

  void offer(std::string_view candidate) {
    if (candidate.empty() || candidate == wanted || candidate.substr(0, 8) == "__quern_") return;
    if (candidate.substr(0, 8) == "operator") return;
    const size_t d = edit_distance(wanted, candidate, distance);
    if (d < distance) {
      distance = d;
      best = candidate;
    }
  }
};

}  // namespace

namespace {

// A third of the letters may differ, at most three.
Nearest nearest_to(const Ident* name) {
  return {name->text, {}, std::min<size_t>(3, name->text.size() / 3) + 1};
}

}  // namespace

std::string Sema::nearest_in(Ident* name, Scope* scope) {
  Nearest nearest = nearest_to(name);
  for (const auto& [id, decls] : scope->names) {
    if (id != nullptr && !decls.empty()) nearest.offer(id->text);
  }
  if (auto known = impl->library_scopes.find(scope); known != impl->library_scopes.end()) {
    const std::string prefix = known->second + "::";
    for (std::string_view candidate : library_names()) {
      if (candidate.substr(0, prefix.size()) == prefix) nearest.offer(candidate.substr(prefix.size()));
    }
  }
  return nearest.best;
}

std::string Sema::nearest_name(Ident* name, Scope* from) {
  Nearest nearest = nearest_to(name);
  for (Scope* s = from; s != nullptr; s = s->parent) {
    for (const auto& local : s->locals) {
      if (local.first != nullptr) nearest.offer(local.first->text);
    }
    for (const auto& [id, decls] : s->names) {
      if (id != nullptr && !decls.empty()) nearest.offer(id->text);
    }
  }
  for (std::string_view word :
       {"threadIdx", "blockIdx",   "blockDim",   "gridDim",     "warpSize", "printf", "assert",
        "float",     "double",     "int",        "unsigned",    "signed",   "char",   "short",
        "long",      "bool",       "void",       "const",       "struct",   "return", "while",
        "switch",    "__shared__", "__device__", "__constant__"}) {
    nearest.offer(word);
  }
  for (std::string_view candidate : library_names()) {
    if (candidate.find("::") == std::string_view::npos) nearest.offer(candidate);
  }
  return nearest.best;
}

}  // namespace quern::lang
