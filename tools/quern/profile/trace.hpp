// A trace as the tool reads it. docs/profiling.md describes the file format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace quern::tool {

struct TraceSlice {
  std::string name, category;
  uint32_t process = 0, thread = 0;
  double begin = 0, length = 0;  // microseconds
  uint64_t bytes = 0;
  std::string grid, block;
  double occupancy = -1;    // percent
  bool is_measured = true;  // false: estimated from other runs of the same kernel

  double end() const { return begin + length; }
};

// Readings of one value of a device's telemetry.
struct TraceCounter {
  uint32_t process = 0;
  std::string name, series;                         // "power (W)", "power"
  std::vector<std::pair<double, double>> readings;  // time in microseconds, value

  double most() const;
  double mean() const;
};

struct Trace {
  std::string program;
  std::map<uint32_t, std::string> processes, labels;  // of devices: their ids
  std::map<uint32_t, std::string> threads;
  std::vector<TraceSlice> slices;      // ordered by begin
  std::vector<TraceCounter> counters;  // by process; of telemetry only
  std::vector<std::string> lines;      // all events, ordered by time: metadata first
  uint64_t dropped = 0;
  bool is_whole = false;  // its end was written
  int rank = -1;          // of the process; -1: it is the only one
  double origin = 0;      // time 0, in microseconds since 1970; 0: unknown
};

inline constexpr uint32_t kHostProcess = 1;

// Parses the text of a trace; its end may be missing.
base::Result<Trace> read_trace(std::string_view text);

// Whether telemetry found the device throttled in some reading.
bool is_throttled(const Trace& trace, uint32_t process);

// All runs of one kernel, or of one kind of copy, on one device.
struct TraceRow {
  std::string name, category;
  uint32_t process = 0;
  uint64_t calls = 0, bytes = 0;
  double total = 0, least = 0, most = 0;  // microseconds; least and most: of the measured runs
  double share = 0;                       // of the total time of all rows and devices, 0 to 1
  double occupancy = -1;                  // percent, of the last run

  double mean() const { return total / static_cast<double>(calls); }
  double gb_per_second() const { return total > 0 ? static_cast<double>(bytes) / total * 1e-3 : 0; }
};

std::vector<TraceRow> rows_of(const Trace& trace);  // longest first

}  // namespace quern::tool
