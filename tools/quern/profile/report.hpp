// A profile for people: a table in the terminal, JSON, and a page to look at.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace.hpp"

namespace quern::tool {

struct Report {
  Trace trace;
  std::vector<TraceRow> rows;
  std::map<uint32_t, double> bandwidth;  // of devices, bytes in a second; 0 or absent: not known

  // GB/s as a percentage of what the device was measured to do; below 0: not known.
  double percent(const TraceRow& row) const;
};

std::string table_of(const Report& report, bool colour);
std::string json_of(const Report& report);
std::string page_of(const Report& report);  // HTML that needs nothing else

}  // namespace quern::tool
