#include "inject/cell.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/file.hpp"
#include "base/table.hpp"
#include "base/text.hpp"

namespace quern::inject {

namespace {

using base::Align;
using base::Error;
using base::ErrorKind;
using base::format;
using base::format_count;

void add_row(base::Table& table, const Cell& c) {
  table.add_row({c.driver, c.scenario, format_count(c.stride), format_count(c.cases),
                 format_count(c.injected), format_count(c.recovered), format_count(c.documented),
                 format_count(c.wrong), format_count(c.leaked), format("%.0f", c.heap),
                 format("%.1f", c.seconds)});
}

// In order of first occurrence.
std::vector<std::string> names(const std::vector<Cell>& cells, std::string Cell::*name) {
  std::vector<std::string> out;
  for (const Cell& c : cells) {
    if (std::find(out.begin(), out.end(), c.*name) == out.end()) out.push_back(c.*name);
  }
  return out;
}

}  // namespace

Cell sum(const std::string& name, const std::vector<Cell>& cells) {
  Cell all{name, ""};
  for (const Cell& c : cells) {
    all.cases += c.cases;
    all.injected += c.injected;
    all.recovered += c.recovered;
    all.documented += c.documented;
    all.wrong += c.wrong;
    all.leaked += c.leaked;
    all.seconds += c.seconds;
    all.heap = std::max(all.heap, c.heap);
    all.stride = std::max(all.stride, c.stride);
  }
  return all;
}

std::string table(const std::vector<Cell>& cells) {
  base::Table table({{"device"},
                     {"scenario"},
                     {"every", Align::kRight},
                     {"cases", Align::kRight},
                     {"faults", Align::kRight},
                     {"recovered", Align::kRight},
                     {"documented error", Align::kRight},
                     {"wrong", Align::kRight},
                     {"leaked", Align::kRight},
                     {"heap B/case", Align::kRight},
                     {"seconds", Align::kRight}});
  for (const Cell& c : cells) add_row(table, c);
  add_row(table, sum("all", cells));
  return table.to_string();
}

std::string markdown(const std::vector<Cell>& cells) {
  const auto scenarios = names(cells, &Cell::scenario);
  std::string out = "| device |", line = "|---|";
  for (const std::string& s : scenarios) out += ' ' + s + " |", line += "---|";
  out += " faults | recovered | documented error | wrong | leaked | every |\n" + line +
         "---|---|---|---|---|---|\n";
  for (const std::string& d : names(cells, &Cell::driver)) {
    std::vector<Cell> row;
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(row),
                 [&](const Cell& c) { return c.driver == d; });
    out += "| `" + d + "` |";
    for (const std::string& s : scenarios) {
      const auto at = std::find_if(row.begin(), row.end(), [&](const Cell& c) { return c.scenario == s; });
      out += ' ' + (at == row.end() ? std::string() : format_count(at->injected)) + " |";
    }
    const Cell all = sum(d, row);
    for (const uint64_t n : {all.injected, all.recovered, all.documented, all.wrong, all.leaked, all.stride})
      out += ' ' + format_count(n) + " |";
    out += '\n';
  }
  return out;
}

base::Result<std::vector<Cell>> read_cells(const std::string& path) {
  std::vector<Cell> cells;
  if (!base::file_exists(path)) return cells;
  QUERN_TRY_ASSIGN(const std::string text, base::read_file(path));
  for (const std::string_view line : base::split_lines(text)) {
    std::istringstream words{std::string(line)};
    Cell c;
    words >> c.driver >> c.scenario >> c.stride >> c.cases >> c.injected >> c.recovered >> c.documented >>
        c.wrong >> c.leaked >> c.heap >> c.seconds;
    if (!words)
      return Error(ErrorKind::invalid_use, path + " has a line that is not a result: " + std::string(line));
    cells.push_back(std::move(c));
  }
  return cells;
}

base::Result<> append_cell(const std::string& path, const Cell& c) {
  std::ofstream file(path, std::ios::app);
  file << c.driver << ' ' << c.scenario << ' ' << c.stride << ' ' << c.cases << ' ' << c.injected << ' '
       << c.recovered << ' ' << c.documented << ' ' << c.wrong << ' ' << c.leaked << ' ' << c.heap << ' '
       << c.seconds << std::endl;
  if (!file) return Error(ErrorKind::invalid_use, path + " cannot be written");
  return {};
}

}  // namespace quern::inject
