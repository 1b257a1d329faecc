#include "lang/sema/sema.hpp"

#include "lang/parse/word.hpp"
#include "lang/sema/impl.hpp"

namespace quern::lang {

Sema::Sema(SourceMap& s, IdentTable& i, Diagnostics& d)
    : sources(s), idents(i), diagnostics(d), impl(std::make_unique<Impl>()) {
  install_words(idents);
  global = make<Scope>();
  global->kind = Scope::Kind::kGlobal;
  current_scope = global;
  impl->library_scopes[global] = "";
  impl->skipped_header = [] { return std::nullopt; };
  diagnostics.set_annotate([this](Diagnostic& diagnostic) { note_instances(*this, diagnostic); });
}

Sema::~Sema() { diagnostics.set_annotate({}); }

Expr* Sema::error_expr(SourceLoc loc) {
  auto* e = make<ErrorExpr>();
  e->type = basic(TypeKind::kError);
  e->loc = loc;
  return e;
}

}  // namespace quern::lang
