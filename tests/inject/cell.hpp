// The outcome of one scenario on one device, as a row of a table and as a line of a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace quern::inject {

struct Cell {
  std::string driver, scenario;
  uint64_t stride = 1;  // every stride-th call was made to fail
  uint64_t cases = 0, injected = 0, recovered = 0, documented = 0, wrong = 0, leaked = 0;
  double heap = 0;  // heap growth in bytes per case
  double seconds = 0;
};

std::string table(const std::vector<Cell>& cells);
// A row for each device and a column for each scenario with its faults, as a Markdown table.
std::string markdown(const std::vector<Cell>& cells);
Cell sum(const std::string& name, const std::vector<Cell>& cells);

// Finished cells in a file, so that a long run can be split. A missing file counts as empty.
base::Result<std::vector<Cell>> read_cells(const std::string& path);
base::Result<> append_cell(const std::string& path, const Cell& cell);

}  // namespace quern::inject
