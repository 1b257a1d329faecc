#include "base/table.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace quern::base {
namespace {

// A cell is one line: control characters would break the table (and could control the terminal).
std::string one_line(std::string_view text) {
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
      ' ');
  return clean;
}

}  // namespace

Table::Table(std::vector<Column> columns, std::size_t indent)
    : columns_(std::move(columns)), indent_(indent) {}

void Table::add_row(std::vector<Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].text = one_line(cells[i].text);
    const std::size_t most = i < columns_.size() ? columns_[i].max_width : 0;
    if (most != 0) cells[i].text = fit_width(cells[i].text, most);
  }
  rows_.push_back({std::move(cells), {}, false});
  ++row_count_;
}

void Table::add_note(std::string_view text) { rows_.push_back({{}, one_line(text), true}); }

std::vector<std::size_t> Table::measure() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < std::min(row.cells.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], display_width(row.cells[i].text));
    }
  }
  return widths;
}

void Table::append_line(std::string& out, const std::vector<Cell>& cells,
                        const std::vector<std::size_t>& widths, bool colour) const {
  out.append(indent_, ' ');
  // Spaces are deferred until something follows them.
  std::size_t pending = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t own = display_width(cells[i].text);
    const std::size_t free = i < widths.size() ? widths[i] - own : 0;
    const Align align = i < columns_.size() ? columns_[i].align : Align::kLeft;
    const std::size_t before = align == Align::kRight ? free : align == Align::kCentre ? free / 2 : 0;
    pending += before + (i == 0 ? 0 : 2);
    if (!cells[i].text.empty()) {
      out.append(pending, ' ');
      out += paint(cells[i].text, cells[i].style, colour);
      pending = 0;
    }
    pending += free - before;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

std::string Table::to_string(bool colour) const {
  const std::vector<std::size_t> widths = measure();
  std::string out;
  const bool titled =
      std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return !c.title.empty(); });
  if (titled) {
    std::vector<Cell> titles;
    for (const Column& column : columns_) titles.emplace_back(column.title, Style::kBold);
    append_line(out, titles, widths, colour);
  }
  for (const Row& row : rows_) {
    if (row.is_note) {
      out.append(indent_, ' ').append(row.note).append(1, '\n');
    } else {
      append_line(out, row.cells, widths, colour);
    }
  }
  return out;
}

}  // namespace quern::base
