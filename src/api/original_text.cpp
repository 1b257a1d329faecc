#include "api/original_text.hpp"

#include <cctype>

namespace quern::detail {

namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Steps through C++ text in pieces: names, comments, literals, single characters.
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
    if (is_space(c) || (c == '\\' && next_is('\n'))) return advance(Kind::kBlank, 1);
    if (c == '/' && next_is('/')) return until("\n", Kind::kBlank);
    if (c == '/' && next_is('*')) return until("*/", Kind::kBlank, 2);
    if (c == '"' || (c == '\'' && !(at_ > 0 && is_name(text_[at_ - 1])))) return literal(c);
    if (!is_name(c)) return advance(Kind::kOther, 1);
    while (at_ < text_.size() && (is_name(text_[at_]) || digit_separator())) ++at_;
    if (at_ < text_.size() && text_[at_] == '"' && piece().ends_with('R')) return raw_literal();
    return Kind::kName;
  }

 private:
  bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }
  bool digit_separator() const {
    return text_[at_] == '\'' && std::isdigit(static_cast<unsigned char>(text_[begin_])) != 0 &&
           at_ + 1 < text_.size() && is_name(text_[at_ + 1]);
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

// Reads "( … )" behind a macro's name; false when there is none.
bool read_arguments(Stepper& step, MacroUse& use) {
  int depth = 0;
  for (;;) {
    const Stepper::Kind kind = step.next();
    if (kind == Stepper::Kind::kEnd) return false;
    if (kind == Stepper::Kind::kBlank) continue;
    const std::string_view piece = step.piece();
    const bool opens = kind == Stepper::Kind::kOther && piece == "(";
    const bool closes = kind == Stepper::Kind::kOther && piece == ")";
    if (depth == 0 && !opens) return false;
    if (closes && --depth == 0) {
      use.end = step.at();
      return true;
    }
    if (depth > 0) use.arguments += piece;
    if (opens) ++depth;
  }
}

}  // namespace

std::string condensed(std::string_view text) {
  std::string out;
  Stepper step(text);
  for (auto kind = step.next(); kind != Stepper::Kind::kEnd; kind = step.next()) {
    if (kind != Stepper::Kind::kBlank) out += step.piece();
  }
  return out;
}

std::vector<MacroUse> find_macro_uses(std::string_view text) {
  std::vector<MacroUse> out;
  Stepper step(text);
  for (auto kind = step.next(); kind != Stepper::Kind::kEnd; kind = step.next()) {
    const std::string_view name = step.piece();
    if (kind != Stepper::Kind::kName || (name != "QUERN_KERNEL" && name != "QUERN_CODE")) continue;
    MacroUse use;
    use.macro = name;
    use.begin = step.at() - name.size();
    Stepper inside = step;
    if (!read_arguments(inside, use)) continue;
    step = inside;
    out.push_back(std::move(use));
  }
  return out;
}

std::string only(std::string_view text, const std::vector<MacroUse>& uses) {
  std::string out;
  std::size_t at = 0, line = 0;  // where the current line begins
  const auto blank_to = [&](std::size_t end) {
    for (; at < end; ++at) {
      if (text[at] == '\n') {
        out += '\n';
        line = at + 1;
      }
    }
  };
  for (const MacroUse& use : uses) {
    blank_to(use.begin);
    out.append(use.begin - line, ' ');
    out += text.substr(use.begin, use.end - use.begin);
    at = use.end;
    line = at;  // a second use in one line loses its column
  }
  return out + "\n";
}

}  // namespace quern::detail
