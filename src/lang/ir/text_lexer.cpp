#include "lang/ir/text_lexer.hpp"

#include <algorithm>

namespace quern::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

void TextLexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

size_t TextLexer::word_end(size_t at) const {
  while (at < text_.size() && is_word_byte(text_[at])) ++at;
  return at;
}

// Digits, letters, points, and the sign of an exponent.
size_t TextLexer::number_end(size_t at) const {
  for (; at < text_.size(); ++at) {
    const char c = text_[at];
    if (is_word_byte(c) || c == '.') continue;
    const char before = static_cast<char>(text_[at - 1] | 0x20);
    if ((c != '+' && c != '-') || (before != 'e' && before != 'p')) break;
  }
  return at;
}

Token TextLexer::cut(TokenKind kind, size_t end) {
  const Token token{kind, text_.substr(at_, end - at_)};
  at_ = end;
  return token;
}

Token TextLexer::string() {
  for (size_t at = at_ + 1; at < text_.size() && text_[at] != '\n'; ++at) {
    if (text_[at] == '"') return cut(TokenKind::kString, at + 1);
    if (text_[at] == '\\') ++at;
  }
  return cut(TokenKind::kBad, at_ + 1);
}

Token TextLexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return {TokenKind::kEnd, text_.substr(text_.size())};
  const char c = text_[at_];
  const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (is_digit(c)) return cut(TokenKind::kNumber, number_end(at_ + 1));
  if (is_word_byte(c)) return cut(TokenKind::kWord, word_end(at_ + 1));
  if (c == '"') return string();
  if (c == '-' && after == '>') return cut(TokenKind::kArrow, at_ + 2);
  if (c == '-' && is_digit(after)) return cut(TokenKind::kNumber, number_end(at_ + 2));
  if (c == '-' && text_.substr(at_, 4) == "-inf") return cut(TokenKind::kNumber, word_end(at_ + 1));
  if (c == '@' && is_digit(after)) return cut(TokenKind::kPosition, at_ + 1);
  constexpr std::string_view kPunct = "{}()[]<>,:=%@.+";
  return cut(kPunct.find(c) != std::string_view::npos ? TokenKind::kPunct : TokenKind::kBad, at_ + 1);
}

bool unquote(std::string_view token, std::string& out) {
  out.clear();
  token = token.substr(1, token.size() - 2);
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\') {
      out += token[i];
      continue;
    }
    ++i;  // the lexer ensured that a byte follows
    switch (token[i]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case '"':
      case '\\': out += token[i]; break;
      case 'x': {
        const int high = i + 2 < token.size() ? hex_digit(token[i + 1]) : -1;
        const int low = i + 2 < token.size() ? hex_digit(token[i + 2]) : -1;
        if (high < 0 || low < 0) return false;
        out += static_cast<char>(high * 16 + low);
        i += 2;
        break;
      }
      default: return false;
    }
  }
  return true;
}

void locate(std::string_view text, size_t offset, uint32_t& line, uint32_t& column) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  column = static_cast<uint32_t>(before.size() - start + 1);
}

}  // namespace quern::ir
