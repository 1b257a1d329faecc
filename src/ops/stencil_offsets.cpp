// The offsets of a stencil, read from the text of its update. The kernel for stencils without diagonal
// offsets keeps fewer planes (StencilPlan::is_flat). All uses of a parameter other than calls with numbers
// have the answer "unknown", which is always correct.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "ops/stencil_plan.hpp"

namespace quern::ops {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool is_end() const { return at_ >= text_.size(); }
  void skip_spaces() {
    while (!is_end() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  // The next character after spaces; 0 at the end.
  char peek() {
    skip_spaces();
    return is_end() ? '\0' : text_[at_];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  // A word, or a single character.
  std::string_view token() {
    skip_spaces();
    const std::size_t from = at_;
    while (!is_end() && is_word(text_[at_])) ++at_;
    if (at_ == from && !is_end()) ++at_;
    return text_.substr(from, at_ - from);
  }
  std::optional<int> number() {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    const std::string_view digits = token();
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return {};
    return is_negative ? -value : value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The names of the parameters of "[](auto u, auto v) …", after which the scanner is at the body.
std::optional<std::vector<std::string_view>> parameters(Scanner& scanner) {
  if (!scanner.take('[') || !scanner.take(']') || !scanner.take('(')) return {};
  std::vector<std::string_view> names(1);
  for (int depth = 0; !scanner.is_end();) {
    const std::string_view token = scanner.token();
    if (token == ")" && depth == 0) return names;
    depth += static_cast<int>(token == "(" || token == "<") - static_cast<int>(token == ")" || token == ">");
    if (token == "," && depth == 0) {
      names.emplace_back();
    } else if (!token.empty() && is_word(token[0])) {
      names.back() = token;
    }
  }
  return {};
}

// The arguments of a call, after the parenthesis.
std::optional<std::vector<int>> numbers(Scanner& scanner) {
  std::vector<int> out;
  if (scanner.take(')')) return out;
  do {
    const std::optional<int> number = scanner.number();
    if (!number) return {};
    out.push_back(*number);
  } while (scanner.take(','));
  if (!scanner.take(')')) return {};
  return out;
}

// Macros and spliced lines can hide uses of a parameter.
bool is_plain(std::string_view text) {
  return text.find('#') == std::string_view::npos && text.find("%:") == std::string_view::npos &&
         text.find('\\') == std::string_view::npos;
}

}  // namespace

std::optional<StencilOffsets> offsets_of(const Function& update, std::size_t fields) {
  if (!is_plain(update.lambda()) || !is_plain(update.code())) return {};
  Scanner scanner(update.lambda());
  std::optional<std::vector<std::string_view>> names = parameters(scanner);
  if (!names || names->size() < fields) return {};
  names->resize(fields);
  StencilOffsets out;
  while (!scanner.is_end()) {
    const std::string_view token = scanner.token();
    if (token.empty() || std::find(names->begin(), names->end(), token) == names->end()) continue;
    if (scanner.take('.')) {
      const std::string_view member = scanner.token();
      if (member != "at" && member != "extent" && member != "step") return {};
      continue;
    }
    if (!scanner.take('(')) return {};
    const std::optional<std::vector<int>> offset = numbers(scanner);
    if (!offset) return {};
    out.push_back(*offset);
  }
  return out;
}

}  // namespace quern::ops
