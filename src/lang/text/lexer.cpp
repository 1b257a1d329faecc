#include "lang/text/lexer.hpp"

#include <algorithm>
#include <cstring>

#include "lang/text/char_class.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/splice.hpp"
#include "lang/text/utf8.hpp"

namespace quern::lang {

namespace {

constexpr int kIdentChar = kCharIdentStart | kCharDigit;

// Non-ASCII letters that are allowed in names. Typographic quotes, spaces and invisible characters are not:
// they are copy-and-paste mistakes, which are easier to find if reported.
bool is_name_code_point(uint32_t c) {
  if (c < 0x00C0)
    return c == 0x00AA || c == 0x00B2 || c == 0x00B3 || c == 0x00B5 || c == 0x00B9 || c == 0x00BA;
  if (c < 0x2000) return c != 0x00D7 && c != 0x00F7 && c != 0x1680 && c != 0x180E;
  if (c < 0x3000) return (c >= 0x2070 && c < 0x2190) || (c >= 0x2C00 && c < 0x2E00) || c >= 0x2E80;
  if (c < 0xE000) return c > 0x3003 && (c < 0x3008 || c > 0x3020);
  if (c < 0xFF00) return c >= 0xF900 && c != 0xFEFF;
  return c != 0xFF08 && c != 0xFF09 && c != 0xFF0C && c != 0xFF1B && (c < 0xFFF0 || c > 0xFFFF);
}

const char* skip_name_chars(const char* p, const char* end) {
  for (;;) {
    while (is_char(*p, kIdentChar)) ++p;
    if (!is_char(*p, kCharHigh)) return p;
    const CodePoint c = decode_utf8({p, static_cast<size_t>(end - p)});
    if (c.bytes == 0 || !is_name_code_point(c.value)) return p;
    p += c.bytes;
  }
}

// Whether [start, end) is an encoding prefix that a quote may follow: u8 u U L, each with R or R alone.
bool is_literal_prefix(const char* start, const char* end, bool* raw) {
  std::string_view text(start, static_cast<size_t>(end - start));
  if (text.size() > 3) return false;
  *raw = !text.empty() && text.back() == 'R';
  if (*raw) text.remove_suffix(1);
  return text == "u8" || text == "u" || text == "U" || text == "L" || (*raw && text.empty());
}

}  // namespace

Lexer::Lexer(const LexShared& shared, std::string_view text, SourceLoc base)
    : shared_(shared), begin_(text.data()), cur_(begin_), end_(begin_ + text.size()), base_(base) {
  if (text.starts_with("\xEF\xBB\xBF")) cur_ += 3;  // a byte order mark
}

Lexer Lexer::at_fixed_place(const LexShared& shared, std::string_view text, SourceLoc at) {
  Lexer lexer(shared, text, at);
  lexer.fixed_ = true;
  return lexer;
}

SourceLoc Lexer::loc_of(const char* p) const {
  return fixed_ ? base_ : SourceLoc{base_.offset + static_cast<uint32_t>(p - begin_)};
}

void Lexer::stop() { cur_ = end_; }

void Lexer::finish(Token& token, Tok kind, const char* start) {
  token.kind = kind;
  token.text = {start, static_cast<size_t>(cur_ - start)};
}

void Lexer::next(Token& token) {
  token = Token{};
  if (!skip_blank(token)) {
    token.loc = loc_of(cur_);
    return;
  }
  token.line_start = line_start_;
  line_start_ = false;
  const char* start = cur_;
  token.loc = loc_of(start);
  const uint8_t cls = kCharTable[static_cast<unsigned char>(*start)];
  if (cls & kCharIdentStart) return lex_identifier(token, start);
  if (cls & kCharDigit) return lex_number(token, start);
  if (cls & kCharQuote) return lex_quoted(token, start);
  if (cls & kCharHigh) return lex_unicode(token, start);
  if (*start == '.' && is_char(start[1], kCharDigit)) return lex_number(token, start);
  lex_punctuator(token, start);
}

void Lexer::lex_identifier(Token& token, const char* start) {
  const char* p = start;
  while (is_char(*p, kIdentChar)) ++p;
  if (is_char(*p, kCharHigh)) p = skip_name_chars(p, end_);
  if (*p == '\\') {
    const char* after = skip_splices(p, end_);
    if (after != p && (is_char(*after, kIdentChar | kCharHigh) || is_char(*after, kCharQuote))) {
      return lex_spliced(token, start);
    }
  }
  if (is_char(*p, kCharQuote)) {
    bool raw = false;
    if (is_literal_prefix(start, p, &raw)) {
      cur_ = p;
      if (!raw) return lex_quoted(token, start);
      if (*p == '"') return lex_raw_string(token, start);
    }
  }
  cur_ = p;
  finish(token, Tok::kIdentifier, start);
  token.ident = shared_.idents.get(token.text);
  token.kind = token.ident->keyword;
  if (token.kind != Tok::kIdentifier && token.kind < Tok::kw_alignas)
    token.ident = nullptr;  // `and`, `or`, …
}

// A pp-number, which includes more than valid numbers: its user decides what it means.
void Lexer::lex_number(Token& token, const char* start) {
  const char* p = start;
  for (;;) {
    const char c = *p;
    if (is_char(c, kIdentChar)) {
      const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      p += exponent && (p[1] == '+' || p[1] == '-') ? 2 : 1;
    } else if (c == '.') {
      ++p;
    } else if (c == '\'' && is_char(p[1], kIdentChar)) {
      p += 2;
    } else {
      break;
    }
  }
  if (*p == '\\') {
    const char* after = skip_splices(p, end_);
    const bool sign_may_follow = p[-1] == 'e' || p[-1] == 'E' || p[-1] == 'p' || p[-1] == 'P';
    if (after != p && (is_char(*after, kIdentChar) || *after == '.' || *after == '\'' ||
                       (sign_may_follow && (*after == '+' || *after == '-')))) {
      return lex_spliced(token, start);
    }
  }
  cur_ = p;
  finish(token, Tok::kNumber, start);
}

// cur_ is at the quote; start may be before it, at a prefix.
void Lexer::lex_quoted(Token& token, const char* start) {
  const char quote = *cur_;
  const char* p = cur_ + 1;
  for (;;) {
    if (*p == quote) {
      cur_ = p + 1;
      return finish(token, quote == '"' ? Tok::kString : Tok::kChar, start);
    }
    if (p >= end_ || *p == '\n') break;
    if (*p == '\\') {
      if (skip_splices(p, end_) != p) return lex_spliced(token, start);
      if (p + 1 < end_ && p[1] != '\n') ++p;
    }
    ++p;
  }
  cur_ = p;
  finish(token, Tok::kUnknown, start);
  if (token.text.ends_with('\r')) token.text.remove_suffix(1);
}

// The end of the raw string whose '"' is at `quote`, or nullptr if it is unterminated.
const char* Lexer::find_raw_end(const char* quote) const {
  constexpr ptrdiff_t kLongestDelimiter = 16;
  const char* open = quote + 1;
  while (open < end_ && *open != '(' && open - quote <= kLongestDelimiter + 1 && !is_char(*open, kCharBlank))
    ++open;
  if (open >= end_ || *open != '(') return nullptr;
  std::string close = ")";
  close.append(quote + 1, open).append("\"");
  const std::string_view rest(open, static_cast<size_t>(end_ - open));
  const size_t at = rest.find(close);
  return at == std::string_view::npos ? nullptr : open + at + close.size();
}

void Lexer::lex_raw_string(Token& token, const char* start) {
  if (const char* end = find_raw_end(cur_)) {
    cur_ = end;
    return finish(token, Tok::kString, start);
  }
  shared_.diagnostics.error(token.loc, static_cast<uint32_t>(cur_ + 1 - start),
                            message::kRawStringNotClosed());
  cur_ = end_;
  finish(token, Tok::kUnknown, start);
}

void Lexer::lex_unicode(Token& token, const char* start) {
  const CodePoint c = decode_utf8({start, static_cast<size_t>(end_ - start)});
  if (c.bytes != 0 && is_name_code_point(c.value)) return lex_identifier(token, start);
  cur_ = start + std::max(c.bytes, 1u);
  finish(token, Tok::kUnknown, start);
}

// A token with a line splice inside is lexed from a copy without splices. This is rare, so the copy may be
// slow; it grows until the token ends inside it, which keeps long spliced strings linear.
void Lexer::lex_spliced(Token& token, const char* start) {
  std::string clean;
  for (size_t want = 64;; want *= 4) {
    const char* p = start;
    clean.clear();
    while (clean.size() < want && p < end_) {
      const char* after = *p == '\\' ? skip_splices(p, end_) : p;
      if (after != p) {
        p = after;
        continue;
      }
      if (*p == '\n') break;
      clean += *p++;
    }
    Lexer part = at_fixed_place(shared_, clean, token.loc);
    Token inner;
    part.next(inner);
    const auto used = static_cast<size_t>(part.cur_ - part.begin_);
    if (used == clean.size() && p < end_ && *p != '\n') continue;
    token.kind = inner.kind;
    token.ident = inner.ident;
    token.glued = inner.glued;
    token.text = inner.ident != nullptr ? inner.ident->text : shared_.sources.keep(inner.text);
    cur_ = start;
    for (size_t i = 0; i < used; ++i) cur_ = skip_splices(cur_, end_) + 1;
    return;
  }
}

}  // namespace quern::lang
