#include "lang/sema/launches.hpp"

#include <algorithm>

#include "lang/sema/impl.hpp"
#include "lang/sema/parser.hpp"
#include "lang/text/lexer.hpp"

namespace quern::lang {

namespace {

std::string qualified(const Decl* d) {
  std::string out(d->name->text);
  for (const Scope* s = d->parent; s != nullptr; s = s->parent) {
    if (s->kind == Scope::Kind::kNamespace && s->name != nullptr)
      out = std::string(s->name->text) + "::" + out;
  }
  return out;
}

// The variables, constants and types a host function declares, as far as they can be made out: a scope for
// launches.
Scope* guess_host_scope(Sema& sema, TokenRange body, Scope* parent) {
  auto* scope = sema.make<Scope>();
  scope->kind = Scope::Kind::kBlock;
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
          v->type.is_const = true;  // a plain `int BS = 16;` is as good as a constant for a guess
          parser.initialiser(v, false);
        }
        sema.declare(scope, v);
      }
      parser.skip_to({Tok::kComma, Tok::kSemi});
      if (!parser.accept(Tok::kComma)) break;
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

}  // namespace

std::vector<FunctionDecl*> launched_instances(Sema& sema) {
  std::vector<FunctionDecl*> found;
  if (sema.kernel_templates.empty()) return found;
  Tentative guess(sema.diagnostics, Tentative::Kind::kGuess);
  for (TokenRange body : sema.host_bodies) {
    Scope* scope = nullptr;
    for (const Token* t = body.begin; t < body.end; ++t) {
      if (t->kind != Tok::kLaunchOpen) continue;
      const Token* start = name_start(t, body.begin);
      if (start == nullptr) continue;
      if (scope == nullptr) scope = guess_host_scope(sema, body, sema.global);
      FunctionDecl* f = launch_at(sema, start, t, body.end, scope);
      if (f != nullptr && std::find(found.begin(), found.end(), f) == found.end()) found.push_back(f);
    }
  }
  return found;
}

std::string kernel_name(const FunctionDecl* f) {
  std::string out = f->from_template != nullptr ? qualified(f->from_template) : qualified(f);
  if (f->template_args.empty()) return out;
  out += "<";
  bool first = true;
  for (const TemplateArg& a : f->template_args) {
    const std::string text = to_string(a);
    if (text.empty()) continue;
    out += (first ? "" : ", ") + text;
    first = false;
  }
  return out + ">";
}

std::string kernel_name(const TemplateDecl* t) { return qualified(t); }

FunctionDecl* find_kernel(Sema& sema, std::string_view name, std::string& why) {
  Tentative guess(sema.diagnostics, Tentative::Kind::kGuess);
  const std::string_view text = sema.sources.keep(name);
  Lexer lexer =
      Lexer::at_fixed_place(LexShared{sema.sources, sema.idents, sema.diagnostics}, text, SourceLoc{});
  auto& tokens = sema.impl->token_lists.emplace_back();
  for (;;) {
    Token token;
    lexer.next(token);
    if (token.kind == Tok::kEnd) break;
    if (token.kind == Tok::kIdentifier && token.ident->keyword != Tok::kIdentifier)
      token.kind = token.ident->keyword;
    tokens.push_back(token);
  }
  const TokenRange range{tokens.data(), tokens.data() + tokens.size()};
  Parser parser(sema, range, sema.global);
  Parser::NameRef ref;
  if (!parser.name(ref) || !parser.at_end()) {
    why = "'" + std::string(name) + "' is no kernel's name";
    return nullptr;
  }
  for (Decl* d : ref.decls) {
    if (auto* f = decl_cast<FunctionDecl>(d, DeclKind::kFunction);
        f != nullptr && f->is_kernel && !ref.has_args)
      return f;
    auto* t = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
    if (t == nullptr || t->of != TemplateDecl::Of::kFunction ||
        !static_cast<FunctionDecl*>(t->pattern)->is_kernel)
      continue;
    if (ref.has_args || t->params.empty()) {
      FunctionDecl* f = sema.instantiate_function(t, ref.args, SourceLoc{});
      if (f == nullptr) why = sema.diagnostics.muted_message();
      return f;
    }
    if (FunctionDecl* f = sema.deduce_call(t, {}, {}, SourceLoc{}, nullptr)) return f;
    why = "'" + std::string(name) + "' is a template; say which instance, as in '" + std::string(name) +
          "<float>'";
    return nullptr;
  }
  if (!ref.decls.empty()) why = "'" + std::string(name) + "' is not a kernel (__global__)";
  return nullptr;
}

// ---- guesses for templates that nobody launches

namespace {

void likely_values(Sema& sema, const TemplateParam& p, std::vector<TemplateArg>& out) {
  auto type = [&](QualType t) {
    TemplateArg a;
    a.kind = TemplateArg::Kind::kType;
    a.type = t;
    out.push_back(a);
  };
  auto value = [&](int64_t v) {
    TemplateArg a;
    a.kind = TemplateArg::Kind::kValue;
    a.type = sema.basic(TypeKind::kInt);
    a.value = v;
    out.push_back(a);
  };
  if (p.kind == TemplateParam::Kind::kType) {
    for (TypeKind k : {TypeKind::kFloat, TypeKind::kInt, TypeKind::kDouble, TypeKind::kUChar})
      type(sema.basic(k));
    for (Decl* d : sema.lookup(sema.idents.get("float4"), sema.global)) {
      if (d->kind == DeclKind::kClass) type(static_cast<ClassDecl*>(d)->type);
    }
  } else if (p.kind == TemplateParam::Kind::kValue) {
    for (int64_t v : {256, 32, 16, 4, 1, 0}) value(v);
  }
}

}  // namespace

FunctionDecl* likely_instance(Sema& sema, TemplateDecl* kernel) {
  Tentative guess(sema.diagnostics, Tentative::Kind::kGuess);
  constexpr int kMostTries = 64;
  std::vector<std::vector<TemplateArg>> choices;
  for (const TemplateParam& p : kernel->params) {
    if (p.is_pack || !p.default_range.empty()) break;
    choices.emplace_back();
    likely_values(sema, p, choices.back());
    if (choices.back().empty()) return nullptr;
  }
  // Parameters of one kind vary together first: all float, all int, …; then one by one.
  std::vector<std::vector<size_t>> tries;
  for (size_t k = 0; k < 6; ++k) {
    std::vector<size_t> pick;
    for (const auto& c : choices) pick.push_back(std::min(k, c.size() - 1));
    tries.push_back(pick);
  }
  for (size_t i = 0; i < choices.size(); ++i) {
    for (size_t k = 1; k < choices[i].size(); ++k) {
      std::vector<size_t> pick(choices.size(), 0);
      pick[i] = k;
      tries.push_back(pick);
    }
  }
  int tried = 0;
  for (const auto& pick : tries) {
    if (++tried > kMostTries) break;
    std::vector<TemplateArg> args;
    for (size_t i = 0; i < pick.size(); ++i) args.push_back(choices[i][pick[i]]);
    FunctionDecl* f = sema.instantiate_function(kernel, args, kernel->loc);
    if (f != nullptr && sema.complete_signature(f) && sema.complete_body(f)) return f;
  }
  return nullptr;
}

}  // namespace quern::lang
