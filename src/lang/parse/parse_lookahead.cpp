// Distinguishes types from values, and declarations from expressions.
#include "lang/parse/parser.hpp"

namespace quern::lang {

// int, unsigned, …
bool is_basic_type_keyword(Tok k) {
  switch (k) {
    case Tok::kw_void:
    case Tok::kw_bool:
    case Tok::kw_char:
    case Tok::kw_short:
    case Tok::kw_int:
    case Tok::kw_long:
    case Tok::kw_float:
    case Tok::kw_double:
    case Tok::kw_signed:
    case Tok::kw_unsigned: return true;
    default: return false;
  }
}

// ---- distinguishing types from values

bool Parser::at_type() {
  const Tok k = kind();
  if (is_basic_type_keyword(k)) return true;
  switch (k) {
    case Tok::kw_const:
    case Tok::kw_volatile:
    case Tok::kw_struct:
    case Tok::kw_class:
    case Tok::kw_union:
    case Tok::kw_enum:
    case Tok::kw_auto:
    case Tok::kw_typename:
    case Tok::kw_decltype: return true;
    case Tok::kIdentifier:
    case Tok::kColonColon: break;
    default: return false;
  }
  const Word w = word_of(peek());
  if (w == Word::kTypeof || w == Word::kConst || w == Word::kVolatile) return true;
  if (w != Word::kNone) return false;
  const Token* start = cur_;
  NameRef ref;
  const bool read = try_name(ref);
  const bool is_constrained_auto = at(Tok::kw_auto) && names_concept(ref);
  cur_ = start;
  return read && (is_constrained_auto || (ref.type && !ref.type->is_error()));
}

// `(*name)(`, `(*name)[` or `(*name[3])(`: the declarator of a pointer to a function or array, not the
// argument of a cast.
bool Parser::at_paren_declarator(size_t at_paren) const {
  const Tok mark = kind(at_paren + 1);
  if (mark == Tok::kIdentifier && kind(at_paren + 2) == Tok::kColonColon && kind(at_paren + 3) == Tok::kStar)
    return true;
  if (mark != Tok::kStar && mark != Tok::kAmp) return false;
  size_t next = at_paren + (kind(at_paren + 2) == Tok::kw_const ? 3 : 2);
  if (kind(next++) != Tok::kIdentifier) return false;
  while (kind(next) == Tok::kLBracket) {
    while (kind(next) != Tok::kRBracket && kind(next) != Tok::kSemi && kind(next) != Tok::kEnd) ++next;
    ++next;
  }
  const Tok after = kind(next + 1);
  return kind(next) == Tok::kRParen && (after == Tok::kLParen || after == Tok::kLBracket);
}

bool Parser::at_declaration() {
  const Tok k = kind();
  if (is_basic_type_keyword(k)) {
    if (kind(1) == Tok::kLParen) return at_paren_declarator(1);
    return kind(1) != Tok::kLBrace;
  }
  switch (k) {
    case Tok::kw_const:
    case Tok::kw_volatile:
    case Tok::kw_struct:
    case Tok::kw_class:
    case Tok::kw_union:
    case Tok::kw_enum:
    case Tok::kw_auto:
    case Tok::kw_static:
    case Tok::kw_constexpr:
    case Tok::kw_typedef:
    case Tok::kw_using:
    case Tok::kw_register:
    case Tok::kw_extern:
    case Tok::kw_static_assert:
    case Tok::kw_inline:
    case Tok::kw_decltype:
    case Tok::kw_alignas:
    case Tok::kw_typename:
    case Tok::kw_namespace:
    case Tok::kw_thread_local: return true;
    case Tok::kLBracket: return kind(1) == Tok::kLBracket;
    case Tok::kIdentifier:
    case Tok::kColonColon: break;
    default: return false;
  }
  const Word w = word_of(peek());
  if (w != Word::kNone)
    return w != Word::kUnroll && w != Word::kAsm && w != Word::kAlignof && w != Word::kIgnored;
  switch (kind(1)) {
    case Tok::kIdentifier: {
      // `Unknown x` is a declaration with an error; `a b` is never an expression.
      return true;
    }
    case Tok::kStar:
    case Tok::kAmp:
    case Tok::kAmpAmp:
    case Tok::kLess:
    case Tok::kColonColon:
    case Tok::kw_const:
    case Tok::kw_volatile:
    case Tok::kw_auto:
    case Tok::kLParen: break;
    default:
      if (k == Tok::kColonColon) break;
      return false;
  }
  const Token* start = cur_;
  NameRef ref;
  bool is_type = try_name(ref) && ref.type;
  if (!ref.type && ref.template_ != nullptr && at(Tok::kIdentifier)) is_type = true;  // std::pair p(1, 2)
  if (at(Tok::kw_auto) && names_concept(ref)) {
    cur_ = start;
    return true;
  }
  if (is_type) {
    switch (kind()) {
      case Tok::kIdentifier:
      case Tok::kw_const:
      case Tok::kw_volatile:
      case Tok::kEllipsis: break;
      case Tok::kStar:
      case Tok::kAmp:
      case Tok::kAmpAmp: break;
      case Tok::kLParen: is_type = at_paren_declarator(0); break;
      default: is_type = false; break;
    }
  }
  cur_ = start;
  return is_type;
}

}  // namespace quern::lang
