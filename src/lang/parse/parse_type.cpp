// Types: specifiers and declarators.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/parse/scanner.hpp"
#include "lang/sema/expression.hpp"
#include "lang/sema/messages.hpp"

namespace quern::lang {

Parser::Parser(Sema& sema, TokenRange range, Scope* scope, FunctionDecl* function)
    : Cursor(range), sema_(sema), scope_(scope), function_(function), outer_scope_(sema.current_scope) {
  sema_.current_scope = scope;
  if (range.end != range.begin && range.begin != nullptr) end_loc((range.end - 1)->loc);
}

Parser::~Parser() { sema_.current_scope = outer_scope_; }

void Parser::set_scope(Scope* scope) {
  scope_ = scope;
  sema_.current_scope = scope;
}

Scope* Parser::push_scope() {
  auto* s = sema_.make<Scope>();
  s->kind = Scope::Kind::kBlock;
  s->parent = scope_;
  set_scope(s);
  return s;
}

void Parser::pop_scope() { set_scope(scope_->parent); }

namespace {

std::string describe(const Token& token) {
  if (token.kind == Tok::kEnd) return message::kEndOfText().text;
  return "'" + std::string(token.text) + "'";
}

}  // namespace

void Parser::expect(Tok k, const base::Message<0>& where) {
  if (accept(k)) return;
  const std::string place = where().text;
  sema_.error(loc(), at_end() ? message::kTokenMissing(spelling(k), place)
                              : message::kTokenMissingBefore(spelling(k), place, describe(peek())));
}

Expr* Parser::error_here(base::MessageText message) {
  const uint32_t length = at_end() ? 1 : static_cast<uint32_t>(std::max<size_t>(1, peek().text.size()));
  sema_.error(loc(), length, std::move(message));
  return sema_.error_expr(loc());
}

// ---- specifiers

bool Parser::basic_type(Specifiers& s) {
  int longs = 0, shorts = 0, unsigneds = 0, signeds = 0, ints = 0;
  TypeKind base = TypeKind::kError;
  bool any = false, is_wide = false;
  for (;;) {
    switch (kind()) {
      case Tok::kw_long: ++longs; break;
      case Tok::kw_short: ++shorts; break;
      case Tok::kw_unsigned: ++unsigneds; break;
      case Tok::kw_signed: ++signeds; break;
      case Tok::kw_int: ++ints; break;
      case Tok::kw_void: base = TypeKind::kVoid; break;
      case Tok::kw_bool: base = TypeKind::kBool; break;
      case Tok::kw_char: base = TypeKind::kChar; break;
      case Tok::kw_float: base = TypeKind::kFloat; break;
      case Tok::kw_double: base = TypeKind::kDouble; break;
      case Tok::kw_const: s.type.is_const = true; break;
      case Tok::kw_volatile: s.type.is_volatile = true; break;
      default:
        if (word_of(peek()) == Word::kSigned) {
          ++signeds;
          break;
        }
        if (any && at(Tok::kIdentifier) && peek().text == "__int128") {
          is_wide = true;
          break;
        }
        goto done;
    }
    any = true;
    advance();
  }
done:
  if (!any) return false;
  TypeKind k = base;
  const bool u = unsigneds > 0;
  if (is_wide && longs + shorts + ints == 0 && base == TypeKind::kError) {
    Ident* name = sema_.idents.get(u ? "__uint128_t" : "__int128_t");
    for (Decl* d : sema_.lookup_in(name, sema_.global)) {
      if (auto* t = decl_cast<TypedefDecl>(d, DeclKind::kTypedef))
        s.type.type = sema_.complete_typedef(t).type;
    }
    return static_cast<bool>(s.type);
  }
  if (base == TypeKind::kChar) {
    k = u ? TypeKind::kUChar : signeds > 0 ? TypeKind::kSChar : TypeKind::kChar;
  } else if (base == TypeKind::kError) {
    if (longs + shorts + unsigneds + signeds + ints == 0) return false;
    k = shorts > 0   ? (u ? TypeKind::kUShort : TypeKind::kShort)
        : longs >= 2 ? (u ? TypeKind::kULongLong : TypeKind::kLongLong)
        : longs == 1 ? (u ? TypeKind::kULong : TypeKind::kLong)
                     : (u ? TypeKind::kUInt : TypeKind::kInt);
  }
  s.type.type = sema_.types.get(k);
  return true;
}

QualType Parser::decltype_() {
  advance();
  if (!at(Tok::kLParen)) return error_here(message::kDecltypeOpenMissing())->type;
  const Token* open = cur_;
  skip_balanced();
  const Token* after = cur_;
  if (pattern_) return sema_.basic(TypeKind::kNotDeduced);
  if (open + 2 == after - 1 && (open + 1)->kind == Tok::kw_auto) return sema_.types.decltype_auto();
  Parser inner(sema_, {open + 1, after - 1}, scope_, function_);
  inner.loop_depth_ = loop_depth_;
  return decltype_of(inner.expression(), open + 1);
}

// decltype(name) is the declared type; decltype((lvalue)) and other lvalues are references.
QualType Parser::decltype_of(const Expr* e, const Token* first) {
  const bool plain_name = e->kind == ExprKind::kVar && first->kind != Tok::kLParen;
  if (plain_name) return as<VarExpr>(e)->var->type;
  if (e->kind == ExprKind::kFunction && first->kind != Tok::kAmp) return e->type->elem;
  const bool member = e->kind == ExprKind::kField && first->kind != Tok::kLParen;
  return member ? as<FieldExpr>(e)->field->type : type_with_category(sema_, e);
}

// decltype(x)::value_type: names after '::' in the type before them.
QualType Parser::nested_type(QualType type) {
  while (at(Tok::kColonColon) && kind(1) == Tok::kIdentifier && !pattern_) {
    const QualType outer = strip_ref(type);
    if (!outer->is_class() || !sema_.complete_class(outer->class_decl)) break;
    const Token* colons = cur_;
    advance();
    NameRef ref;
    ref.name = peek().ident;
    ref.loc = loc();
    ref.decls = sema_.lookup_in(ref.name, outer->class_decl->members);
    advance();
    if (at(Tok::kLess) && !ref.decls.empty() && ref.decls[0]->kind == DeclKind::kTemplate) {
      ref.has_args = template_args(ref.args, static_cast<TemplateDecl*>(ref.decls[0]));
    }
    if (!resolve_type(ref) && !ref.decls.empty()) {  // decltype(x)::value
      cur_ = colons;
      return type;
    }
    if (!ref.type) {
      sema_.error(ref.loc, message::kNoSuchMemberType(to_string(outer), ref.name->text));
      return sema_.basic(TypeKind::kError);
    }
    type = ref.type;
  }
  return type;
}

QualType Parser::class_specifier(bool& ok) {
  const Token* start = cur_;
  Scanner scanner(sema_, {cur_, end_}, scope_, function_ != nullptr && function_->is_library);
  // A body that was parsed before (a class defined among declarators) keeps its class.
  Cursor find({cur_, end_});
  while (!find.at_end() && !find.at(Tok::kLBrace) && !find.at(Tok::kSemi) && !find.at(Tok::kLParen)) {
    const bool takes_args = find.at(Tok::kw_alignas) || takes_arguments(word_of(find.peek()));
    find.advance();
    if (takes_args && find.at(Tok::kLParen)) find.skip_balanced();  // struct __align__(16) S {…}
  }
  if (find.at(Tok::kLBrace)) {
    auto known = sema_.impl->classes_at.find({find.position(), scope_});
    if (known != sema_.impl->classes_at.end()) {
      cur_ = known->second->body_range.end;
      ok = true;
      return known->second->type;
    }
  }
  if (ClassDecl* c = scanner.class_head()) {
    cur_ = scanner.position();
    ok = true;
    return c->type;
  }
  cur_ = start + 1;  // struct Name
  NameRef ref;
  if (!name(ref)) {
    error_here(message::kNameMissingAfter(start->text));
    return sema_.basic(TypeKind::kError);
  }
  if (!ref.type) {
    for (Decl* d : ref.decls) {
      if (d->kind == DeclKind::kClass) ref.type = static_cast<ClassDecl*>(d)->type;
    }
  }
  if (!ref.type) {
    sema_.error(ref.loc, ref.length, message::kNoSuchStruct(ref.name->text));
    return sema_.basic(TypeKind::kError);
  }
  ok = true;
  return ref.type;
}

QualType Parser::enum_specifier(bool& ok) {
  const Token* start = cur_;
  Cursor find({cur_, end_});
  while (!find.at_end() && !find.at(Tok::kLBrace) && !find.at(Tok::kSemi) && !find.at(Tok::kLParen))
    find.advance();
  if (find.at(Tok::kLBrace)) {
    auto known = sema_.impl->enums_at.find({find.position(), scope_});
    if (known != sema_.impl->enums_at.end()) {
      cur_ = known->second->body_range.end;
      ok = true;
      return known->second->type;
    }
  }
  Scanner scanner(sema_, {cur_, end_}, scope_, false);
  if (EnumDecl* e = scanner.enum_head()) {
    cur_ = scanner.position();
    ok = true;
    return e->type;
  }
  cur_ = start + 1;
  NameRef ref;
  if (!name(ref) || !ref.type) {
    error_here(message::kNoSuchEnum());
    return sema_.basic(TypeKind::kError);
  }
  ok = true;
  return ref.type;
}

std::optional<int64_t> Parser::align_argument() {
  if (!at(Tok::kLParen)) return {};
  return Parser(sema_, inside_brackets(), scope_, function_).alignment();
}

std::optional<int64_t> Parser::alignment() {
  if (at_type()) return static_cast<int64_t>(align_of(type_id()));
  return constant();
}

Parser::LayoutWords Parser::layout_words() {
  constexpr int64_t kLargest = 16;  // `aligned` alone: the largest alignment of the host's types
  LayoutWords out;
  while (!at_end()) {
    const std::string_view word = at(Tok::kIdentifier) ? peek().text : std::string_view();
    if (at(Tok::kLParen)) {  // of __attribute__((…)), or of another word
      const LayoutWords inner = Parser(sema_, inside_brackets(), scope_, function_).layout_words();
      if (inner.align) out.align = inner.align;
      out.is_packed |= inner.is_packed;
      continue;
    }
    if (word == "vector_size" || word == "ext_vector_type" || word == "mode")
      sema_.error(loc(), message::kVectorAttribute(word));
    advance();
    if (word == "packed" || word == "__packed__") out.is_packed = true;
    if (word == "aligned" || word == "__aligned__")
      out.align = at(Tok::kLParen) ? align_argument() : kLargest;
  }
  return out;
}

void Parser::attribute(Specifiers& s) {
  const Word word = word_of(peek());
  advance();
  switch (word) {
    case Word::kShared: s.shared = true; break;
    case Word::kConstant: s.constant = true; break;
    case Word::kDevice:
    case Word::kManaged: s.device = true; break;
    case Word::kRestrict: s.is_restrict = true; break;
    case Word::kConst: s.type.is_const = true; break;
    case Word::kVolatile: s.type.is_volatile = true; break;
    case Word::kAlign: s.align = align_argument(); return;
    case Word::kLaunchBounds: {
      if (!at(Tok::kLParen)) return;
      const Token* open = cur_;
      skip_balanced();
      Parser inner(sema_, {open + 1, cur_ - 1}, scope_, function_);
      if (auto v = inner.constant()) s.max_threads = static_cast<uint32_t>(*v);
      if (inner.accept(Tok::kComma)) {
        if (auto v = inner.constant()) s.min_blocks = static_cast<uint32_t>(*v);
      }
      return;
    }
    case Word::kClusterDims: {
      if (!at(Tok::kLParen)) return;
      const Token* open = cur_;
      skip_balanced();
      Parser inner(sema_, {open + 1, cur_ - 1}, scope_, function_);
      s.cluster = {1, 1, 1};
      for (uint32_t& size : s.cluster) {
        if (auto v = inner.constant()) size = static_cast<uint32_t>(*v);
        if (!inner.accept(Tok::kComma)) break;
      }
      return;
    }
    default: break;
  }
  if (!takes_arguments(word) || !at(Tok::kLParen)) return;
  const TokenRange inside = inside_brackets();
  if (word != Word::kAttribute) return;
  const LayoutWords words = Parser(sema_, inside, scope_, function_).layout_words();
  if (words.align) s.align = words.align;
  s.is_packed |= words.is_packed;
}

bool Parser::names_concept(const NameRef& ref) {
  if (ref.decls.empty()) return false;
  const auto* t = decl_cast<TemplateDecl>(ref.decls.front(), DeclKind::kTemplate);
  return t != nullptr && t->of == TemplateDecl::Of::kConcept;
}

bool Parser::named_type(Specifiers& s) {
  NameRef ref;
  const Token* start = cur_;
  if (!name(ref)) return false;
  if (names_concept(ref)) {  // C auto
    if (!accept(Tok::kw_auto)) {
      sema_.error(ref.loc, ref.length, message::kConceptNeedsAuto(ref.name->text));
      s.type.type = sema_.types.get(TypeKind::kError);
      return true;
    }
    s.constraint = {start, cur_ - 1};
    s.auto_token = cur_ - 1;
    s.type.type = sema_.types.get(TypeKind::kAuto);
    return true;
  }
  if (ref.template_ != nullptr && !ref.type) {  // its arguments may be deduced from the initialiser
    s.type.type = sema_.types.class_to_deduce(ref.template_);
    return true;
  }
  if (!ref.type) {
    cur_ = start;
    return false;
  }
  s.type.type = ref.type.type;
  s.type.is_const |= ref.type.is_const;
  s.type.is_volatile |= ref.type.is_volatile;
  return true;
}

Parser::Specifiers Parser::specifiers() {
  Specifiers s;
  s.loc = loc();
  bool have_type = false;
  while (!at_end()) {
    const Tok k = kind();
    if (k == Tok::kIdentifier && word_of(peek()) != Word::kNone && word_of(peek()) != Word::kTypeof) {
      attribute(s);
      continue;
    }
    if (k == Tok::kLBracket && kind(1) == Tok::kLBracket) {
      const TokenRange inside = inside_brackets();
      s.has_no_address |=
          std::any_of(inside.begin, inside.end, [](const Token& t) { return t.text == "no_unique_address"; });
      continue;
    }
    switch (k) {
      case Tok::kw_const:
        s.type.is_const = true;
        advance();
        continue;
      case Tok::kw_volatile:
        s.type.is_volatile = true;
        advance();
        continue;
      case Tok::kw_static:
        s.is_static = true;
        advance();
        continue;
      case Tok::kw_extern:
        s.is_extern = true;
        advance();
        if (at(Tok::kString)) advance();
        continue;
      case Tok::kw_constexpr:
        s.is_constexpr = true;
        advance();
        continue;
      case Tok::kw_typedef:
        s.is_typedef = true;
        advance();
        continue;
      case Tok::kw_mutable:
        s.is_mutable = true;
        advance();
        continue;
      case Tok::kw_inline:
      case Tok::kw_register:
      case Tok::kw_friend:
      case Tok::kw_virtual:
      case Tok::kw_explicit: advance(); continue;
      case Tok::kw_thread_local:
        sema_.error(loc(), message::kThreadLocal());
        advance();
        continue;
      case Tok::kw_alignas:
        advance();
        s.align = align_argument();
        continue;
      default: break;
    }
    if (have_type) break;
    if (is_basic_type_keyword(k)) {
      have_type = basic_type(s);
      continue;
    }
    if (k == Tok::kw_auto) {
      s.auto_token = cur_;
      advance();
      s.type.type = sema_.types.get(TypeKind::kAuto);
      have_type = true;
      continue;
    }
    if (k == Tok::kw_decltype || (k == Tok::kIdentifier && word_of(peek()) == Word::kTypeof)) {
      QualType t = nested_type(decltype_());
      s.type = QualType(t.type, s.type.is_const || t.is_const, s.type.is_volatile || t.is_volatile);
      have_type = true;
      continue;
    }
    if (k == Tok::kw_struct || k == Tok::kw_class || k == Tok::kw_union || k == Tok::kw_enum) {
      bool ok = false;
      QualType t = k == Tok::kw_enum ? enum_specifier(ok) : class_specifier(ok);
      s.type.type = t.type;
      have_type = true;
      continue;
    }
    if (k == Tok::kIdentifier || k == Tok::kColonColon || k == Tok::kw_typename) {
      if (!named_type(s)) break;
      have_type = true;
      continue;
    }
    break;
  }
  // const on an array is const on its elements.
  if (have_type && s.type->is_array())
    s.type = add_quals(sema_, s.type.type, s.type.is_const, s.type.is_volatile);
  if (!have_type) {
    if (at(Tok::kIdentifier)) {
      const Token* start = cur_;
      NameRef ref;
      if (kind(1) != Tok::kColonColon || !try_name(ref) || !ref.decls.empty()) ref.name = start->ident;
      cur_ = start;
      error_here(undeclared(ref, message::kNotType));
      advance();
      if (at(Tok::kLess)) skip_angles();
      while (accept(Tok::kColonColon)) {
        advance();
        if (at(Tok::kLess)) skip_angles();
      }
    } else {
      error_here(message::kTypeMissing());
    }
    s.type = sema_.basic(TypeKind::kError);
  }
  return s;
}

// ---- declarators

QualType Parser::array_suffix(QualType base) {
  // Extents are read left to right and applied right to left.
  constexpr int kNoParam = -1;
  struct Extent {
    uint64_t count = 0;
    int param = kNoParam;
    bool unsized = false;
  };
  std::vector<Extent> extents;
  while (at(Tok::kLBracket)) {
    advance();
    Extent e;
    if (at(Tok::kRBracket)) {
      e.unsized = true;
    } else {
      const Token* start = cur_;
      if (pattern_ && at(Tok::kIdentifier) && kind(1) == Tok::kRBracket) {
        auto found = sema_.lookup(peek().ident, scope_);
        if (!found.empty() && found[0]->kind == DeclKind::kValueParam) {
          auto* b = static_cast<BoundDecl*>(found[0]);
          if (b->pattern_index >= 0) e.param = b->pattern_index;
          if (b->arg.kind == TemplateArg::Kind::kParamValue) e.param = static_cast<int>(b->arg.value);
        }
      }
      if (e.param >= 0) {
        advance();
      } else if (pattern_) {
        Tentative attempt(sema_.diagnostics);
        Expr* x = assignment();
        auto v = sema_.constant_integer(x, false);
        if (v) {
          e.count = static_cast<uint64_t>(*v);
        } else {
          cur_ = start;
          skip_to({Tok::kRBracket});
          e.param = Type::kAnyExtent;
        }
      } else {
        Expr* x = assignment();
        if (x->kind == ExprKind::kError) {
          e.count = 1;
          skip_to({Tok::kRBracket});
        } else if (auto v = sema_.constant_integer(x)) {
          if (*v <= 0) sema_.error(x, message::kArrayEmpty(std::to_string(*v)));
          if (*v > (int64_t{1} << 40)) {
            sema_.error(x, message::kArrayTooLarge(std::to_string(*v)));
            e.count = 1;
          } else {
            e.count = static_cast<uint64_t>(std::max<int64_t>(1, *v));
          }
        } else {
          e.count = 1;
        }
      }
    }
    expect(Tok::kRBracket, message::kAfterExtent);
    extents.push_back(e);
  }
  for (auto it = extents.rbegin(); it != extents.rend(); ++it) {
    if (it->param != kNoParam) {
      base = sema_.types.array_of_param(base, it->param);
    } else if (it->unsized) {
      base = sema_.types.unsized_array(base);
    } else {
      const uint64_t each = std::max<uint64_t>(1, size_of(base));
      if (it->count > (uint64_t{1} << 40) / each) {
        sema_.error(loc(), message::kArrayBytesTooLarge());
        it->count = 1;
      }
      base = sema_.types.array(base, it->count);
    }
  }
  return base;
}

std::vector<QualType> Parser::parameter_types(bool& variadic, bool& ends_in_pack) {
  std::vector<QualType> types;
  advance();  // '('
  if (at(Tok::kw_void) && kind(1) == Tok::kRParen) advance();
  while (!at_end() && !at(Tok::kRParen)) {
    if (accept(Tok::kEllipsis)) {
      variadic = true;
      break;
    }
    TokenRange pattern;
    auto one = [&] {
      Specifiers s = specifiers();
      Declarator d = declarator(s.type);
      QualType t = d.type;
      if (t->is_array()) t = sema_.types.pointer(t->elem);
      types.push_back(t.unqualified());
      if (pattern_ && (d.is_pack || accept(Tok::kEllipsis))) ends_in_pack = true;
    };
    if (expansion_range(pattern)) {
      expand_pack(pattern, one);
    } else {
      one();
    }
    skip_default();
    if (!accept(Tok::kComma)) break;
  }
  expect(Tok::kRParen, message::kAfterParameters);
  return types;
}

QualType Parser::apply_suffixes(QualType base, Declarator& d) {
  if (at(Tok::kLBracket)) return array_suffix(base);
  if (at(Tok::kLParen)) {
    bool variadic = false;
    bool ends_in_pack = false;
    std::vector<QualType> params = parameter_types(variadic, ends_in_pack);
    while (at(Tok::kw_const) || at(Tok::kw_noexcept)) advance();
    if (accept(Tok::kArrow)) base = type_id();
    d.has_params = true;
    return sema_.types.function(base, std::move(params), variadic, ends_in_pack);
  }
  return base;
}

Parser::Declarator Parser::declarator(QualType base) {
  Declarator d;
  for (;;) {
    if (accept(Tok::kStar)) {
      base = sema_.types.pointer(base);
    } else if (accept(Tok::kAmp)) {
      base = sema_.types.lref(base);
    } else if (accept(Tok::kAmpAmp)) {
      base = sema_.types.rref(base);
    } else if (at(Tok::kw_const)) {
      base.is_const = true;
      advance();
    } else if (at(Tok::kw_volatile)) {
      base.is_volatile = true;
      advance();
    } else if (word_of(peek()) != Word::kNone) {
      Specifiers extra;
      attribute(extra);
      if (extra.is_restrict) d.is_restrict = true;
      if (extra.type.is_const) base.is_const = true;
    } else if (!in_template_args_ && accept(Tok::kEllipsis)) {
      d.is_pack = true;
    } else {
      break;
    }
  }
  if (at(Tok::kIdentifier) && kind(1) == Tok::kColonColon && kind(2) == Tok::kStar) {
    error_here(message::kMemberPointers());
    advance(3);
  }
  // ( declarator ): what follows the parentheses binds first.
  if (at(Tok::kLParen) &&
      (kind(1) == Tok::kStar || kind(1) == Tok::kAmp || kind(1) == Tok::kAmpAmp ||
       (kind(1) == Tok::kLParen && (kind(2) == Tok::kStar || kind(2) == Tok::kAmp)) ||
       (kind(1) == Tok::kIdentifier && kind(2) == Tok::kColonColon && kind(3) == Tok::kStar) ||
       (kind(1) == Tok::kIdentifier && kind(2) == Tok::kRParen && !d.name && kind(3) != Tok::kLBrace &&
        (kind(3) == Tok::kLBracket || kind(3) == Tok::kLParen)))) {
    const Token* open = cur_;
    skip_balanced();
    const Token* after = cur_;
    QualType outer = apply_suffixes(base, d);
    const Token* end_of_suffix = cur_;
    Parser inner(sema_, {open + 1, after - 1}, scope_, function_);
    inner.pattern_ = pattern_;
    Declarator nested = inner.declarator(outer);
    if (!inner.at_end()) inner.error_here(message::kDeclaratorNameMissing());  // as in `float(*this)`
    cur_ = end_of_suffix;
    nested.is_restrict |= d.is_restrict;
    nested.has_params = false;
    return nested;
  }
  d.loc = loc();
  if (at(Tok::kIdentifier)) {
    d.name = peek().ident;
    d.loc = loc();
    advance();
    // A::b as a declarator's name (static members defined out of line): the last name counts.
    while (at(Tok::kColonColon) || (at(Tok::kLess) && d.name != nullptr)) {
      const Token* here = cur_;
      if (at(Tok::kLess) && (!skip_angles() || !at(Tok::kColonColon))) {
        cur_ = here;
        break;
      }
      if (!accept(Tok::kColonColon) || !at(Tok::kIdentifier)) break;
      d.name = peek().ident;
      d.loc = loc();
      advance();
    }
  }
  while (at(Tok::kLBracket) && kind(1) == Tok::kLBracket) skip_balanced();
  d.type = base;
  if (at(Tok::kLBracket)) d.type = array_suffix(base);
  while (word_of(peek()) == Word::kAttribute || word_of(peek()) == Word::kAlign) {
    Specifiers extra;
    attribute(extra);
    if (extra.align) d.align = extra.align;
    d.is_packed |= extra.is_packed;
  }
  return d;
}

QualType Parser::type_id() {
  Specifiers s = specifiers();
  if (s.type->is_error()) return s.type;
  if (s.type->is(TypeKind::kAuto) && s.type->template_ != nullptr) {
    const std::string text = to_string(s.type.unqualified());
    sema_.error(s.loc, message::kTemplateArgumentsMissing(text, text));
    return sema_.basic(TypeKind::kError);
  }
  Declarator d = declarator(s.type);
  if (at(Tok::kLParen) && d.name == nullptr) d.type = apply_suffixes(d.type, d);  // float(float)
  if (d.name != nullptr) sema_.error(d.loc, message::kTypeDeclaresName(d.name->text));
  return d.type;
}

void Parser::skip_default() {
  if (!accept(Tok::kEqual)) return;
  while (!at_end() && !at(Tok::kComma) && !at(Tok::kRParen)) {
    if (at(Tok::kLess) && cur_ != nullptr && (cur_ - 1)->kind == Tok::kIdentifier && skip_angles()) continue;
    if (at(Tok::kLParen) || at(Tok::kLBrace) || at(Tok::kLBracket)) {
      skip_balanced();
    } else {
      advance();
    }
  }
}

}  // namespace quern::lang
