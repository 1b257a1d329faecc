// Tokens of the IR's text form. Line breaks are white space; // starts a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quern::ir {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,      // letters, digits, _
  kNumber,    // starts with a digit, or - and a digit, or -inf
  kString,    // with its quotes
  kArrow,     // ->
  kPosition,  // an @ followed by a digit
  kPunct,     // one character
  kBad,       // a byte that starts no token, or an unterminated string
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  bool is(char c) const { return kind == TokenKind::kPunct && text[0] == c; }
  bool is(std::string_view word) const { return kind == TokenKind::kWord && text == word; }
};

// The text must outlive the lexer and its tokens.
class TextLexer {
 public:
  explicit TextLexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  void skip_blanks();
  size_t word_end(size_t at) const;
  size_t number_end(size_t at) const;
  Token string();
  Token cut(TokenKind kind, size_t end);

  std::string_view text_;
  size_t at_ = 0;
};

// The bytes of a string token; false when an escape is malformed.
bool unquote(std::string_view token, std::string& out);

// Line and column of `offset`, both from 1; columns count bytes.
void locate(std::string_view text, size_t offset, uint32_t& line, uint32_t& column);

}  // namespace quern::ir
