#include "lang/sema/launches.hpp"

#include <algorithm>

#include "lang/parse/parser.hpp"
#include "lang/sema/impl.hpp"
#include "lang/sema/messages.hpp"
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

}  // namespace

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

FunctionDecl* find_kernel(Sema& sema, std::string_view name, base::MessageText& why) {
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
    why = message::kNotKernelName(name);
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
      if (f == nullptr) why = sema.diagnostics.muted();
      return f;
    }
    if (FunctionDecl* f = sema.deduce_call(t, {}, {}, SourceLoc{}, nullptr)) return f;
    why = message::kKernelIsTemplate(name, name);
    return nullptr;
  }
  if (!ref.decls.empty()) why = message::kNotKernel(name);
  return nullptr;
}

// ---- guesses for templates that are never launched

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

FunctionDecl* likely_instance(Sema& sema, TemplateDecl* kernel, std::string& why) {
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
    if (tried == 1) why = sema.diagnostics.muted_message();
  }
  return nullptr;
}

}  // namespace quern::lang
