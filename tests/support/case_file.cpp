#include "support/case_file.hpp"

#include <cstdlib>

#include "base/file.hpp"
#include "base/text.hpp"

namespace quern::test {

namespace {

using base::Error;
using base::ErrorKind;

constexpr std::string_view kMark = "//! ";

Error bad_line(const std::string& file, uint32_t line, const std::string& why) {
  return Error(ErrorKind::bad_input, file + ":" + std::to_string(line) + ": " + why);
}

// Splits at commas outside braces, brackets and angle brackets.
std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> out;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '{' || c == '[' || c == '(' || c == '<') ++depth;
    if (c == '}' || c == ']' || c == ')' || c == '>') --depth;
    if (i < text.size() && (c != ',' || depth != 0)) continue;
    const std::string_view part = base::trim(text.substr(start, i - start));
    if (!part.empty()) out.emplace_back(part);
    start = i + 1;
  }
  return out;
}

bool parse_dim(std::string_view text, uint32_t (&to)[3]) {
  size_t n = 0;
  for (std::string_view part : base::split(text, ',')) {
    const auto v = base::parse_uint(part);
    if (!v || n == 3) return false;
    to[n++] = static_cast<uint32_t>(*v);
  }
  return n > 0;
}

bool parse_run(std::string_view text, Case& c) {
  // The call's closing parenthesis is the one that balances its first.
  size_t open = text.find('(');
  if (open == std::string_view::npos) return false;
  int depth = 0;
  size_t close = open;
  for (; close < text.size(); ++close) {
    if (text[close] == '(') ++depth;
    if (text[close] == ')' && --depth == 0) break;
  }
  if (close == text.size()) return false;
  c.kernel = std::string(base::trim(text.substr(0, open)));
  c.arguments = split_arguments(text.substr(open + 1, close - open - 1));
  std::vector<std::string_view> words;
  for (std::string_view w : base::split(base::trim(text.substr(close + 1)), ' ')) {
    if (!w.empty()) words.push_back(w);
  }
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "grid") {
      if (!parse_dim(words[i + 1], c.grid)) return false;
    } else if (words[i] == "block") {
      if (!parse_dim(words[i + 1], c.block)) return false;
    } else if (words[i] == "shared" || words[i] == "seed") {
      const auto v = base::parse_uint(words[i + 1]);
      if (!v) return false;
      (words[i] == "shared" ? c.shared : c.seed) = *v;
    } else if (words[i] == "spec") {
      c.specs.emplace_back(words[i + 1]);
    } else {
      return false;
    }
  }
  return words.size() % 2 == 0;
}

bool parse_expectation(std::string_view text, Expectation& e) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  std::string_view left = base::trim(text.substr(0, equals));
  if (const size_t tilde = left.find('~'); tilde != std::string_view::npos) {
    const auto t = base::parse_double(base::trim(left.substr(tilde + 1)));
    if (!t) return false;
    e.tolerance = *t;
    left = base::trim(left.substr(0, tilde));
  }
  if (const size_t open = left.find('['); open != std::string_view::npos) {
    const size_t colon = left.find(':', open), close = left.find(']', open);
    if (colon == std::string_view::npos || close == std::string_view::npos) return false;
    const auto first = base::parse_uint(left.substr(open + 1, colon - open - 1));
    const auto last = base::parse_uint(left.substr(colon + 1, close - colon - 1));
    if (!first || !last) return false;
    e.has_range = true;
    e.first = *first;
    e.last = *last;
    left = left.substr(0, open);
  }
  e.name = std::string(left);
  for (std::string_view word : base::split(base::trim(text.substr(equals + 1)), ' ')) {
    if (word.empty()) continue;
    const size_t star = word.find('*');
    const auto times =
        star == std::string_view::npos ? std::nullopt : base::parse_uint(word.substr(star + 1));
    for (uint64_t i = 0; i < times.value_or(1); ++i)
      e.values.emplace_back(word.substr(0, times ? star : word.size()));
  }
  return true;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    } else {
      out += text[i];
    }
  }
  return out;
}

