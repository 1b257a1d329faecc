// Launches in host code. Host code is never compiled: its declarations, calls and launches are analyzed
// heuristically, and anything that is not understood is skipped.
#include <algorithm>

#include "lang/parse/parser.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/launches.hpp"

namespace quern::lang {

namespace {

// The variables, constants and types that a host function declares, as far as they can be determined: a scope
// for launches.
Scope* guess_host_scope(Sema& sema, TokenRange body, Scope* parent) {
  auto* scope = sema.make<Scope>();
  scope->kind = Scope::Kind::kFunction;  // lambdas capture its variables
  scope->parent = parent;
  bool statement_start = true;
  for (const Token* t = body.begin; t < body.end; ++t) {
    const bool may_start = statement_start;
    switch (t->kind) {
      case Tok::kSemi:
      case Tok::kLBrace:
      case Tok::kRBrace:
      case Tok::kLParen:
      case Tok::kComma: statement_start = true; continue;
      default: statement_start = false; break;
    }
    if (!may_start) continue;
    Cursor c({t, body.end});
    c.skip_to({Tok::kSemi, Tok::kRBrace, Tok::kRParen});
    Parser parser(sema, {t, c.position()}, scope);
    if (!parser.at_declaration()) continue;
    if (parser.at(Tok::kw_using) || parser.at(Tok::kw_static_assert) || parser.at(Tok::kw_namespace))
      continue;
    Tentative attempt(sema.diagnostics);
    Parser::Specifiers s = parser.specifiers();
    if (attempt.failed() || s.type->is_error()) continue;
    for (;;) {
      Parser::Declarator d = parser.declarator(s.type);
      if (d.name == nullptr) break;
      if (s.is_typedef) {
        auto* alias = sema.make<TypedefDecl>();
        alias->name = d.name;
        alias->type = d.type;
        alias->state = Lazy::kDone;
        sema.declare(scope, alias);
      } else {
        auto* v = sema.make<VarDecl>();
        v->name = d.name;
        v->loc = d.loc;
        v->type = d.type;
        v->storage = Storage::kLocal;
        const bool simple = s.type->is_integer() && !d.type->is_pointer() && !d.type->is_array();
        if (simple && (parser.at(Tok::kEqual) || parser.at(Tok::kLBrace))) {
          v->type.is_const = true;  // for a guess, a plain `int BS = 16;` counts as a constant
          parser.initialiser(v, false);
        } else if (has_auto(v->type) && parser.at(Tok::kEqual)) {
          parser.initialiser(v, false);
        }
        if (!has_auto(v->type)) sema.declare(scope, v);
      }
      parser.skip_to({Tok::kComma, Tok::kSemi});
      if (!parser.accept(Tok::kComma) || parser.at_declaration())
        break;  // (int n, F f): a separate parameter
    }
  }
  return scope;
}

// From '<<<' back to the first token of the kernel's name.
const Token* name_start(const Token* launch, const Token* begin) {
  const Token* t = launch - 1;
  if (t < begin) return nullptr;
  if (t->kind == Tok::kGreater) {
    int depth = 0;
    for (; t >= begin; --t) {
      if (t->kind == Tok::kGreater) ++depth;
      if (t->kind == Tok::kLess && --depth == 0) break;
      if (t->kind == Tok::kSemi) return nullptr;
    }
    --t;
  }
  if (t < begin || t->kind != Tok::kIdentifier) return nullptr;
  while (t - 2 >= begin && (t - 1)->kind == Tok::kColonColon && (t - 2)->kind == Tok::kIdentifier) t -= 2;
  return t;
}

FunctionDecl* launch_at(Sema& sema, const Token* start, const Token* launch, const Token* end, Scope* scope) {
  Parser names(sema, {start, launch}, scope);
  Parser::NameRef ref;
  if (!names.name(ref)) return nullptr;
  for (Decl* d : ref.decls) {
    auto* t = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
    if (t == nullptr || t->of != TemplateDecl::Of::kFunction) continue;
    if (!static_cast<FunctionDecl*>(t->pattern)->is_kernel) continue;
    for (const TemplateArg& a : ref.args) {
      if (a.kind == TemplateArg::Kind::kType && a.type->is_error()) return nullptr;
    }
    // <<< … >>> ( arguments )
    Cursor c({launch, end});
    c.advance();
    while (!c.at_end()) {
      if (c.at(Tok::kGreater) && c.peek().glued && c.kind(1) == Tok::kGreater && c.peek(1).glued &&
          c.kind(2) == Tok::kGreater)
        break;
      if (c.at(Tok::kLParen) || c.at(Tok::kLBrace) || c.at(Tok::kLBracket)) {
        c.skip_balanced();
      } else {
        c.advance();
      }
    }
    c.advance(3);
    std::vector<Expr*> args;
    if (c.at(Tok::kLParen)) {
      Cursor close({c.position(), end});
      close.skip_balanced();
      Parser parser(sema, {c.position() + 1, close.position()}, scope);
      args = parser.arguments(Tok::kRParen);
    }
    FunctionDecl* f = sema.deduce_call(t, ref.args, args, start->loc, nullptr);
    if (f != nullptr) return f;
  }
  return nullptr;
}

// template __global__ void k<float>(float*);
FunctionDecl* instantiated_kernel(Sema& sema, TokenRange tokens) {
  for (const Token* t = tokens.begin + 1; t < tokens.end; ++t) {
    if (t->kind != Tok::kLParen) continue;
    const Token* start = name_start(t, tokens.begin);
    if (start == nullptr) continue;
    Parser names(sema, {start, t}, sema.global);
    Parser::NameRef ref;
    if (!names.name(ref)) continue;
    for (Decl* d : ref.decls) {
      auto* of = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
      if (of == nullptr || of->of != TemplateDecl::Of::kFunction) continue;
      if (static_cast<FunctionDecl*>(of->pattern)->is_kernel)
        return sema.instantiate_function(of, ref.args, start->loc);
    }
  }
  return nullptr;
}

// Walks the host code from function to function: an instance of a host template that is called with known
// arguments launches kernels with known arguments.
class HostWalk {
 public:
  explicit HostWalk(Sema& sema) : sema_(sema) {
    follows_calls_ = std::any_of(sema.host_bodies.begin(), sema.host_bodies.end(), [](const HostBody& h) {
      return is_template(h) && has_launch(h.function->body_range);
    });
  }

