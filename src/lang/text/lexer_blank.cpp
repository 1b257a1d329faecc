// The part of the lexer that moves between tokens: white space, comments, whole lines and skipped groups.
#include <cstring>

#include "lang/text/char_class.hpp"
#include "lang/text/lexer.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/splice.hpp"

namespace quern::lang {

// Moves to the next token's first byte and records space_before. False if there is none: at the end of the
// text or, in a directive, of the line.
bool Lexer::skip_blank(Token& token) {
  for (;;) {
    const char c = *cur_;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++cur_;
    } else if (c == '\n') {
      if (in_directive_) return false;
      ++cur_;
      line_start_ = true;
    } else if (c == '/') {
      const char* second = cur_[1] == '\\' ? skip_splices(cur_ + 1, end_) : cur_ + 1;
      if (*second == '/') {
        skip_line_comment();
      } else if (*second == '*') {
        skip_block_comment(cur_, second + 1);
      } else {
        return cur_ < end_;
      }
    } else if (c == '\\') {
      const char* after = skip_splices(cur_, end_);
      if (after == cur_) return cur_ < end_;
      cur_ = after;
    } else if (c == '\0') {
      if (cur_ >= end_) {
        cur_ = end_;
        return false;
      }
      ++cur_;
    } else {
      return cur_ < end_;
    }
    token.space_before = true;
  }
}

// Stops at the newline, which is not part of the comment.
void Lexer::skip_line_comment() {
  for (;;) {
    const void* newline = std::memchr(cur_, '\n', static_cast<size_t>(end_ - cur_));
    if (newline == nullptr) {
      cur_ = end_;
      return;
    }
    const char* at = static_cast<const char*>(newline);
    const bool spliced = is_spliced_newline(at, cur_);
    cur_ = at;
    if (!spliced) return;
    ++cur_;
  }
}

void Lexer::skip_block_comment(const char* start, const char* body) {
  const char* p = body;
  while (p < end_) {
    const void* star = std::memchr(p, '*', static_cast<size_t>(end_ - p));
    if (star == nullptr) break;
    p = static_cast<const char*>(star) + 1;
    if (*skip_splices(p, end_) == '/' && skip_splices(p, end_) < end_) {
      cur_ = skip_splices(p, end_) + 1;
      return;
    }
  }
  shared_.diagnostics.error(loc_of(start), 2, message::kCommentNotClosed());
  cur_ = end_;
}

// Skips a quoted text that ends on its line; otherwise nothing.
bool Lexer::skip_quoted(char quote) {
  for (const char* p = cur_ + 1; p < end_ && *p != '\n'; ++p) {
    if (*p == quote) {
      cur_ = p + 1;
      return true;
    }
    if (*p == '\\' && p + 1 < end_) p = skip_splices(p, end_) != p ? skip_splices(p, end_) - 1 : p + 1;
  }
  return false;
}

// Moves past the end of the logical line, over comments and quotes but without creating tokens. An unmatched
// quote (an apostrophe in prose) is skipped, and the rest of its line is not searched again.
void Lexer::skip_rest_of_line() {
  bool lone_double = false;
  bool lone_single = false;
  for (;;) {
    while (!is_char(*cur_, kCharSkipStop)) ++cur_;
    if (cur_ >= end_) {
      cur_ = end_;
      return;
    }
    const char c = *cur_;
    if (c == '\n') {
      const bool spliced = is_spliced_newline(cur_, begin_);
      ++cur_;
      if (!spliced) return;
    } else if (c == '/') {
      const char* second = skip_splices(cur_ + 1, end_);
      if (*second == '/') {
        skip_line_comment();
      } else if (*second == '*') {
        skip_block_comment(cur_, second + 1);
      } else {
        ++cur_;
      }
    } else if (c == '"' && cur_ != begin_ && cur_[-1] == 'R' && !raw_end_missing_) {
      const char* after = find_raw_end(cur_);
      raw_end_missing_ = after == nullptr;
      cur_ = after != nullptr ? after : cur_ + 1;
    } else if (c == '"' || c == '\'') {
      bool& lone = c == '"' ? lone_double : lone_single;
      if (lone || !skip_quoted(c)) {
        lone = true;
        ++cur_;
      }
    } else {
      ++cur_;
    }
  }
}

void Lexer::end_directive() {
  in_directive_ = false;
  skip_rest_of_line();
  line_start_ = true;
}

bool Lexer::skip_to_directive() {
  in_directive_ = false;
  for (;;) {
    Token ignored;
    if (!skip_blank(ignored)) return false;
    if (*cur_ == '#') {
      ++cur_;
      in_directive_ = true;
      line_start_ = false;
      return true;
    }
    skip_rest_of_line();
  }
}

std::string_view Lexer::rest_of_line() const {
  const char* start = cur_;
  const char* p = start;
  while (p < end_ && (*p != '\n' || is_spliced_newline(p, start))) ++p;
  while (p != start && is_char(p[-1], kCharBlank)) --p;
  while (start != p && is_char(*start, kCharBlank)) ++start;
  return {start, static_cast<size_t>(p - start)};
}

bool Lexer::header_name(Token& token) {
  token = Token{};
  if (!skip_blank(token)) return false;
  const char* start = cur_;
  if (*start != '<' && *start != '"') return false;
  const char close = *start == '<' ? '>' : '"';
  const char* p = start + 1;
  while (p < end_ && *p != close && *p != '\n') ++p;
  if (p >= end_ || *p != close) return false;
  cur_ = p + 1;
  token.loc = loc_of(start);
  finish(token, Tok::kString, start);
  return true;
}

}  // namespace quern::lang
