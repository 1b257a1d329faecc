// Primary expressions: literals, names, casts, sizeof.
#include <algorithm>

#include "lang/parse/messages.hpp"
#include "lang/parse/parser.hpp"
#include "lang/sema/constraint.hpp"
#include "lang/sema/deduce.hpp"
#include "lang/sema/messages.hpp"
#include "lang/sema/object_arg.hpp"
#include "lang/text/literal.hpp"

namespace quern::lang {

Parser::Operand Parser::primary() {
  Operand out;
  const SourceLoc at_loc = loc();
  switch (kind()) {
    case Tok::kNumber: out.expr = number_literal(); return out;
    case Tok::kString: out.expr = string_literal(); return out;
    case Tok::kChar: out.expr = char_literal(); return out;
    case Tok::kw_true:
    case Tok::kw_false:
      out.expr = sema_.bool_constant(at(Tok::kw_true), at_loc);
      out.expr->length = static_cast<uint32_t>(peek().text.size());
      advance();
      return out;
    case Tok::kw_nullptr:
      advance();
      out.expr = sema_.int_constant(sema_.basic(TypeKind::kNullPtr), 0, at_loc);
      return out;
    case Tok::kw_this: {
      advance();
      Expr* object = this_object(nullptr, at_loc);
      if (object == nullptr) {
        sema_.error(at_loc, 4, message::kThisOutsideMember());
        out.expr = sema_.error_expr(at_loc);
      } else {
        out.expr = sema_.unary(Tok::kAmp, object, at_loc);
      }
      return out;
    }
    case Tok::kLParen: out.expr = paren_or_cast(); return out;
    case Tok::kLBracket: out.expr = lambda(); return out;
    case Tok::kw_sizeof:
    case Tok::kw_alignof: out.expr = size_of_expr(); return out;
    case Tok::kw_static_cast:
    case Tok::kw_reinterpret_cast:
    case Tok::kw_const_cast:
    case Tok::kw_dynamic_cast: out.expr = named_cast(); return out;
    case Tok::kw_requires: out.expr = requires_expression(); return out;
    case Tok::kw_noexcept:
      advance();
      if (at(Tok::kLParen)) skip_balanced();
      out.expr = sema_.bool_constant(true, at_loc);
      return out;
    case Tok::kw_new: out.expr = new_expression(); return out;
    case Tok::kw_delete: out.expr = delete_expression(); return out;
    case Tok::kw_typeid:
      out.expr = error_here(message::kTypeid());
      skip_to({Tok::kSemi});
      return out;
    case Tok::kw_throw:
      out.expr = error_here(message::kExceptions());
      skip_to({Tok::kSemi});
      return out;
    case Tok::kw_asm:
      out.expr = error_here(message::kPtxAsValue());
      skip_to({Tok::kSemi});
      return out;
    case Tok::kIdentifier:
      switch (word_of(peek())) {
        case Word::kAsm:
          out.expr = error_here(message::kPtxAsValue());
          skip_to({Tok::kSemi});
          return out;
        case Word::kAlignof: out.expr = size_of_expr(); return out;
        case Word::kIgnored: advance(); return primary();
        default: break;
      }
      return name_operand();
    case Tok::kColonColon:
      if (kind(1) == Tok::kw_new || kind(1) == Tok::kw_delete) {
        advance();
        out.expr = at(Tok::kw_new) ? new_expression() : delete_expression();
        return out;
      }
      return name_operand();
    case Tok::kw_operator: return name_operand();
    default: break;
  }
  if (at_type()) {  // int(3), unsigned{4}, typename T::type(1)
    Specifiers s;
    s = specifiers();
    const QualType of = strip_ref(s.type);
    if (at(Tok::kColonColon) && of->is_class() &&
        sema_.complete_class(of->class_decl)) {  // decltype(x)::value
      advance();
      NameRef ref;
      if (name(ref, of->class_decl->members) && !ref.decls.empty() && !ref.type) return decls_operand(ref);
    }
    out.expr = type_operand(s.type, at_loc);
    return out;
  }
  if (at_end()) {
    out.expr = error_here(message::kExpressionMissing());
  } else {
    const std::string text(peek().text);
    out.expr = error_here(message::kNotExpression(text));
  }
  return out;
}

// ---- literals

Expr* Parser::number_literal() {
  const Token& t = peek();
  const SourceLoc at_loc = t.loc;
  NumberLiteral n = decode_number(t.text);
  const auto length = static_cast<uint32_t>(t.text.size());
  advance();
  if (const size_t suffix = t.text.find('_'); suffix != std::string_view::npos)
    return user_literal(t, suffix);
  if (n.error) {
    sema_.error(at_loc, length, *n.error);
    return sema_.error_expr(at_loc);
  }
  Expr* e;
  if (n.is_float) {
    e = sema_.float_constant(sema_.basic(n.is_float_suffix ? TypeKind::kFloat : TypeKind::kDouble), n.real,
                             at_loc);
  } else {
    if (n.overflow) sema_.error(at_loc, length, message::kNumberTooLarge());
    TypeKind k;
    const bool fits_int = n.value <= INT32_MAX;
    const bool fits_uint = n.value <= UINT32_MAX;
    const bool fits_long = n.value <= INT64_MAX;
    if (n.is_size || (n.longs > 0 && n.is_unsigned)) {
      k = n.longs >= 2 ? TypeKind::kULongLong : TypeKind::kULong;
    } else if (n.is_unsigned) {
      k = fits_uint ? TypeKind::kUInt : TypeKind::kULong;
    } else if (n.longs > 0) {
      k = fits_long ? (n.longs >= 2 ? TypeKind::kLongLong : TypeKind::kLong)
                    : (n.longs >= 2 ? TypeKind::kULongLong : TypeKind::kULong);
    } else if (fits_int) {
      k = TypeKind::kInt;
    } else if (fits_uint && !n.is_decimal) {
      k = TypeKind::kUInt;
    } else {
      k = fits_long ? TypeKind::kLong : TypeKind::kULong;
    }
    e = sema_.int_constant(sema_.basic(k), n.value, at_loc);
  }
  e->length = length;
  return e;
}

// 12_km: a call of operator""_km with the number before it.
Expr* Parser::user_literal(const Token& t, size_t suffix) {
  const NumberLiteral n = decode_number(t.text.substr(0, suffix));
  const std::string name(t.text.substr(suffix));
  const auto length = static_cast<uint32_t>(t.text.size());
  OverloadSet set;
  set.name = sema_.idents.get("operator\"\"" + name);
  set.candidates = sema_.lookup(set.name, scope_);
  set.loc = t.loc;
  set.length = length;
  if (n.error || set.candidates.empty()) {
    sema_.error(t.loc, length, n.error ? *n.error : message::kNoLiteralOperator(name));
    return sema_.error_expr(t.loc);
  }
  Expr* value = n.is_float ? sema_.float_constant(sema_.basic(TypeKind::kDouble), n.real, t.loc)
                           : sema_.int_constant(sema_.basic(TypeKind::kULongLong), n.value, t.loc);
  return sema_.call(set, {value}, t.loc);
}

Expr* Parser::string_literal() {
  const SourceLoc at_loc = loc();
  auto* e = sema_.make<StringExpr>();
  e->loc = at_loc;
  e->length = static_cast<uint32_t>(peek().text.size());
  e->is_lvalue = true;
  while (at(Tok::kString)) {
    StringLiteral s = decode_string(peek().text);
    if (s.prefix != LiteralPrefix::kNone && s.prefix != LiteralPrefix::kUtf8 && !s.error)
      s.error = message::kWideString();
    if (s.error) sema_.error(loc(), *s.error);
    e->text += s.bytes;
    advance();
  }
  e->type = sema_.types.array(sema_.basic(TypeKind::kChar).with_const(), e->text.size() + 1);
  return e;
}

Expr* Parser::char_literal() {
  const SourceLoc at_loc = loc();
  CharLiteral c = decode_char(peek().text);
  const auto length = static_cast<uint32_t>(peek().text.size());
  advance();
  if (c.error) {
    sema_.error(at_loc, length, *c.error);
    return sema_.error_expr(at_loc);
  }
  const bool plain = c.prefix == LiteralPrefix::kNone || c.prefix == LiteralPrefix::kUtf8;
  // char is signed: the byte's top bit is the sign.
  const uint64_t extended = c.value < 128 ? c.value : c.value | ~uint64_t{0xff};
  Expr* e = sema_.int_constant(sema_.basic(plain ? TypeKind::kChar : TypeKind::kInt),
                               plain ? extended : c.value, at_loc);
  e->length = length;
  return e;
}

// ---- parentheses and casts

Expr* Parser::paren_or_cast() {
  const SourceLoc at_loc = loc();
  bool is_fold = false;
  Expr* fold = fold_expression(is_fold);
  if (is_fold) return fold;
  const Token* open = cur_;
  advance();
  if (at_type()) {
    bool is_cast = false;
    {
      Tentative attempt(sema_.diagnostics);
      type_id();
      is_cast = !attempt.failed() && at(Tok::kRParen);
    }
    cur_ = open + 1;
    if (is_cast) {
      const QualType type = type_id();
      advance();                                                      // ')'
      if (at(Tok::kLBrace)) return sema_.init_list(type, *braced());  // a compound literal
      Expr* operand = unary();
      return sema_.c_style_cast(type, operand, at_loc);
    }
  }
  if (at(Tok::kLBrace)) {
    cur_ = open;
    return block_expression();
  }
  const int saved = no_greater_;
  no_greater_ = 0;
  Expr* e = expression();
  no_greater_ = saved;
  if (!accept(Tok::kRParen)) {
    error_here(message::kParenMissing());
    skip_to({Tok::kRParen, Tok::kSemi});
    accept(Tok::kRParen);
  }
  return e;
}

Expr* Parser::named_cast() {
  const Tok which = kind();
  const SourceLoc at_loc = loc();
  advance();
  if (which == Tok::kw_dynamic_cast) {
    Expr* e = error_here(message::kDynamicCast());
    if (at(Tok::kLess)) skip_angles();
    if (at(Tok::kLParen)) skip_balanced();
    return e;
  }
  if (!accept(Tok::kLess)) return error_here(message::kCastOpenMissing());
  const QualType type = type_id();
  expect(Tok::kGreater, message::kAfterCastType);
  expect(Tok::kLParen, message::kAfterCastType);
  const int saved = no_greater_;
  no_greater_ = 0;
  Expr* operand = at(Tok::kLBrace) ? sema_.init_list(type, *braced()) : expression();
  no_greater_ = saved;
  expect(Tok::kRParen, message::kAfterCastValue);
  return sema_.named_cast(which, type, operand, at_loc);
}

Expr* Parser::type_operand(QualType type, SourceLoc at_loc) {
  if (type->is(TypeKind::kAuto) && type->template_ != nullptr) return deduced_init(type, true, at_loc);
  if (at(Tok::kLBrace)) return sema_.init_list(type, *braced());
  if (!accept(Tok::kLParen)) {
    if (type->is_error()) return sema_.error_expr(at_loc);
    sema_.error(at_loc, message::kTypeAsValue(to_string(type)));
    return sema_.error_expr(at_loc);
  }
  std::vector<Expr*> args = arguments(Tok::kRParen);
  if (type->is_error()) return sema_.error_expr(at_loc);
  return sema_.functional_cast(type, std::move(args), at_loc);
}

Expr* Parser::size_of_expr() {
  const bool align = !at(Tok::kw_sizeof);
  const SourceLoc at_loc = loc();
  advance();
  if (!align && at(Tok::kEllipsis)) {  // sizeof...(pack)
    advance();
    expect(Tok::kLParen, message::kAfterSizeofPack);
    size_t count = 0;
    const Token* start = cur_;
    if (at(Tok::kIdentifier)) {
      advance();
      const auto saved = sema_.impl->pack_index;
      sema_.impl->pack_index.clear();
      packs_in({start, cur_}, count);
      sema_.impl->pack_index = saved;
    }
    expect(Tok::kRParen, message::kAfterPackName);
    return sema_.int_constant(sema_.basic(TypeKind::kULong), count, at_loc);
  }
  QualType type;
  if (at(Tok::kLParen)) {
    const Token* open = cur_;
    advance();
    if (at_type()) {
      type = type_id();
      // sizeof(T(…)) and sizeof(T)*2 start alike: the parenthesis must close here.
      if (!at(Tok::kRParen)) {
        cur_ = open;
        type = unary()->type;
      } else {
        advance();
      }
    } else {
      cur_ = open;
      type = unary()->type;
    }
  } else {
    type = unary()->type;
  }
  type = strip_ref(type);
  if (type->is_pattern) return error_here(message::kTemplateParameterSize());
  if (type->is_error() || !sema_.require_complete(type, at_loc)) return sema_.error_expr(at_loc);
  return sema_.int_constant(sema_.basic(TypeKind::kULong), align ? align_of(type) : size_of(type), at_loc);
}

// ---- names

namespace {

bool is_class_member(const Decl* d) {
  switch (d->kind) {
    case DeclKind::kField: return true;
    case DeclKind::kFunction: {
      const auto* f = static_cast<const FunctionDecl*>(d);
      return f->class_decl != nullptr && !f->is_friend;
    }
    case DeclKind::kTemplate: {
      const auto* t = static_cast<const TemplateDecl*>(d);
      return t->of == TemplateDecl::Of::kFunction && t->member_of != nullptr;
    }
    default: return false;
  }
}

}  // namespace

Parser::Operand Parser::name_operand() {
  Operand out;
  NameRef ref;
  if (!name(ref)) {
    out.expr = error_here(message::kNameMissing());
    advance();
    return out;
  }
  if (ref.type) {
    if (ref.type->is_error() && ref.decls.empty()) {
      if (at(Tok::kLParen)) skip_balanced();
      out.expr = sema_.error_expr(ref.loc);
      return out;
    }
    out.expr = type_operand(ref.type, ref.loc);
    return out;
  }
  if (!ref.decls.empty()) return decls_operand(ref);
  // Not declared: built-in names.
  const std::string_view text = ref.name->text;
  if (!ref.is_qualified) {
    if (Expr* index = sema_.index_variable(ref.name, ref.loc)) {
      index->length = ref.length;
      out.expr = index;
      return out;
    }
    if (text == "assert" && at(Tok::kLParen)) {
      out.expr = assert_call(ref.loc);
      return out;
    }
    if (text == "__func__" || text == "__FUNCTION__" || text == "__PRETTY_FUNCTION__") {
      auto* e = sema_.make<StringExpr>();
      e->text = function_ != nullptr && function_->name != nullptr ? std::string(function_->name->text) : "";
      e->loc = ref.loc;
      e->is_lvalue = true;
      e->type = sema_.types.array(sema_.basic(TypeKind::kChar).with_const(), e->text.size() + 1);
      out.expr = e;
      return out;
    }
    if (sema_.is_intrinsic(text)) {
      std::vector<TemplateArg> targs;
      if (at(Tok::kLess) && !template_args(targs)) {
        out.expr = sema_.error_expr(ref.loc);
        return out;
      }
      if (accept(Tok::kLParen)) {
        std::vector<Expr*> args = arguments(Tok::kRParen);
        out.expr = sema_.intrinsic(text, std::move(args), targs, ref.loc);
        return out;
      }
    }
  }
  if (at(Tok::kLParen) && !ref.is_qualified) {  // may still be found by argument-dependent lookup
    out.is_set = true;
    out.set.name = ref.name;
    out.set.loc = ref.loc;
    out.set.length = ref.length;
    return out;
  }
  sema_.error(ref.loc, ref.length, undeclared(ref, message::kNotDeclared));
  out.expr = sema_.error_expr(ref.loc);
  return out;
}

Parser::Operand Parser::decls_operand(NameRef& ref) {
  Operand out;
  Decl* d = ref.decls.front();
  if (is_class_member(d)) {
    ClassDecl* of = d->parent != nullptr ? d->parent->class_decl : nullptr;
    Expr* object = this_object(of, ref.loc);
    Expr* e = sema_.member_of_class(object, ref.decls, ref.loc, &out.set);
    if (e != nullptr) {
      e->length = ref.length;
      out.expr = e;
      return out;
    }
    out.is_set = true;
    out.set.name = ref.name;
    out.set.loc = ref.loc;
    out.set.length = ref.length;
    out.set.explicit_args = ref.args;
    out.set.has_explicit_args = ref.has_args;
    return out;
  }
  switch (d->kind) {
    case DeclKind::kVar: out.expr = var_operand(static_cast<VarDecl*>(d), ref); break;
    case DeclKind::kEnumConstant: {
      auto* c = static_cast<EnumConstantDecl*>(d);
      sema_.complete_enum(c->of);
      // While its enum is being parsed, an enumerator is a plain number.
      const bool busy = c->of->state == Lazy::kBusy;
      out.expr = sema_.int_constant(busy ? sema_.basic(TypeKind::kLong) : QualType(c->of->type),
                                    static_cast<uint64_t>(c->value), ref.loc);
      break;
    }
    case DeclKind::kFunction:
    case DeclKind::kTemplate: {
      if (d->kind == DeclKind::kTemplate && static_cast<TemplateDecl*>(d)->of == TemplateDecl::Of::kVar) {
        auto* t = static_cast<TemplateDecl*>(d);
        if (mentions_params(ref.args)) {
          sema_.error(ref.loc, ref.length, message::kTemplateParameterValue());
          out.expr = sema_.error_expr(ref.loc);
          break;
        }
        VarDecl* v = sema_.instantiate_var(t, ref.args, ref.loc);
        out.expr = v != nullptr ? var_operand(v, ref) : sema_.error_expr(ref.loc);
        break;
      }
      if (names_concept(ref)) {
        out.expr = concept_operand(static_cast<TemplateDecl*>(d), ref);
        break;
      }
      if (ref.template_ != nullptr && (at(Tok::kLParen) || at(Tok::kLBrace))) {
        out.expr = type_operand(sema_.types.class_to_deduce(ref.template_), ref.loc);
        break;
      }
      if (ref.template_ != nullptr) {
        sema_.error(ref.loc, ref.length, message::kTemplateArgumentsMissingHere(ref.name->text));
        out.expr = sema_.error_expr(ref.loc);
        if (at(Tok::kLParen)) skip_balanced();
        break;
      }
      out.is_set = true;
      out.set.candidates = ref.decls;
      out.set.is_qualified = ref.is_qualified;
      out.set.name = ref.name;
      out.set.loc = ref.loc;
      out.set.length = ref.length;
      out.set.explicit_args = ref.args;
      out.set.has_explicit_args = ref.has_args;
      return out;
    }
    case DeclKind::kValueParam:
    case DeclKind::kPackParam: {
      auto* b = static_cast<BoundDecl*>(d);
      TemplateArg arg = b->arg;
      if (d->kind == DeclKind::kPackParam && b->pattern_index < 0) {
        auto chosen = sema_.impl->pack_index.find(d);
        if (chosen == sema_.impl->pack_index.end() || chosen->second >= b->arg.pack.size()) {
          sema_.error(ref.loc, ref.length, message::kPackNotExpanded(ref.name->text));
          out.expr = sema_.error_expr(ref.loc);
          break;
        }
        arg = b->arg.pack[chosen->second];
      }
      if (arg.kind == TemplateArg::Kind::kFunction) {
        out.expr = sema_.function_ref(arg.function, ref.loc);
      } else if (arg.kind == TemplateArg::Kind::kObject) {
        out.expr = object_of(sema_, arg, ref.loc);
      } else if (arg.kind == TemplateArg::Kind::kValue && b->pattern_index < 0) {
        out.expr = sema_.int_constant(arg.type, static_cast<uint64_t>(arg.value), ref.loc);
      } else {  // in a pattern that is not deduced yet
        sema_.error(ref.loc, message::kTemplateParameterValue());
        out.expr = sema_.error_expr(ref.loc);
      }
      break;
    }
    case DeclKind::kNamespace:
      sema_.error(ref.loc, ref.length, message::kNamespaceAsValue(ref.name->text));
      out.expr = sema_.error_expr(ref.loc);
      break;
    default:
      sema_.error(ref.loc, ref.length, message::kNotValue(ref.name->text));
      out.expr = sema_.error_expr(ref.loc);
      break;
  }
  out.expr->length = ref.length;
  return out;
}

namespace {

// Device variables may point to each other and to themselves.
bool has_known_address(const VarDecl* var) {
  const bool is_on_device = var->storage == Storage::kDevice || var->storage == Storage::kConstant;
  return is_on_device && var->type && !has_auto(var->type);
}

}  // namespace

Expr* Parser::concept_operand(const TemplateDecl* t, const NameRef& ref) {
  std::vector<TemplateArg> args;
  if (mentions_params(ref.args)) {
    sema_.error(ref.loc, ref.length, message::kTemplateParameterValue());
    return sema_.error_expr(ref.loc);
  }
  if (!complete_args(sema_, t, ref.args, ref.loc, args)) return sema_.error_expr(ref.loc);
  return sema_.bool_constant(satisfies_concept(sema_, t, args), ref.loc);
}

Expr* Parser::var_operand(VarDecl* var, const NameRef& ref) {
  if (var->is_param_pack && (!var->pack.empty() || var->index == UINT32_MAX)) {
    auto chosen = sema_.impl->pack_index.find(var);
    if (chosen == sema_.impl->pack_index.end() || chosen->second >= var->pack.size()) {
      sema_.error(ref.loc, ref.length, message::kPackNotExpanded(ref.name->text));
      return sema_.error_expr(ref.loc);
    }
    var = var->pack[chosen->second];
  }
  if (var->state == Lazy::kBusy && !has_known_address(var)) {
    sema_.error(ref.loc, ref.length, message::kUsedInOwnInitializer(ref.name->text));
    return sema_.error_expr(ref.loc);
  }
  if (var->state != Lazy::kDone && var->state != Lazy::kBusy && !sema_.complete_var(var)) {
    return sema_.error_expr(ref.loc);
  }
  if (Expr* e = captured(var, ref.loc)) return e;
  return sema_.var_ref(var, ref.loc);
}

Expr* Parser::assert_call(SourceLoc at_loc) {
  const Token* open = cur_;
  skip_balanced();
  const Token* close = cur_;
  std::string text;
  for (const Token* t = open + 1; t + 1 < close; ++t) {
    if (t > open + 1 && t->space_before) text += ' ';
    text += t->text;
  }
  cur_ = open + 1;
  const int saved = no_greater_;
  no_greater_ = 0;
  Expr* condition = expression();
  no_greater_ = saved;
  cur_ = close;
  return sema_.assert_call(condition, std::move(text), at_loc);
}

}  // namespace quern::lang
