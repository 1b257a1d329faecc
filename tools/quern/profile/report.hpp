// Presents a profile: a table for the terminal, JSON, and an HTML page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace.hpp"

namespace quern::tool {

struct Report {
  Trace trace;
  std::vector<TraceRow> rows;
  std::map<uint32_t, double> bandwidth;  // by device, in bytes per second; 0 or absent: unknown

  // GB/s as a percentage of the device's measured bandwidth; negative: unknown.
  double percent(const TraceRow& row) const;
};

std::string table_of(const Report& report, bool colour);
std::string json_of(const Report& report);
std::string page_of(const Report& report);  // self-contained HTML

}  // namespace quern::tool
