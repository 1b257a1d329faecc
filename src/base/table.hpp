// Aligned text tables: columns as wide as their widest cell (in terminal columns, not bytes), two spaces
// between them, no frame. Plain in a file, colored on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/terminal.hpp"

namespace quern::base {

enum class Align : std::uint8_t { kLeft, kRight, kCentre };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  std::size_t max_width = 0;  // longer cells are cut with "…"; 0: never
};

struct Cell {
  Cell(std::string cell_text, Style cell_style = Style::kPlain)
      : text(std::move(cell_text)), style(cell_style) {}
  Cell(std::string_view cell_text, Style cell_style = Style::kPlain) : text(cell_text), style(cell_style) {}
  Cell(const char* cell_text, Style cell_style = Style::kPlain) : text(cell_text), style(cell_style) {}

  std::string text;
  Style style;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns, std::size_t indent = 2);

  // Missing cells are empty. Cells beyond the last column are appended to the line unaligned.
  void add_row(std::vector<Cell> cells);

  // A separate line between rows, below the indent of the table; it does not widen any column.
  void add_note(std::string_view text);

  std::size_t row_count() const { return row_count_; }

  // Lines end with '\n' and never with spaces. The titles are omitted if all of them are empty.
  std::string to_string(bool colour = false) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string note;
    bool is_note;
  };

  std::vector<std::size_t> measure() const;
  void append_line(std::string& out, const std::vector<Cell>& cells, const std::vector<std::size_t>& widths,
                   bool colour) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::size_t indent_;
  std::size_t row_count_ = 0;
};

}  // namespace quern::base
