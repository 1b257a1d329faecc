// Template headers: parameter lists, requires-clauses, concepts.
#include <algorithm>

#include "lang/parse/scanner.hpp"

namespace quern::lang {

namespace {

// Skips one parameter, up to its ',' or the end, and records where its default begins (if it has one).
const Token* skip_param(Cursor& c) {
  const Token* equal = nullptr;
  while (!c.at_end() && !c.at(Tok::kComma)) {
    if (c.at(Tok::kEqual) && equal == nullptr) equal = c.position();
    if (c.at(Tok::kLess) && c.skip_angles()) continue;
    if (c.at(Tok::kLParen) || c.at(Tok::kLBrace) || c.at(Tok::kLBracket)) {
      c.skip_balanced();
    } else {
      c.advance();
    }
  }
  return equal;
}

bool names_concept(Sema& sema, Scope* scope, TokenRange name) {
  Scope* look_in = nullptr;
  for (const Token* t = name.begin; t < name.end; ++t) {
    if (t->kind == Tok::kColonColon) {
      if (t == name.begin) look_in = sema.global;
      continue;
    }
    if (t->kind != Tok::kIdentifier) return false;
    const auto found = look_in != nullptr ? sema.lookup_in(t->ident, look_in) : sema.lookup(t->ident, scope);
    if (found.empty()) return false;
    if (found[0]->kind == DeclKind::kNamespace) {
      look_in = static_cast<NamespaceDecl*>(found[0])->members;
      continue;
    }
    const auto* t_decl = decl_cast<TemplateDecl>(found[0], DeclKind::kTemplate);
    return t_decl != nullptr && t_decl->of == TemplateDecl::Of::kConcept && t + 1 == name.end;
  }
  return false;
}

// `C`, `ns::C` or `C<…>` at the cursor, followed by a parameter's name or nothing: the constraint of a type
// parameter. Moves past it.
bool accept_constraint(Sema& sema, Scope* scope, Cursor& c) {
  const Token* start = c.position();
  c.accept(Tok::kColonColon);
  while (c.at(Tok::kIdentifier) && c.kind(1) == Tok::kColonColon) c.advance(2);
  if (c.at(Tok::kIdentifier) && word_of(c.peek()) == Word::kNone) {
    c.advance();
    const TokenRange name{start, c.position()};
    const bool closes = !c.at(Tok::kLess) || c.skip_angles();
    if (closes && names_concept(sema, scope, name)) return true;
  }
  c.position(start);
  return false;
}

// The name of a value parameter: the last identifier, or that of `float (*F)(float)`.
void value_param(TemplateParam& p, const Token* start, const Token* end) {
  for (const Token* t = start; t + 2 < end; ++t) {
    if (t->kind == Tok::kStar && (t + 1)->kind == Tok::kIdentifier && (t + 2)->kind == Tok::kRParen) {
      p.name = (t + 1)->ident;
      p.type_range = {start, end};
      return;
    }
  }
  const Token* last = end - 1;
  if (last > start && last->kind == Tok::kIdentifier && (last - 1)->kind != Tok::kColonColon) {
    p.name = last->ident;
    end = last;
  }
  if (end > start && (end - 1)->kind == Tok::kEllipsis) {
    p.is_pack = true;
    --end;
  }
  p.type_range = {start, end};
}

// [...] [name] and nothing more
bool is_plain(const Cursor& c, size_t from) {
  if (c.kind(from) == Tok::kEllipsis) ++from;
  if (c.kind(from) == Tok::kIdentifier) ++from;
  return c.kind(from) == Tok::kEnd;
}

void skip_template_keyword(Cursor& c) {
  while (c.accept(Tok::kw_template)) {
    if (c.at(Tok::kLess)) c.skip_angles();
  }
  if (c.at(Tok::kw_typename) || c.at(Tok::kw_class)) c.advance();
}

bool is_earlier(const std::vector<TemplateParam>& params, const Ident* name) {
  return std::any_of(params.begin(), params.end(), [&](const TemplateParam& p) { return p.name == name; });
}

}  // namespace

std::vector<TemplateParam> scan_template_params(Sema& sema, Scope* scope, TokenRange inside) {
  std::vector<TemplateParam> params;
  Cursor c(inside);
  while (!c.at_end()) {
    TemplateParam p;
    p.loc = c.peek().loc;
    const Token* start = c.position();
    const Token* equal = skip_param(c);
    const Token* end = equal != nullptr ? equal : c.position();
    if (equal != nullptr) p.default_range = {equal + 1, c.position()};
    c.accept(Tok::kComma);

    Cursor q({start, end});
    const bool starts_with_name = q.at(Tok::kIdentifier) || q.at(Tok::kColonColon);
    if (q.at(Tok::kw_template)) {
      p.kind = TemplateParam::Kind::kTemplate;
      skip_template_keyword(q);
    } else if ((q.at(Tok::kw_typename) || q.at(Tok::kw_class)) && is_plain(q, 1)) {
      q.advance();
    } else if (starts_with_name && !is_earlier(params, q.peek().ident) && accept_constraint(sema, scope, q)) {
      p.constraint = {start, q.position()};
    } else {
      p.kind = TemplateParam::Kind::kValue;
      value_param(p, start, end);
      params.push_back(p);
      continue;
    }
    if (q.accept(Tok::kEllipsis)) p.is_pack = true;
    if (q.at(Tok::kIdentifier)) p.name = q.peek().ident;
    params.push_back(p);
  }
  return params;
}

Ident* auto_param_name(Sema& sema, const Token* from, const Token* token) {
  return sema.idents.get("auto:" + std::to_string(token - from));
}

void scan_auto_params(Sema& sema, const Token* from, TokenRange list, std::vector<TemplateParam>& params) {
  const auto is_auto = [](const Token& t) { return t.kind == Tok::kw_auto; };
  if (std::none_of(list.begin, list.end, is_auto)) return;
  Cursor c({list.begin + 1, list.end - 1});
  while (!c.at_end()) {
    while (c.at(Tok::kw_const) || c.at(Tok::kw_volatile)) c.advance();
    const Token* start = c.position();
    const Token* word = nullptr;
    TemplateParam p;
    while (!c.at_end() && !c.at(Tok::kComma) && !c.at(Tok::kEqual)) {
      if (c.at(Tok::kw_auto) && word == nullptr) word = c.position();
      if (c.at(Tok::kEllipsis)) p.is_pack = true;
      if (c.at(Tok::kLess) && c.skip_angles()) continue;
      if (c.at(Tok::kLParen) || c.at(Tok::kLBracket)) {
        c.skip_balanced();
      } else {
        c.advance();
      }
    }
    if (c.at(Tok::kEqual)) skip_param(c);
    c.accept(Tok::kComma);
    if (word == nullptr) continue;
    p.name = auto_param_name(sema, from, word);
    p.loc = word->loc;
    while (start < word && start->kind != Tok::kIdentifier && start->kind != Tok::kColonColon) ++start;
    p.constraint = {start, word};
    params.push_back(p);
  }
}

// At `requires`: primary expressions joined by && and ||, as in the grammar.
TokenRange Scanner::requires_clause() {
  advance();
  const Token* start = cur_;
  for (;;) {
    while (accept(Tok::kExclaim)) continue;  // not valid C++, but the intention is clear
    if (accept(Tok::kw_requires)) {
      if (at(Tok::kLParen)) skip_balanced();
      if (at(Tok::kLBrace)) skip_balanced();
    } else if (at(Tok::kLParen)) {
      skip_balanced();
    } else if (at(Tok::kw_true) || at(Tok::kw_false)) {
      advance();
    } else {
      accept(Tok::kColonColon);
      for (;;) {
        accept(Tok::kw_template);
        advance();
        if (at(Tok::kLess)) skip_angles();
        if (!accept(Tok::kColonColon)) break;
      }
    }
    if (!accept(Tok::kAmpAmp) && !accept(Tok::kPipePipe)) return {start, cur_};
  }
}

void Scanner::concept_(const std::vector<TemplateParam>& params) {
  advance();
  auto* t = sema_.make<TemplateDecl>();
  t->of = TemplateDecl::Of::kConcept;
  t->name = at(Tok::kIdentifier) ? peek().ident : nullptr;
  t->loc = loc();
  t->params = params;
  t->scope = scope_;
  skip_to({Tok::kEqual, Tok::kSemi});
  accept(Tok::kEqual);
  const Token* start = cur_;
  skip_to({Tok::kSemi});
  t->constraint = {start, cur_};
  if (t->name != nullptr) sema_.declare(scope_, t);
}

void Scanner::template_() {
  std::vector<std::vector<TemplateParam>> templates;
  head_constraint_ = {};
  while (at(Tok::kw_template)) {
    advance();
    if (!at(Tok::kLess)) {  // explicit instantiation: template class A<int>; declares nothing new
      const Token* start = cur_;
      skip_to({Tok::kSemi});
      sema_.host_bodies.push_back({{start, cur_}, nullptr});
      return;
    }
    const Token* open = cur_;
    if (!skip_angles()) return skip_declaration();
    templates.push_back(scan_template_params(sema_, scope_, {open + 1, cur_ - 1}));
    if (at(Tok::kw_requires)) head_constraint_ = requires_clause();
  }
  if (at(Tok::kw_friend) && kind(1) != Tok::kIdentifier && kind(1) != Tok::kw_constexpr) {
    return skip_declaration();  // template <class T> friend class X;
  }
  if (at(Tok::kw_using)) {
    advance();
    auto* alias = sema_.make<TypedefDecl>();
    alias->name = peek().ident;
    alias->loc = loc();
    alias->is_using = true;
    alias->scope = scope_;
    skip_to({Tok::kEqual, Tok::kSemi});
    if (!accept(Tok::kEqual)) return;
    const Token* from = cur_;
    skip_to({Tok::kSemi});
    alias->range = {from, cur_};
    if (alias->name != nullptr) add_template(TemplateDecl::Of::kAlias, alias, templates.back(), {}, {});
  } else if (at(Tok::kw_concept)) {
    concept_(templates.back());
  } else {
    general(cur_, std::move(templates));
  }
  head_constraint_ = {};
}

}  // namespace quern::lang