// The next line after `from` (1-based) that ends with the mark.
uint32_t marked_line(const std::vector<std::string_view>& lines, uint32_t from, std::string_view mark) {
  const std::string wanted = "//" + std::string(mark);
  for (size_t i = from; i < lines.size(); ++i) {
    const std::string_view s = base::trim(lines[i]);
    if (s.size() >= wanted.size() && s.substr(s.size() - wanted.size()) == wanted)
      return static_cast<uint32_t>(i + 1);
  }
  return 0;
}

base::Result<void> read_line(std::string_view text, uint32_t line, Case* c, const std::string& file,
                             const std::vector<std::string_view>& lines) {
  if (c == nullptr) return bad_line(file, line, "an expectation precedes the first '//! run'");
  if (text.substr(0, 7) == "prints ") {
    c->prints += unescape(text.substr(7));
    c->expects_print = true;
    return {};
  }
  if (text.substr(0, 8) == "texture ") {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      return bad_line(file, line, "'=' is missing after the name of a texture");
    c->textures[std::string(base::trim(text.substr(8, equals - 8)))] =
        std::string(base::trim(text.substr(equals + 1)));
    return {};
  }
  if (text.substr(0, 6) == "check ") {
    c->checks = std::string(text.substr(6));
    return {};
  }
  if (text.substr(0, 7) == "report ") {
    const size_t space = text.rfind(' ');
    const uint32_t at = space > 7 ? marked_line(lines, line, text.substr(space + 1)) : 0;
    if (at == 0)
      return bad_line(file, line, "expected '//! report KIND @', followed by a line that ends with '//@'");
    c->reports.push_back({std::string(text.substr(7, space - 7)), at});
    return {};
  }
  Expectation e;
  e.line = line;
  if (!parse_expectation(text, e))
    return bad_line(file, line, "'" + std::string(text) + "' is not an expectation");
  c->expected.push_back(std::move(e));
  return {};
}

base::Result<void> read_file_cases(const std::string& file, std::vector<Case>& out) {
  QUERN_TRY_ASSIGN(const std::string text, base::read_file(file));
  uint32_t line = 0;
  const size_t first = out.size();
  const std::vector<std::string_view> lines = base::split_lines(text);
  for (std::string_view raw : lines) {
    ++line;
    std::string_view s = base::trim(raw);
    if (s.substr(0, kMark.size()) != kMark) continue;
    s = s.substr(kMark.size());
    if (s.substr(0, 4) == "run ") {
      Case c;
      c.file = file;
      c.line = line;
      if (!parse_run(s.substr(4), c))
        return bad_line(file, line, "'" + std::string(s) + "' is not a valid run");
      out.push_back(std::move(c));
      continue;
    }
    QUERN_TRY(read_line(s, line, out.size() > first ? &out.back() : nullptr, file, lines));
  }
  return {};
}

}  // namespace

base::Result<std::vector<Case>> read_cases(const std::string& folder, std::string_view extension) {
  QUERN_TRY_ASSIGN(const std::vector<std::string> files, base::list_files(folder));
  std::vector<Case> out;
  for (const std::string& file : files) {
    if (base::path_extension(file) == extension) QUERN_TRY(read_file_cases(file, out));
  }
  return out;
}

base::Result<std::vector<WrongProgram>> read_wrong_programs(const std::string& folder) {
  QUERN_TRY_ASSIGN(const std::vector<std::string> files, base::list_files(folder));
  std::vector<WrongProgram> out;
  for (const std::string& file : files) {
    if (base::path_extension(file) != ".cu") continue;
    QUERN_TRY_ASSIGN(const std::string text, base::read_file(file));
    WrongProgram p{file, 1, {}, {}};
    uint32_t line = 0;
    auto finish = [&] {
      if (!base::trim(p.text).empty()) out.push_back(p);
      p = {file, line + 1, {}, {}};
    };
    for (std::string_view raw : base::split_lines(text)) {
      ++line;
      if (raw.substr(0, 5) == "//---") {
        finish();
      } else if (raw.substr(0, kMark.size()) == kMark) {
        p.diagnostics.emplace_back(raw.substr(kMark.size()));
      } else {
        p.text += std::string(raw) + "\n";
      }
    }
    finish();
  }
  return out;
}

std::string test_name(const std::string& file, const std::string& kernel, uint32_t line) {
  std::string name(base::path_name(file));
  name = name.substr(0, name.find('.')) + "_" + kernel + "_" + std::to_string(line);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

}  // namespace quern::test
