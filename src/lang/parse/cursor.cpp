#include "lang/parse/cursor.hpp"

#include <algorithm>

namespace quern::lang {

const Token Cursor::kEndToken;

void Cursor::skip_balanced() {
  // One counter for all kinds: the parser of the content reports broken nesting.
  int depth = 0;
  while (!at_end()) {
    switch (kind()) {
      case Tok::kLParen:
      case Tok::kLBrace:
      case Tok::kLBracket: ++depth; break;
      case Tok::kRParen:
      case Tok::kRBrace:
      case Tok::kRBracket: --depth; break;
      default: break;
    }
    advance();
    if (depth <= 0) return;
  }
}

bool Cursor::skip_angles() {
  const Token* start = cur_;
  int depth = 0;
  while (!at_end()) {
    switch (kind()) {
      case Tok::kLess:
        ++depth;
        advance();
        break;
      case Tok::kGreater:
        if (peek().glued && kind(1) == Tok::kEqual) {  // '>='
          advance(2);
          break;
        }
        advance();
        if (--depth == 0) return true;
        break;
      case Tok::kLParen:
      case Tok::kLBracket:
      case Tok::kLBrace: skip_balanced(); break;
      case Tok::kSemi:
      case Tok::kRParen:
      case Tok::kRBrace:
      case Tok::kRBracket: cur_ = start; return false;
      default: advance(); break;
    }
  }
  cur_ = start;
  return false;
}

void Cursor::skip_to(std::initializer_list<Tok> stops) {
  while (!at_end()) {
    if (std::find(stops.begin(), stops.end(), kind()) != stops.end()) return;
    switch (kind()) {
      case Tok::kLParen:
      case Tok::kLBrace:
      case Tok::kLBracket: skip_balanced(); break;
      default: advance(); break;
    }
  }
}

}  // namespace quern::lang
