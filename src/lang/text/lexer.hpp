// Bytes to preprocessing tokens, in one pass: line splices, comments, raw strings, and everything token.hpp
// names. It knows no macros; directives it knows only as "a newline ends this".
#pragma once

#include <string>
#include <string_view>

#include "lang/text/diagnostic.hpp"
#include "lang/text/token.hpp"

namespace quern::lang {

// What lexers of one compilation share. Does not own.
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

  // For text that is not at its own place in a file: all tokens get the position `at`.
  static Lexer at_fixed_place(const LexShared& shared, std::string_view text, SourceLoc at);

  // kEnd at the end of the text, and in a directive at the end of its line. An unterminated quote becomes a
  // kUnknown token that runs to the end of the line and starts with the quote: an error only for whoever uses
  // it.
  void next(Token& token);

  void begin_directive() { in_directive_ = true; }
  void end_directive();                   // passes over what is left of the line and its newline
  std::string_view rest_of_line() const;  // the raw text from here on, trimmed; does not move
  bool header_name(
      Token& token);  // <…> or "…" as one kString token with its delimiters; false: something else

  // For groups that a conditional leaves out: moves behind the next '#' that starts a line and begins its
  // directive. Must be called at the start of a line. False at the end of the text.
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
  bool raw_end_missing_ = false;  // a skipped raw string had no end: none is looked for again
};

}  // namespace quern::lang
