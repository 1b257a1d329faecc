// Declarations that have to be scanned to be distinguished: functions, variables, members.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/scanner.hpp"

namespace quern::lang {

bool Scanner::note_word(Flags& flags) {
  const Word word = word_of(peek());
  if (word == Word::kNone) return false;
  switch (word) {
    case Word::kGlobal: flags.global = true; break;
    case Word::kDevice: flags.device = true; break;
    case Word::kHost: flags.host = true; break;
    case Word::kShared: flags.shared = true; break;
    case Word::kConstant: flags.constant = true; break;
    case Word::kManaged: flags.device = true; break;
    case Word::kNoInline: flags.no_inline = true; break;
    case Word::kConsteval: flags.is_constexpr = true; break;
    default: break;
  }
  const bool args = takes_arguments(word);
  advance();
  if (args && at(Tok::kLParen)) skip_balanced();
  return true;
}

// Specifiers that may precede `struct` in a declaration that defines one.
static bool is_storage_word(Tok k) {
  return k == Tok::kw_static || k == Tok::kw_const || k == Tok::kw_constexpr || k == Tok::kw_inline ||
         k == Tok::kw_volatile;
}

void Scanner::note_storage(Flags& flags) {
  if (note_word(flags)) return;
  flags.is_static |= at(Tok::kw_static);
  flags.is_constexpr |= at(Tok::kw_constexpr);
  flags.is_const |= at(Tok::kw_const);
  advance();
}

void Scanner::operator_name(Found& found) {
  found.name = cur_;
  advance();
  std::string text = "operator";
  if (at(Tok::kLParen) && kind(1) == Tok::kRParen) {
    text += "()";
    advance(2);
  } else if (at(Tok::kLBracket) && kind(1) == Tok::kRBracket) {
    text += "[]";
    advance(2);
  } else if (at(Tok::kw_new) || at(Tok::kw_delete)) {
    text += at(Tok::kw_new) ? " new" : " delete";
    advance();
    if (at(Tok::kLBracket)) skip_balanced();
  } else if (at(Tok::kGreater)) {  // '>', '>=', '>>', '>>=' are several tokens
    while (at(Tok::kGreater) || at(Tok::kEqual)) {
      const bool glued = peek().glued;
      text += peek().text;
      advance();
      if (!glued) break;
    }
  } else if (at(Tok::kString)) {  // operator""_suffix, with or without a space
    text += peek().text;
    advance();
    if (at(Tok::kIdentifier)) {
      text += peek().text;
      advance();
    }
  } else if (kind() > Tok::kUnknown && kind() < Tok::kw_alignas) {
    text += peek().text;
    advance();
  } else {  // a conversion: everything up to '(' is its type
    found.is_conversion = true;
    text = "operator type";
    while (!at_end() && !at(Tok::kLParen) && !at(Tok::kSemi)) {
      if (at(Tok::kLess) && skip_angles()) continue;
      advance();
    }
  }
  found.operator_name = sema_.idents.get(text);
}

// Scans specifiers and the declarator up to the deciding token. True: cur_ is at '(' of a function's
// parameters. False: at one of = ; , [ { : of a variable, or at the end.
bool Scanner::walk(Found& found) {
  Flags& flags = found.flags;
  while (!at_end()) {
    switch (kind()) {
      case Tok::kIdentifier: {
        if (note_word(flags)) continue;
        if (found.name != nullptr && cur_ > found.start && (cur_ - 1)->kind == Tok::kColonColon) {
          found.path.push_back(found.name->ident);
          found.path_args.push_back(found.spec_args);
        } else {
          found.path.clear();
          found.path_args.clear();
        }
        found.name = cur_;
        found.spec_args = {};
        advance();
        if (at(Tok::kLess)) {
          const Token* open = cur_;
          if (skip_angles()) {
            found.spec_args = {open + 1, cur_ - 1};
          } else {
            advance();
          }
        }
        continue;
      }
      case Tok::kw_operator:
        if (found.name != nullptr && (cur_ - 1)->kind == Tok::kColonColon) {
          found.path.push_back(found.name->ident);
          found.path_args.push_back(found.spec_args);
        } else {
          found.path.clear();
          found.path_args.clear();
        }
        operator_name(found);
        return at(Tok::kLParen);
      case Tok::kTilde:
        found.is_dtor = true;
        advance();
        continue;
      case Tok::kw_static:
        flags.is_static = true;
        advance();
        continue;
      case Tok::kw_extern:
        flags.is_extern = true;
        advance();
        continue;
      case Tok::kw_constexpr:
        flags.is_constexpr = true;
        advance();
        continue;
      case Tok::kw_explicit:
        flags.is_explicit = true;
        advance();
        if (at(Tok::kLParen)) skip_balanced();
        continue;
      case Tok::kw_virtual:
        flags.is_virtual = true;
        advance();
        continue;
      case Tok::kw_friend:
        flags.is_friend = true;
        advance();
        continue;
      case Tok::kw_const:
        flags.is_const = true;
        advance();
        continue;
      case Tok::kw_alignas:
      case Tok::kw_decltype:
      case Tok::kw_noexcept:
        advance();
        if (at(Tok::kLParen)) skip_balanced();
        continue;
      case Tok::kLBracket:
        if (kind(1) == Tok::kLBracket) {  // [[attribute]]
          skip_balanced();
          continue;
        }
        return false;
      case Tok::kLParen: {
        const Tok before = cur_ > found.start ? (cur_ - 1)->kind : Tok::kEnd;
        const bool after_name =
            found.name != nullptr &&
            (cur_ - 1 == found.name || (before == Tok::kGreater && !found.spec_args.empty()));
        if (after_name && looks_like_function()) return true;
        // void (*name)(…): the name is inside.
        const Token* open = cur_;
        skip_balanced();
        if ((open + 1)->kind == Tok::kStar || (open + 1)->kind == Tok::kAmp ||
            (open + 1)->kind == Tok::kAmpAmp) {
          Cursor inner({open + 1, cur_ - 1});
          while (!inner.at_end() && !inner.at(Tok::kIdentifier)) inner.advance();
          if (!inner.at_end()) {
            found.name = inner.position();
            found.is_paren_declarator = true;
          }
          if (at(Tok::kLParen)) skip_balanced();
          continue;
        }
        continue;
      }
      case Tok::kEqual:
      case Tok::kSemi:
      case Tok::kComma:
      case Tok::kLBrace:
      case Tok::kColon:
      case Tok::kRBrace: return false;
      default: advance(); continue;
    }
  }
  return false;
}

// Whether the name, as far as the text has been scanned, is a variable's.
bool Scanner::names_variable(Ident* name) const {
  for (const Scope* s = scope_; s != nullptr; s = s->parent) {
    const auto found = s->names.find(name);
    if (found != s->names.end() && !found->second.empty())
      return found->second.front()->kind == DeclKind::kVar;
  }
  return false;
}

// At '(' after a name: parameters of a function, or the arguments of a variable?
bool Scanner::looks_like_function() const {
  switch (kind(1)) {
    case Tok::kNumber:
    case Tok::kString:
    case Tok::kChar:
    case Tok::kMinus:
    case Tok::kPlus:
    case Tok::kTilde:
    case Tok::kExclaim:
    case Tok::kLParen:
    case Tok::kw_sizeof:
    case Tok::kw_true:
    case Tok::kw_false: return false;
    case Tok::kIdentifier: return !names_variable(peek(1).ident);
    case Tok::kStar:
    case Tok::kAmp: {  // type (*name)(…)
      Cursor c({cur_, end_});
      c.skip_balanced();
      return !c.at(Tok::kLParen);
    }
    default: return true;
  }
}

void Scanner::general(const Token* start, std::vector<std::vector<TemplateParam>> templates) {
  Found found;
  found.start = start;
  // A class or enum defined here, optionally followed by declarators.
  const Token* at_keyword = cur_;
  while (word_of(*at_keyword) != Word::kNone || is_storage_word(at_keyword->kind)) {
    if (takes_arguments(word_of(*at_keyword))) break;
    if (++at_keyword >= end_) return advance();
  }
  if (at_keyword->kind == Tok::kw_struct || at_keyword->kind == Tok::kw_class ||
      at_keyword->kind == Tok::kw_union || at_keyword->kind == Tok::kw_enum) {
    const Token* back = cur_;
    while (cur_ < at_keyword) note_storage(found.flags);  // __constant__ struct {…} name
    const bool is_enum = at(Tok::kw_enum);
    ClassDecl* c = nullptr;
    EnumDecl* e = nullptr;
    if (is_enum) {
      e = enum_head();
    } else {
      c = class_head(&templates);
    }
    if (c != nullptr || e != nullptr) {
      if (accept(Tok::kSemi)) {
        // An unnamed struct or union inside a class provides its members: it is a field.
        if (in_class() && ((c != nullptr && c->name == nullptr))) fields.push_back({start, cur_ - 1});
        return;
      }
      if (!templates.empty()) return;
      found.start = start;
      Found tail = found;
      if (walk(tail)) {  // struct A {…} f() : not used in practice
        skip_declaration();
        return;
      }
      tail.start = start;
      if (tail.name == nullptr || tail.name < at_keyword) return skip_declaration();
      variables(tail, templates);
      return;
    }
    cur_ = back;
    if (is_enum && at(Tok::kw_enum)) {
      // `enum E x;` or an opaque enum: skip the keyword.
    }
  }
  if (walk(found)) return function(found, templates);
  if (found.name == nullptr) {
    if (!in_class() || !at(Tok::kColon)) return skip_declaration();
    skip_to({Tok::kSemi});  // unsigned : 7, which is padding between bit-fields
    fields.push_back({found.start, cur_});
    return;
  }
  variables(found, templates);
}

// After a function's parameters: qualifiers, trailing return type, and body. True if it was a function.
bool Scanner::function_tail(FunctionDecl* f) {
  for (;;) {
    switch (kind()) {
      case Tok::kw_const:
        f->is_const = true;
        advance();
        continue;
      case Tok::kw_volatile: advance(); continue;
      case Tok::kAmp:
      case Tok::kAmpAmp:
        (at(Tok::kAmp) ? f->for_lvalues : f->for_rvalues) = true;
        advance();
        continue;
      case Tok::kw_noexcept:
      case Tok::kw_throw:
        advance();
        if (at(Tok::kLParen)) skip_balanced();
        continue;
      case Tok::kLBracket: skip_balanced(); continue;
      case Tok::kArrow:
        while (!at_end() && !at(Tok::kLBrace) && !at(Tok::kSemi) && !at(Tok::kEqual) &&
               !at(Tok::kw_requires)) {
          if (at(Tok::kLess) && skip_angles()) continue;
          if (at(Tok::kLParen)) {
            skip_balanced();
          } else {
            advance();
          }
        }
        continue;
      case Tok::kw_requires: f->constraint = requires_clause(); continue;
      case Tok::kIdentifier: {
        Flags flags;
        if (peek().text == "override" || peek().text == "final") {
          advance();
          continue;
        }
        if (note_word(flags)) {
          f->is_device |= flags.device;
          f->is_kernel |= flags.global;
          continue;
        }
        return false;
      }
      default: break;
    }
    break;
  }
  f->range.end = cur_;
  if (accept(Tok::kEqual)) {
    if (at(Tok::kw_delete)) f->is_deleted = true;
    if (at(Tok::kw_default)) f->is_defaulted = true;
    skip_to({Tok::kSemi});
    accept(Tok::kSemi);
    return true;
  }
  if (at(Tok::kColon)) {  // constructor's initialisers
    advance();
    const Token* from = cur_;
    while (!at_end() && !at(Tok::kLBrace) && !at(Tok::kSemi)) {
      // name(args) or name{args}: a brace after a name is an initialiser, not the body
      if (at(Tok::kIdentifier) || at(Tok::kGreater)) {
        advance();
        if (at(Tok::kLess)) skip_angles();
        if (at(Tok::kLBrace) || at(Tok::kLParen)) skip_balanced();
        continue;
      }
      if (at(Tok::kLParen)) {
        skip_balanced();
      } else {
        advance();
      }
    }
    f->init_list = {from, cur_};
  }
  if (at(Tok::kw_try)) advance();
  if (at(Tok::kLBrace)) {
    const Token* open = cur_;
    skip_balanced();
    f->body_range = {open, cur_};
    return true;
  }
  if (at(Tok::kComma)) skip_to({Tok::kSemi});
  accept(Tok::kSemi);
  return true;
}

// f(auto x): each `auto` is a template parameter.
void Scanner::add_auto_params(TokenRange list, const Token* from,
                              std::vector<std::vector<TemplateParam>>& templates) {
  std::vector<TemplateParam> invented;
  scan_auto_params(sema_, from, list, invented);
  if (invented.empty()) return;
  if (templates.empty() || templates.back().empty()) templates.emplace_back();
  templates.back().insert(templates.back().end(), invented.begin(), invented.end());
}

void Scanner::function(Found& found, std::vector<std::vector<TemplateParam>>& templates) {
  auto* f = sema_.make<FunctionDecl>();
  f->range.begin = found.start;
  f->scope = scope_;
  f->name = found.operator_name != nullptr ? found.operator_name : found.name->ident;
  f->loc = found.name->loc;
  f->name_token = found.name;
  const Token* open = cur_;
  skip_balanced();  // parameters
  if (at_end() && (end_ - 1)->kind != Tok::kRParen && (found.flags.global || found.flags.device)) {
    sema_.error(open->loc, message::kParenNotClosed());
  }
  add_auto_params({open, cur_}, found.start, templates);
  f->is_kernel = found.flags.global;
  f->is_device = found.flags.device;
  f->is_host = found.flags.host;
  if (!function_tail(f)) {
    // NAME(…) followed by something else: an unknown macro of the host. What follows is a new declaration.
    return;
  }
  f->is_static = found.flags.is_static && in_class();
  f->is_constexpr = found.flags.is_constexpr;
  f->is_explicit = found.flags.is_explicit;
  f->is_virtual = found.flags.is_virtual;
  f->is_friend = found.flags.is_friend;
  f->is_noinline = found.flags.no_inline;
  f->is_conversion = found.is_conversion;
  f->is_dtor = found.is_dtor;
  f->is_library = is_library_;
  if (is_library_) f->is_device = true;
  const bool device = f->is_kernel || f->is_device;
  if (!f->body_range.empty() && !is_library_ && (!device || f->is_host))
    sema_.host_bodies.push_back({{f->range.begin, f->body_range.end}, f});
  if (TemplateDecl* of = guided_template(found, f)) {
    add_guide(of, f, templates);
  } else {
    register_function(f, found, templates);
  }
}

// Vec(T*) -> Vec<T>: a deduction guide has no result type before it and the name of a class template.
TemplateDecl* Scanner::guided_template(const Found& found, const FunctionDecl* f) const {
  if (f->body_range.begin != nullptr || found.operator_name != nullptr || in_class()) return nullptr;
  const Token* first = found.start;
  while (first < found.name && (word_of(*first) != Word::kNone || first->kind == Tok::kw_explicit)) ++first;
  if (first != found.name) return nullptr;
  const auto is_arrow = [](const Token& t) { return t.kind == Tok::kArrow; };
  if (std::none_of(f->range.begin, f->range.end, is_arrow)) return nullptr;
  const auto known = scope_->names.find(f->name);
  if (known == scope_->names.end()) return nullptr;
  for (Decl* d : known->second) {
    auto* t = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
    if (t != nullptr && t->of == TemplateDecl::Of::kClass) return t;
  }
  return nullptr;
}

void Scanner::add_guide(TemplateDecl* of, FunctionDecl* f,
                        const std::vector<std::vector<TemplateParam>>& templates) {
  f->is_guide = true;
  if (templates.empty()) {
    of->guides.push_back(f);
    return;
  }
  auto* t = sema_.make<TemplateDecl>();
  t->name = f->name;
  t->loc = f->loc;
  t->params = templates.back();
  t->scope = f->scope;
  t->pattern = f;
  t->constraint = head_constraint_;
  f->from_template = t;
  of->guides.push_back(t);
}

void Scanner::register_function(FunctionDecl* f, Found& found,
                                std::vector<std::vector<TemplateParam>>& templates) {
  if (in_class() && !f->is_friend) {
    ClassDecl* c = scope_->class_decl;
    f->class_decl = c;
    if (f->is_virtual) c->is_polymorphic = true;
    // The class's own name (for instances of templates: the template's) without a result type: a constructor.
    if (found.operator_name == nullptr && f->name == c->name && !f->is_dtor) f->is_ctor = true;
    if (f->is_dtor) {
      c->dtor = f;
      return;
    }
  } else if (f->is_friend) {
    f->is_static = false;
    if (f->body_range.empty() && !f->is_defaulted) return;
  }
  if (!found.path.empty() && !f->is_friend) {
    Scope* ns = find_path(found.path);
    if (ns == nullptr) {
      OutOfLine o;
      o.path = found.path;
      o.path_args = found.path_args;
      o.spec_args = found.spec_args;
      o.lists = templates;
      o.function = f;
      o.scope = scope_;
      if (f->name == found.path.back()) f->is_ctor = true;
      sema_.impl->out_of_line[f->is_dtor ? sema_.idents.get("~") : f->name].push_back(std::move(o));
      return;
    }
    f->scope = ns;
  }
  if (f->is_dtor) return;  // not of a class: nothing can call it
  Scope* home = f->is_friend ? scope_ : f->scope;
  if (f->is_friend) {  // a friend defined in the class belongs to the enclosing namespace, and sees the
                       // class's names
    while (home->kind == Scope::Kind::kClass || home->kind == Scope::Kind::kTemplate) home = home->parent;
  }
  if (templates.empty()) {
    if (f->is_kernel && !is_library_) sema_.kernels.push_back(f);
    if (f->is_ctor) scope_->class_decl->ctors.push_back(f);
    if (!f->is_ctor) sema_.declare(home, f);
    return;
  }
  auto* t = sema_.make<TemplateDecl>();
  t->of = TemplateDecl::Of::kFunction;
  t->name = f->name;
  t->loc = f->loc;
  t->params = templates.back();
  t->scope = f->scope;
  t->pattern = f;
  t->spec_args = found.spec_args;
  t->constraint = head_constraint_;
  if (in_class() && !f->is_friend) t->member_of = scope_->class_decl;
  f->from_template = t;
  if (t->params.empty()) {  // template <> void f<int>(…): a full specialisation
    for (Decl* d : home->names[f->name]) {
      auto* primary = decl_cast<TemplateDecl>(d, DeclKind::kTemplate);
      if (primary == nullptr || primary->of != TemplateDecl::Of::kFunction) continue;
      t->primary = primary;
      primary->specialisations.push_back(t);
    }
    if (t->primary == nullptr) sema_.declare(home, f);
    return;
  }
  if (f->is_kernel && !is_library_) sema_.kernel_templates.push_back(t);
  if (f->is_ctor && scope_->kind == Scope::Kind::kClass) {
    t->parent = scope_;
    scope_->class_decl->ctor_templates.push_back(t);
    return;
  }
  sema_.declare(home, t);
}

void Scanner::variables(Found& found, std::vector<std::vector<TemplateParam>>& templates) {
  // One declaration may name several variables; each stores the whole range and parses its own part when
  // used.
  std::vector<std::pair<Ident*, SourceLoc>> names;
  names.emplace_back(found.name->ident, found.name->loc);
  if (at(Tok::kLParen)) skip_balanced();
  while (!at_end() && !at(Tok::kSemi) && !at(Tok::kRBrace)) {
    if (at(Tok::kComma)) {
      advance();
      // The next declarator's name: the first identifier that is not a specifier.
      const Token* name = nullptr;
      while (!at_end() && !at(Tok::kComma) && !at(Tok::kSemi) && !at(Tok::kEqual)) {
        if (at(Tok::kIdentifier) && word_of(peek()) == Word::kNone) {
          name = cur_;
          advance();
          break;
        }
        if (at(Tok::kLParen)) {
          advance();  // (*name)
          continue;
        }
        advance();
      }
      if (name != nullptr) names.emplace_back(name->ident, name->loc);
      continue;
    }
    if (at(Tok::kLBrace) || at(Tok::kLParen) || at(Tok::kLBracket)) {
      skip_balanced();
    } else if (at(Tok::kLess) && cur_ > found.start && (cur_ - 1)->kind == Tok::kIdentifier &&
               skip_angles()) {
      continue;  // the commas in template arguments do not separate declarators
    } else {
      advance();
    }
  }
  const TokenRange range{found.start, cur_};
  accept(Tok::kSemi);
  if (in_class() && !found.flags.is_static && templates.empty()) {
    fields.push_back(range);
    return;
  }
  for (auto& [name, at_loc] : names) variable(found, name, at_loc, range, templates);
}

void Scanner::variable(const Found& found, Ident* name, SourceLoc at_loc, TokenRange range,
                       std::vector<std::vector<TemplateParam>>& templates) {
  auto* v = sema_.make<VarDecl>();
  v->name = name;
  v->loc = at_loc;
  v->range = range;
  v->scope = scope_;
  v->parent = scope_;
  v->state = Lazy::kNot;
  const Flags& f = found.flags;
  v->storage = f.shared     ? Storage::kShared
               : f.constant ? Storage::kConstant
               : f.device   ? Storage::kDevice
                            : Storage::kHost;
  v->is_constexpr = f.is_constexpr;
  if (in_class()) v->member_of = scope_->class_decl;
  if (!found.path.empty()) {
    OutOfLine o;
    o.path = found.path;
    o.path_args = found.path_args;
    o.lists = templates;
    o.var = v;
    o.scope = scope_;
    sema_.impl->out_of_line[name].push_back(std::move(o));
    return;
  }
  if (!templates.empty()) {
    add_template(TemplateDecl::Of::kVar, v, templates.back(), found.spec_args, {});
    return;
  }
  sema_.declare(scope_, v);
}

}  // namespace quern::lang
