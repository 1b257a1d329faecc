// Converts bytes to preprocessing tokens in one pass: line splices, comments, raw strings, and everything in
// token.hpp. It does not know macros; of directives it only knows that a newline ends them.
#pragma once

#include <string>
#include <string_view>

#include "lang/text/diagnostic.hpp"
#include "lang/text/token.hpp"

namespace quern::lang {

// State shared by the lexers of one compilation. Non-owning.
struct LexShared {
  SourceMap& sources;
  IdentTable& idents;
  Diagnostics& diagnostics;
};

class Lexer {
 public:
  // `text` must live as long as the tokens and must be followed by a NUL byte (std::string's and
  // SourceMap::keep's are).
  Lexer(const LexShared& shared, std::string_view text, SourceLoc base);

  // For text that has no position in a file: all tokens get the position `at`.
  static Lexer at_fixed_place(const LexShared& shared, std::string_view text, SourceLoc at);

  // kEnd at the end of the text, and in a directive at the end of its line. An unterminated quote becomes a
  // kUnknown token that extends to the end of the line and starts with the quote: an error only if it is
  // used.
  void next(Token& token);

  void begin_directive() { in_directive_ = true; }
  void end_directive();                   // skips the rest of the line and its newline
  std::string_view rest_of_line() const;  // the raw text from here on, trimmed; does not move
  bool header_name(
      Token& token);  // <…> or "…" as one kString token with its delimiters; false: something else

  // For groups that a conditional excludes: moves past the next '#' that starts a line and begins its
  // directive. Must be called at the start of a line. Returns false at the end of the text.
  bool skip_to_directive();

  void stop();  // moves to the end of the text
  bool at_text_end() const { return cur_ == end_; }

 private:
  SourceLoc loc_of(const char* p) const;
  bool skip_blank(Token& token);
  void skip_block_comment(const char* start, const char* body);
  void skip_line_comment();
  void skip_rest_of_line();
  bool skip_quoted(char quote);

  void lex_identifier(Token& token, const char* start);
  void lex_number(Token& token, const char* start);
  void lex_quoted(Token& token, const char* start);
  void lex_raw_string(Token& token, const char* start);
  void lex_unicode(Token& token, const char* start);
  void lex_punctuator(Token& token, const char* start);
  void lex_spliced(Token& token, const char* start);
  void finish(Token& token, Tok kind, const char* start);
  const char* find_raw_end(const char* quote) const;

  LexShared shared_;
  const char* begin_;
  const char* cur_;
  const char* end_;
  SourceLoc base_;
  bool fixed_ = false;
  bool in_directive_ = false;
  bool line_start_ = true;
  bool raw_end_missing_ = false;  // a skipped raw string was unterminated: the search is not repeated
};

}  // namespace quern::lang
