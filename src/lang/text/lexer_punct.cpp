// Punctuators: longest match, except that '>' is always a single token (see token.hpp).
#include "lang/text/lexer.hpp"
#include "lang/text/splice.hpp"

namespace quern::lang {

namespace {

struct Match {
  Tok kind;
  int length;
};

Match match_less(const char* p) {
  if (p[1] == '<') {
    if (p[2] == '<') return {Tok::kLaunchOpen, 3};
    return p[2] == '=' ? Match{Tok::kLessLessEqual, 3} : Match{Tok::kLessLess, 2};
  }
  if (p[1] == '%') return {Tok::kLBrace, 2};  // digraphs; `<::` is '<' and '::'
  if (p[1] == ':' && (p[2] != ':' || p[3] == ':' || p[3] == '>')) return {Tok::kLBracket, 2};
  if (p[1] != '=') return {Tok::kLess, 1};
  return p[2] == '>' ? Match{Tok::kSpaceship, 3} : Match{Tok::kLessEqual, 2};
}

Match match_minus(const char* p) {
  if (p[1] == '>') return p[2] == '*' ? Match{Tok::kArrowStar, 3} : Match{Tok::kArrow, 2};
  if (p[1] == '-') return {Tok::kMinusMinus, 2};
  return p[1] == '=' ? Match{Tok::kMinusEqual, 2} : Match{Tok::kMinus, 1};
}

Match match_dot(const char* p) {
  if (p[1] == '.' && p[2] == '.') return {Tok::kEllipsis, 3};
  return p[1] == '*' ? Match{Tok::kDotStar, 2} : Match{Tok::kDot, 1};
}

// For an operator x that also exists as x= and, if `twice` is given, as xx.
Match match_compound(const char* p, Tok single, Tok equal, Tok twice = Tok::kEnd) {
  if (p[1] == '=') return {equal, 2};
  if (twice != Tok::kEnd && p[1] == *p) return {twice, 2};
  return {single, 1};
}

Match match(const char* p) {
  switch (*p) {
    case '(': return {Tok::kLParen, 1};
    case ')': return {Tok::kRParen, 1};
    case '{': return {Tok::kLBrace, 1};
    case '}': return {Tok::kRBrace, 1};
    case '[': return {Tok::kLBracket, 1};
    case ']': return {Tok::kRBracket, 1};
    case ';': return {Tok::kSemi, 1};
    case ',': return {Tok::kComma, 1};
    case '?': return {Tok::kQuestion, 1};
    case '~': return {Tok::kTilde, 1};
    case '>': return {Tok::kGreater, 1};
    case '<': return match_less(p);
    case '-': return match_minus(p);
    case '.': return match_dot(p);
    case ':':
      if (p[1] == '>') return {Tok::kRBracket, 2};
      return p[1] == ':' ? Match{Tok::kColonColon, 2} : Match{Tok::kColon, 1};
    case '#': return p[1] == '#' ? Match{Tok::kHashHash, 2} : Match{Tok::kHash, 1};
    case '+': return match_compound(p, Tok::kPlus, Tok::kPlusEqual, Tok::kPlusPlus);
    case '&': return match_compound(p, Tok::kAmp, Tok::kAmpEqual, Tok::kAmpAmp);
    case '|': return match_compound(p, Tok::kPipe, Tok::kPipeEqual, Tok::kPipePipe);
    case '*': return match_compound(p, Tok::kStar, Tok::kStarEqual);
    case '/': return match_compound(p, Tok::kSlash, Tok::kSlashEqual);
    case '%':
      if (p[1] == '>') return {Tok::kRBrace, 2};
      if (p[1] == ':') return p[2] == '%' && p[3] == ':' ? Match{Tok::kHashHash, 4} : Match{Tok::kHash, 2};
      return match_compound(p, Tok::kPercent, Tok::kPercentEqual);
    case '^': return match_compound(p, Tok::kCaret, Tok::kCaretEqual);
    case '!': return match_compound(p, Tok::kExclaim, Tok::kExclaimEqual);
    case '=': return match_compound(p, Tok::kEqual, Tok::kEqualEqual);
    default: return {Tok::kUnknown, 1};
  }
}

// Whether one of `(){}[];,?~`, which are never part of longer punctuators.
bool is_always_whole(Tok kind) {
  return (kind >= Tok::kLParen && kind <= Tok::kComma) || kind == Tok::kQuestion || kind == Tok::kTilde;
}

bool can_extend(char c) {
  for (const char* p = "=<>&|+-*.:#"; *p != '\0'; ++p) {
    if (c == *p) return true;
  }
  return c >= '0' && c <= '9';  // after a '.'
}

}  // namespace

void Lexer::lex_punctuator(Token& token, const char* start) {
  const Match found = match(start);
  const char* p = start + found.length;
  if (*p == '\\' && !is_always_whole(found.kind)) {
    const char* after = skip_splices(p, end_);
    if (after != p && after < end_ && can_extend(*after)) return lex_spliced(token, start);
  }
  cur_ = p;
  finish(token, found.kind, start);
  token.glued = found.kind == Tok::kGreater && (*p == '>' || *p == '=');
}

}  // namespace quern::lang
