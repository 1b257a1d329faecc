#include <algorithm>
#include <utility>

#include "lang/parse/scanner.hpp"

namespace quern::lang {

void Sema::scan(TokenRange tokens, Scope* scope, bool is_library) {
  Scanner(*this, tokens, scope, is_library).run();
}

void Scanner::run() {
  while (!at_end() && !at(Tok::kEnd)) {
    const Token* before = cur_;
    declaration();
    if (cur_ == before) advance();  // stray token: host text that is not understood
  }
}

void Scanner::declaration() {
  switch (kind()) {
    case Tok::kSemi:
    case Tok::kRBrace:
    case Tok::kRParen:
    case Tok::kRBracket: advance(); return;
    case Tok::kw_namespace: namespace_(false); return;
    case Tok::kw_using: using_(); return;
    case Tok::kw_typedef: typedef_(); return;
    case Tok::kw_template: template_(); return;
    case Tok::kw_static_assert: {
      const Token* start = cur_;
      skip_to({Tok::kSemi});
      accept(Tok::kSemi);
      static_asserts.push_back({start, cur_});
      return;
    }
    case Tok::kw_public:
    case Tok::kw_private:
    case Tok::kw_protected:
      advance();
      accept(Tok::kColon);
      return;
    case Tok::kw_extern:
      if (kind(1) == Tok::kString) return linkage();
      break;
    case Tok::kw_inline:
      if (kind(1) == Tok::kw_namespace) {
        advance();
        return namespace_(true);
      }
      break;
    case Tok::kw_asm: skip_to({Tok::kSemi}); return;
    default: break;
  }
  general(cur_, {});
}

void Scanner::linkage() {
  advance(2);
  if (!at(Tok::kLBrace)) return;  // extern "C" declaration: continues as an ordinary one
  const Token* open = cur_;
  skip_balanced();
  Scanner inner(sema_, {open + 1, std::max(open + 1, cur_ - 1)}, scope_, is_library_);
  inner.run();
}

void Scanner::namespace_(bool is_inline) {
  advance();
  std::vector<Ident*> path;
  std::vector<bool> inlines;  // namespace a::inline b
  while (at(Tok::kIdentifier) || at(Tok::kColonColon) || at(Tok::kw_inline) || at(Tok::kLBracket)) {
    if (at(Tok::kLBracket)) {  // [[attribute]]
      skip_balanced();
      continue;
    }
    if (word_of(peek()) != Word::kNone) {
      const bool args = takes_arguments(word_of(peek()));
      advance();
      if (args && at(Tok::kLParen)) skip_balanced();
      continue;
    }
    if (at(Tok::kw_inline)) is_inline = true;
    if (at(Tok::kIdentifier)) {
      path.push_back(peek().ident);
      inlines.push_back(std::exchange(is_inline, false));
    }
    advance();
  }
  if (at(Tok::kEqual)) {  // namespace a = b::c;
    advance();
    const Token* start = cur_;
    skip_to({Tok::kSemi});
    auto* alias = sema_.make<UsingDecl>();
    alias->name = path.empty() ? nullptr : path[0];
    alias->range = {start, cur_};
    alias->scope = scope_;
    alias->loc = start->loc;
    if (alias->name != nullptr) sema_.declare(scope_, alias);
    return;
  }
  if (!at(Tok::kLBrace)) return skip_declaration();
  const Token* open = cur_;
  skip_balanced();
  Scope* at_scope = scope_;
  if (path.empty()) {
    path.push_back(nullptr);
    inlines.push_back(is_inline);
  }
  for (size_t i = 0; i < path.size(); ++i) {
    Ident* name = path[i];
    Scope* found = nullptr;
    if (name != nullptr) {
      for (Decl* d : sema_.lookup_in(name, at_scope)) {
        if (d->kind == DeclKind::kNamespace) found = static_cast<NamespaceDecl*>(d)->members;
      }
    }
    if (found == nullptr) {
      found = sema_.make<Scope>();
      found->kind = Scope::Kind::kNamespace;
      found->parent = at_scope;
      found->name = name;
      if (name == nullptr) {
        at_scope->used.push_back(found);
      } else {
        auto* decl = sema_.make<NamespaceDecl>();
        decl->name = name;
        decl->loc = open->loc;
        decl->members = found;
        sema_.declare(at_scope, decl);
      }
      if (name != nullptr && inlines[i]) at_scope->used.push_back(found);
    }
    found->is_inline |= name == nullptr || inlines[i];
    at_scope = found;
  }
  Scanner inner(sema_, {open + 1, std::max(open + 1, cur_ - 1)}, at_scope, is_library_);
  inner.run();
}

// using Base::Base, using Base<T>::Base
static bool names_constructor(TokenRange name) {
  const Token* last = name.end - 1;
  if (last - name.begin < 2 || last->kind != Tok::kIdentifier) return false;
  const Token* of = last - 2;
  if (of->kind == Tok::kGreater) {
    for (int depth = 0; of > name.begin; --of) {
      depth += of->kind == Tok::kGreater ? 1 : of->kind == Tok::kLess ? -1 : 0;
      if (depth == 0) break;
    }
    if (of > name.begin) --of;
  }
  return of->kind == Tok::kIdentifier && of->ident == last->ident;
}

void Scanner::using_() {
  advance();
  if (accept(Tok::kw_namespace) || accept(Tok::kw_enum)) {
    const Token* from = cur_;
    skip_to({Tok::kSemi});
    auto* use = sema_.make<UsingDecl>();
    use->range = {from, cur_};
    use->scope = scope_;
    use->loc = from->loc;
    // Resolved by a lookup that passes it; stored under the null name.
    scope_->names[nullptr].push_back(use);
    return;
  }
  if (at(Tok::kIdentifier) && kind(1) != Tok::kColonColon && kind(1) != Tok::kLess) {
    auto* alias = sema_.make<TypedefDecl>();
    alias->name = peek().ident;
    alias->loc = peek().loc;
    alias->is_using = true;
    alias->scope = scope_;
    skip_to({Tok::kEqual, Tok::kSemi});
    if (!accept(Tok::kEqual)) return;
    const Token* from = cur_;
    skip_to({Tok::kSemi});
    alias->range = {from, cur_};
    sema_.declare(scope_, alias);
    return;
  }
  accept(Tok::kw_typename);
  const Token* from = cur_;
  skip_to({Tok::kSemi});
  if (from == cur_) return;
  const TokenRange named{from, cur_};
  if (in_class() && names_constructor(named)) {
    inherited_constructors.push_back(named);
    return;
  }
  const Token* last = cur_ - 1;
  if (last->kind != Tok::kIdentifier || last == from) return;
  auto* use = sema_.make<UsingDecl>();
  use->name = last->ident;
  use->loc = last->loc;
  use->range = {from, cur_};
  use->scope = scope_;
  sema_.declare(scope_, use);
}

void Scanner::typedef_() {
  const Token* start = cur_;
  advance();
  // A class defined here is declared immediately, so that its name is known.
  while (word_of(peek()) != Word::kNone || at(Tok::kw_const)) {
    const bool args = takes_arguments(word_of(peek()));
    advance();
    if (args && at(Tok::kLParen)) skip_balanced();
  }
  Ident* same = nullptr;
  if (at(Tok::kw_struct) || at(Tok::kw_class) || at(Tok::kw_union)) {
    // C's `typedef struct S S;` means the same as `struct S;`.
    if (kind(1) == Tok::kIdentifier && kind(2) == Tok::kIdentifier && peek(1).ident == peek(2).ident) {
      same = peek(1).ident;
      Token forward[] = {peek(), peek(1), peek(2)};
      forward[2].kind = Tok::kSemi;
      Scanner(sema_, {forward, forward + 3}, scope_, is_library_).class_head();
    } else {
      class_head();
    }
  } else if (at(Tok::kw_enum)) {
    enum_head();
  }
  const Token* after_head = cur_;
  skip_to({Tok::kSemi});
  const TokenRange whole{start, cur_};
  Cursor names({after_head, cur_});
  const Token* last = nullptr;
  auto add = [&] {
    if (last == nullptr || last->ident == same) return;
    auto* decl = sema_.make<TypedefDecl>();
    decl->name = last->ident;
    decl->loc = last->loc;
    decl->range = whole;
    decl->scope = scope_;
    sema_.declare(scope_, decl);
    last = nullptr;
  };
  bool in_paren_name = false;
  while (!names.at_end()) {
    switch (names.kind()) {
      case Tok::kIdentifier:
        if (word_of(names.peek()) == Word::kNone && !in_paren_name) last = names.position();
        names.advance();
        if (names.at(Tok::kLess)) names.skip_angles();
        break;
      case Tok::kLParen:
        if (names.kind(1) == Tok::kStar || names.kind(1) == Tok::kAmp) {  // typedef void (*name)(…)
          names.advance();
          while (!names.at_end() && !names.at(Tok::kRParen)) {
            if (names.at(Tok::kIdentifier) && word_of(names.peek()) == Word::kNone) last = names.position();
            if (names.at(Tok::kLBracket) || names.at(Tok::kLParen)) {
              names.skip_balanced();
            } else {
              names.advance();
            }
          }
          names.advance();
          in_paren_name = true;
        } else {
          names.skip_balanced();
        }
        break;
      case Tok::kLBracket: names.skip_balanced(); break;
      case Tok::kComma:
        add();
        in_paren_name = false;
        names.advance();
        break;
      default: names.advance(); break;
    }
  }
  add();
}

void Scanner::skip_declaration() {
  while (!at_end()) {
    if (accept(Tok::kSemi)) return;
    if (at(Tok::kLBrace)) {
      skip_balanced();
      accept(Tok::kSemi);
      return;
    }
    if (at(Tok::kLParen) || at(Tok::kLBracket)) {
      skip_balanced();
    } else {
      advance();
    }
  }
}

std::string Scanner::qualified(Ident* name) const {
  std::string out(name != nullptr ? name->text : "");
  for (const Scope* s = scope_; s != nullptr; s = s->parent) {
    if (s->kind == Scope::Kind::kClass) {
      out = s->class_decl->full_name + "::" + out;
      break;
    }
    if (s->kind == Scope::Kind::kNamespace && s->name != nullptr)
      out = std::string(s->name->text) + "::" + out;
  }
  return out;
}

ClassDecl* Scanner::class_head(std::vector<std::vector<TemplateParam>>* templates) {
  const Token* start = cur_;
  SourceLoc place = start->loc;
  const bool is_union = at(Tok::kw_union);
  advance();
  std::vector<TokenRange> align_arguments, attributes;
  const Token* name = nullptr;
  TokenRange spec_args;
  std::vector<Ident*> path;
  for (;;) {
    if (at(Tok::kw_alignas) || (word_of(peek()) == Word::kAlign)) {
      advance();
      if (at(Tok::kLParen)) align_arguments.push_back(inside_brackets());
    } else if (word_of(peek()) == Word::kAttribute) {
      advance();
      if (at(Tok::kLParen)) attributes.push_back(inside_brackets());
    } else if (word_of(peek()) != Word::kNone) {
      const bool args = takes_arguments(word_of(peek()));
      advance();
      if (args && at(Tok::kLParen)) skip_balanced();
    } else if (at(Tok::kLBracket) && kind(1) == Tok::kLBracket) {
      skip_balanced();
    } else if (at(Tok::kIdentifier) && peek().text != "final") {
      if (name != nullptr) path.push_back(name->ident);
      name = cur_;
      place = name->loc;
      advance();
      if (at(Tok::kLess)) {
        const Token* open = cur_;
        if (!skip_angles()) break;
        spec_args = {open + 1, cur_ - 1};
      }
      if (!accept(Tok::kColonColon)) {
        // An alignment may follow the name of a macro; otherwise the head ends here.
        if (word_of(peek()) == Word::kNone && !at(Tok::kLBracket)) break;
        if (at(Tok::kLBracket)) break;
      }
    } else {
      break;
    }
  }
  if (at(Tok::kIdentifier) && peek().text == "final") advance();
  const bool defines = at(Tok::kLBrace) || at(Tok::kColon);
  const bool forward = at(Tok::kSemi) && name != nullptr;
  if (!defines && !forward) {
    cur_ = start;
    return nullptr;
  }
  // A specialisation or a class of a template: a separate entry; a plain class: one entry however often it is
  // declared.
  const bool is_template = templates != nullptr && !templates->empty();
  ClassDecl* decl = nullptr;
  Scope* home = path.empty() ? scope_ : find_path(path);
  if (home == nullptr) home = scope_;
  if (!is_template && name != nullptr) {
    for (Decl* d : home->names[name->ident]) {
      if (auto* c = decl_cast<ClassDecl>(d, DeclKind::kClass); c != nullptr && (!c->is_defined || forward))
        decl = c;
    }
    if (decl == nullptr) {
      for (auto& [id, d] : home->locals) {
        if (id == name->ident && d->kind == DeclKind::kClass) decl = static_cast<ClassDecl*>(d);
      }
      if (decl != nullptr && decl->is_defined && defines) decl = nullptr;
    }
  }
  if (decl == nullptr) {
    decl = sema_.make<ClassDecl>();
    decl->name = name != nullptr ? name->ident : nullptr;
    decl->loc = place;
    decl->outer = home;
    decl->parent = home;
    decl->type = sema_.types.class_type(decl);
    decl->is_library = is_library_;
    decl->full_name = decl->name != nullptr ? qualified(decl->name) : "unnamed struct";
    if (decl->name != nullptr && !is_template) sema_.declare(home, decl);
  }
  decl->is_union = is_union;
  decl->align_arguments.insert(decl->align_arguments.end(), align_arguments.begin(), align_arguments.end());
  decl->attributes.insert(decl->attributes.end(), attributes.begin(), attributes.end());
  if (defines) {
    decl->is_defined = true;
    if (accept(Tok::kColon)) {
      const Token* from = cur_;
      while (!at_end() && !at(Tok::kLBrace)) {
        if (at(Tok::kLess) && skip_angles()) continue;
        if (at(Tok::kLParen)) {
          skip_balanced();
        } else {
          advance();
        }
      }
      decl->bases_range = {from, cur_};
    }
    const Token* open = cur_;
    skip_balanced();
    decl->body_range = {open, cur_};
    sema_.impl->classes_at[{open, scope_}] = decl;
    while (word_of(peek()) == Word::kAttribute &&
           kind(1) == Tok::kLParen) {  // struct S {…} __attribute__((…))
      advance();
      decl->attributes.push_back(inside_brackets());
    }
  }
  if (is_template && name != nullptr) {
    add_template(TemplateDecl::Of::kClass, decl, templates->back(), spec_args, path);
  }
  return decl;
}

EnumDecl* Scanner::enum_head() {
  const Token* start = cur_;
  advance();
  auto* decl = sema_.make<EnumDecl>();
  if (at(Tok::kw_class) || at(Tok::kw_struct)) {
    decl->is_scoped = true;
    advance();
  }
  if (at(Tok::kLBracket)) skip_balanced();
  if (at(Tok::kIdentifier)) {
    decl->name = peek().ident;
    decl->loc = peek().loc;
    advance();
  } else {
    decl->loc = start->loc;
  }
  if (accept(Tok::kColon)) {
    const Token* from = cur_;
    while (!at_end() && !at(Tok::kLBrace) && !at(Tok::kSemi)) advance();
    decl->base_range = {from, cur_};
  }
  if (!at(Tok::kLBrace)) {
    cur_ = start;
    return nullptr;
  }
  const Token* open = cur_;
  skip_balanced();
  decl->body_range = {open, cur_};
  decl->outer = scope_;
  decl->parent = scope_;
  decl->type = sema_.types.enum_type(decl);
  decl->full_name = decl->name != nullptr ? qualified(decl->name) : "unnamed enum";
  decl->members = sema_.make<Scope>();
  decl->members->kind = Scope::Kind::kNamespace;
  decl->members->parent = scope_;
  decl->members->name = decl->name;
  sema_.impl->enums_at[{open, scope_}] = decl;
  if (decl->name != nullptr) sema_.declare(scope_, decl);
  // The enumerators' names are known immediately; their values when the enum is completed.
  Cursor c({open + 1, std::max(open + 1, cur_ - 1)});
  while (!c.at_end()) {
    if (c.at(Tok::kIdentifier)) {
      auto* constant = sema_.make<EnumConstantDecl>();
      constant->name = c.peek().ident;
      constant->loc = c.peek().loc;
      constant->of = decl;
      sema_.declare(decl->members, constant);
      if (!decl->is_scoped) sema_.declare(scope_, constant);
    }
    c.skip_to({Tok::kComma});
    c.accept(Tok::kComma);
  }
  return decl;
}

Scope* Scanner::find_path(const std::vector<Ident*>& path) const {
  Scope* at_scope = scope_;
  for (Ident* name : path) {
    Scope* next = nullptr;
    for (Decl* d : sema_.lookup(name, at_scope)) {
      if (d->kind == DeclKind::kNamespace) next = static_cast<NamespaceDecl*>(d)->members;
    }
    if (next == nullptr) return nullptr;
    at_scope = next;
  }
  return at_scope;
}

void Scanner::add_template(TemplateDecl::Of of, Decl* pattern, std::vector<TemplateParam> params,
                           TokenRange spec_args, const std::vector<Ident*>& path) {
  auto* t = sema_.make<TemplateDecl>();
  t->of = of;
  t->name = pattern->name;
  t->loc = pattern->loc;
  t->params = std::move(params);
  t->scope = scope_;
  t->pattern = pattern;
  t->spec_args = spec_args;
  t->constraint = head_constraint_;
  if (in_class()) t->member_of = scope_->class_decl;
  Scope* home = path.empty() ? scope_ : find_path(path);
  if (home == nullptr) home = scope_;
  t->parent = home;
  if (of == TemplateDecl::Of::kClass || of == TemplateDecl::Of::kVar) {
    for (Decl* d : home->names[t->name]) {
      auto* primary = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
      if (primary == nullptr || primary->of != of) continue;
      if (spec_args.begin != nullptr) {
        t->primary = primary;
        primary->specialisations.push_back(t);
        return;
      }
      // A forward declaration and its definition: defaults may be on either.
      auto* old_class = decl_cast<ClassDecl>(primary->pattern, DeclKind::kClass);
      auto* new_class = decl_cast<ClassDecl>(pattern, DeclKind::kClass);
      if (old_class != nullptr && new_class != nullptr) {
        for (size_t i = 0; i < std::min(primary->params.size(), t->params.size()); ++i) {
          if (t->params[i].default_range.empty())
            t->params[i].default_range = primary->params[i].default_range;
        }
        if (!new_class->is_defined) return;
        primary->params = t->params;
        primary->constraint = t->constraint;
        primary->pattern = pattern;
        return;
      }
    }
  }
  sema_.declare(home, t);
}

}  // namespace quern::lang
