// Splits C++ text into pieces: names, comments, literals, single characters.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace quern::detail {

inline bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool is_space_char(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// A number is a name here, or several pieces.
class Stepper {
 public:
  enum class Kind { kEnd, kBlank, kLiteral, kName, kOther };

  explicit Stepper(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  std::string_view piece() const { return text_.substr(begin_, at_ - begin_); }

  Kind next() {
    begin_ = at_;
    if (at_ >= text_.size()) return Kind::kEnd;
    const char c = text_[at_];
    if (is_space_char(c) || (c == '\\' && next_is('\n'))) return advance(Kind::kBlank, 1);
    if (c == '/' && next_is('/')) return until("\n", Kind::kBlank);
    if (c == '/' && next_is('*')) return until("*/", Kind::kBlank, 2);
    if (c == '"' || (c == '\'' && !(at_ > 0 && is_name_char(text_[at_ - 1])))) return literal(c);
    if (!is_name_char(c)) return advance(Kind::kOther, 1);
    while (at_ < text_.size() && (is_name_char(text_[at_]) || digit_separator())) ++at_;
    if (at_ < text_.size() && text_[at_] == '"' && piece().ends_with('R')) return raw_literal();
    return Kind::kName;
  }

 private:
  bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }
  bool digit_separator() const {
    return text_[at_] == '\'' && std::isdigit(static_cast<unsigned char>(text_[begin_])) != 0 &&
           at_ + 1 < text_.size() && is_name_char(text_[at_ + 1]);
  }
  Kind advance(Kind kind, std::size_t count) {
    at_ += count;
    return kind;
  }
  Kind until(std::string_view end, Kind kind, std::size_t skip = 0) {
    const std::size_t found = text_.find(end, at_ + skip);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return kind;
  }
  Kind literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = at_ < text_.size() ? at_ + 1 : text_.size();
    return Kind::kLiteral;
  }
  Kind raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return advance(Kind::kOther, text_.size() - at_);
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    return until(end, Kind::kLiteral, open - at_);
  }

  std::string_view text_;
  std::size_t begin_ = 0, at_ = 0;
};

}  // namespace quern::detail