  std::vector<FunctionDecl*> run() {
    for (size_t i = 0; i < sema_.host_bodies.size(); ++i) {
      const HostBody h = sema_.host_bodies[i];  // further ones may be found on the way
      if (is_template(h)) continue;
      if (h.function == nullptr) {  // template void run<float>(float*); declares nothing
        walk(h.tokens, sema_.global);
        add(launched_, instantiated_kernel(sema_, h.tokens));
      } else {
        visit(h.tokens, h.function->class_decl == nullptr ? h.function->scope : sema_.global);
      }
    }
    for (size_t i = 0; i < instances_.size(); ++i) {
      const FunctionDecl* f = instances_[i];
      visit({f->range.begin, f->body_range.end}, f->scope);
    }
    return std::move(launched_);
  }

 private:
  static constexpr size_t kMostInstances = 256;

  static bool is_template(const HostBody& h) {
    return h.function != nullptr && h.function->from_template != nullptr &&
           !h.function->from_template->params.empty();
  }

  static bool has_launch(TokenRange body) {
    return std::any_of(body.begin, body.end, [](const Token& t) { return t.kind == Tok::kLaunchOpen; });
  }

  void visit(TokenRange body, Scope* outer) {
    if (follows_calls_ || has_launch(body)) walk(body, guess_host_scope(sema_, body, outer));
  }

  void walk(TokenRange body, Scope* scope) {
    for (const Token* t = body.begin; t < body.end; ++t) {
      if (t->kind == Tok::kLaunchOpen) {
        const Token* start = name_start(t, body.begin);
        if (start != nullptr) add(launched_, launch_at(sema_, start, t, body.end, scope));
      } else if (follows_calls_ && may_call(t, body)) {
        call_at(t, body.end, scope);
      }
    }
  }

  static void add(std::vector<FunctionDecl*>& list, FunctionDecl* f) {
    if (f != nullptr && std::find(list.begin(), list.end(), f) == list.end()) list.push_back(f);
  }

  static bool may_call(const Token* t, TokenRange body) {
    if (t->kind != Tok::kIdentifier || t + 1 >= body.end) return false;
    if (t > body.begin &&
        ((t - 1)->kind == Tok::kDot || (t - 1)->kind == Tok::kArrow || (t - 1)->kind == Tok::kColonColon))
      return false;
    return (t + 1)->kind == Tok::kLess || (t + 1)->kind == Tok::kLParen || (t + 1)->kind == Tok::kColonColon;
  }

  static bool is_host_template(const Decl* d) {
    if (d->kind != DeclKind::kTemplate) return false;
    const auto* t = static_cast<const TemplateDecl*>(d);
    if (t->of != TemplateDecl::Of::kFunction) return false;
    const auto* f = static_cast<const FunctionDecl*>(t->pattern);
    return !f->is_kernel && !f->is_device && !f->is_library;
  }

  void call_at(const Token* start, const Token* end, Scope* scope) {
    if ((start + 1)->kind != Tok::kColonColon) {  // the common case, and a cheap rejection
      const std::vector<Decl*> found = sema_.lookup(start->ident, scope);
      if (std::none_of(found.begin(), found.end(), is_host_template)) return;
    }
    Parser parser(sema_, {start, end}, scope);
    Parser::NameRef ref;
    if (!parser.name(ref)) return;
    std::vector<Expr*> args;
    if (parser.at(Tok::kLParen)) {
      parser.advance();
      args = parser.arguments(Tok::kRParen);
    }
    for (Decl* d : ref.decls) {
      if (!is_host_template(d) || instances_.size() >= kMostInstances) continue;
      auto* t = static_cast<TemplateDecl*>(d);
      FunctionDecl* f = sema_.deduce_call(t, ref.args, args, start->loc, nullptr);
      // The arguments may not be understood; those in angle brackets may suffice.
      if (f == nullptr && ref.args.size() == t->params.size())
        f = sema_.instantiate_function(t, ref.args, start->loc);
      if (f != nullptr && !f->body_range.empty()) add(instances_, f);
    }
  }

  Sema& sema_;
  bool follows_calls_ = false;
  std::vector<FunctionDecl*> instances_;  // of host templates, in the order of their discovery
  std::vector<FunctionDecl*> launched_;
};

}  // namespace

std::vector<FunctionDecl*> launched_instances(Sema& sema) {
  if (sema.kernel_templates.empty()) return {};
  const Tentative guess(sema.diagnostics, Tentative::Kind::kGuess);
  return HostWalk(sema).run();
}

}  // namespace quern::lang
