// Renders diagnostics as text. Whatever bytes the source contains, the output is valid UTF-8 without control
// characters.
#include <algorithm>
#include <string>

#include "lang/text/diagnostic.hpp"
#include "lang/text/messages.hpp"
#include "lang/text/utf8.hpp"

namespace quern::lang {

namespace {

constexpr size_t kTabWidth = 4;
constexpr size_t kMaxColumns = 110;    // of source text shown
constexpr size_t kColumnsBefore = 60;  // of them before the caret, when the line is cut
constexpr size_t kNumberWidth = 5;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kMagenta = "\x1b[1;35m";
constexpr std::string_view kCyan = "\x1b[1;36m";
constexpr std::string_view kGreen = "\x1b[1;32m";
constexpr std::string_view kReset = "\x1b[0m";

bool is_control(uint32_t c) {
  const bool bidi =
      (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF || bidi;
}

// Width of a character in a terminal: 0 for combining marks, 2 for East Asian wide ones and emoji.
size_t width_of(uint32_t c) {
  if ((c >= 0x0300 && c <= 0x036F) || c == 0x200B || c == 0x200C || c == 0x200D) return 0;
  const bool wide =
      (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
      (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
      (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

// One character of a line: its output and width.
struct Cell {
  std::string_view text;
  size_t bytes = 1;  // of the source
  size_t width = 1;
};

Cell next_cell(std::string_view rest, size_t column) {
  static constexpr std::string_view kSpaces = "        ";
  static_assert(kTabWidth <= kSpaces.size());
  if (rest.front() == '\t') {
    const size_t width = kTabWidth - column % kTabWidth;
    return {kSpaces.substr(0, width), 1, width};
  }
  const CodePoint c = decode_utf8(rest);
  if (c.bytes == 0) return {"\xEF\xBF\xBD", 1, 1};  // U+FFFD
  if (is_control(c.value)) return {"?", c.bytes, 1};
  return {rest.substr(0, c.bytes), c.bytes, width_of(c.value)};
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Cell cell = next_cell(text, 0);
    const bool newline = text.front() == '\n' || text.front() == '\r';
    out += newline ? " " : text.front() == '\t' ? " " : cell.text;
    text.remove_prefix(cell.bytes);
  }
  return out;
}

// The visible part of a line, and the position of the marked bytes in it.
struct Excerpt {
  std::string text;
  size_t caret = 0;  // columns
  size_t marked = 1;
};

// Cutting is by bytes, moved to the start of a character; columns are counted from there.
Excerpt excerpt_of(std::string_view line, size_t column, size_t length) {
  column = std::min(column, line.size());
  size_t begin = 0;
  if (line.size() > kMaxColumns && column > kColumnsBefore) begin = column - kColumnsBefore;
  while (begin != 0 && begin < column && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) ++begin;
  Excerpt result;
  result.text = begin != 0 ? "…" : "";
  size_t columns = begin != 0 ? 1 : 0;
  size_t mark_end = 0;
  size_t at = begin;
  bool caret_set = false;
  while (at < line.size() && columns < kMaxColumns) {
    if (at >= column && !caret_set) {
      result.caret = columns;
      caret_set = true;
    }
    const Cell cell = next_cell(line.substr(at), columns);
    result.text += cell.text;
    columns += cell.width;
    if (at < column + length) mark_end = columns;
    at += cell.bytes;
  }
  if (!caret_set) result.caret = columns;
  if (at < line.size()) result.text += "…";
  while (result.text.ends_with(' ')) result.text.pop_back();
  result.marked = mark_end > result.caret ? mark_end - result.caret : 1;
  return result;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "";
}

std::string_view severity_colour(Severity severity) {
  switch (severity) {
    case Severity::kError: return kRed;
    case Severity::kWarning: return kMagenta;
    case Severity::kNote: return kCyan;
  }
  return "";
}

class Renderer {
 public:
  Renderer(const SourceMap& sources, bool colour) : sources_(sources), colour_(colour) {}

  void add(const Diagnostic& d, size_t indent) {
    headline(d, indent);
    if (d.loc) source(d, indent);
    for (const Diagnostic& note : d.notes) add(note, indent + 2);
  }

  std::string take() { return std::move(out_); }

 private:
  void paint(std::string_view code) {
    if (colour_) out_ += code;
  }

  void headline(const Diagnostic& d, size_t indent) {
    out_.append(indent, ' ');
    if (d.loc) {
      const FilePos pos = sources_.resolve(d.loc);
      paint(kBold);
      out_ += printable(pos.file) + ":" + std::to_string(pos.line) + ":" + std::to_string(pos.column) + ": ";
    }
    paint(severity_colour(d.severity));
    out_ += severity_name(d.severity);
    out_ += ": ";
    paint(kReset);
    paint(d.severity == Severity::kNote ? "" : kBold);
    out_ += printable(d.message.str());
    paint(d.severity == Severity::kNote ? "" : kReset);
    out_ += '\n';
  }

  void source(const Diagnostic& d, size_t indent) {
    const FilePos pos = sources_.resolve(d.loc);
    const Excerpt excerpt = excerpt_of(sources_.line_text(d.loc), pos.column - 1, std::max(d.length, 1u));
    const std::string number = std::to_string(pos.line);
    out_.append(indent + (number.size() < kNumberWidth ? kNumberWidth - number.size() : 0), ' ');
    out_ += number + " | " + excerpt.text;
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n';
    out_.append(indent + std::max(kNumberWidth, number.size()), ' ');
    out_ += " | ";
    out_.append(excerpt.caret, ' ');
    paint(kGreen);
    out_ += '^';
    out_.append(excerpt.marked - 1, '~');
    paint(kReset);
    out_ += '\n';
  }

  const SourceMap& sources_;
  bool colour_;
  std::string out_;
};

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceMap& sources, bool colour) {
  Renderer renderer(sources, colour);
  renderer.add(diagnostic, 0);
  return renderer.take();
}

std::string Diagnostics::render(bool colour) const {
  Renderer renderer(sources_, colour);
  size_t shown = 0;
  for (const Diagnostic& d : list_) {
    renderer.add(d, 0);
    if (d.severity == Severity::kError) ++shown;
  }
  std::string out = renderer.take();
  if (error_count_ > shown) {
    const size_t more = error_count_ - shown;
    const base::MessageText left =
        more == 1 ? message::kOneMoreError() : message::kMoreErrors(std::to_string(more));
    out += left.text + "\n";
  }
  return out;
}

}  // namespace quern::lang
