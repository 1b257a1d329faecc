// What a program runs, when, and how fast. QUERN_TRACE=file.json writes it for any program, and
// `quern profile -- PROGRAM` shows it; these are for a program that asks by itself. docs/profiling.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quern/export.hpp"

namespace quern {

// All runs of one kernel, or of one kind of copy, on one device. Times are seconds by the device's clock.
struct ProfileRow {
  std::string name;    // "saxpy"; "upload", "download", "copy", "fill", "graph of 3 commands"
  std::string kind;    // "kernel", "upload", "download", "copy", "fill", "graph"
  std::string device;  // "NVIDIA H200 (cuda)"
  std::uint64_t calls = 0;
  double total = 0, mean = 0, min = 0, max = 0;
  double share = 0;          // of the time of all rows, 0 to 1
  std::uint64_t bytes = 0;   // moved; for a kernel those of the buffers that it was given, each counted once
  double gb_per_second = 0;  // bytes by total, in 10^9
  double bandwidth_percent =
      0;  // of what a copy reaches on this device; 0: `quern profile` has not measured it
};

// Takes a profile from here on, of all devices, and writes a trace too where `trace` names a file.
QUERN_API void start_profile(const std::string& trace = {});
// What has finished so far, the longest first.
QUERN_API std::vector<ProfileRow> profile_rows();
// Ends it, and waits for what is in flight: at most two seconds.
QUERN_API std::vector<ProfileRow> stop_profile();
// What is missing in rows and trace: a profile keeps a limited number of entries that are not written yet.
QUERN_API std::uint64_t profile_dropped();

// A part of the program with a name, from here to the end of the block: in traces, in NVTX (domain "quern")
// where a tool listens, and in the errors that come out of it. Ranges of a thread are nested.
class QUERN_API Range {
 public:
  explicit Range(std::string_view name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  const std::string& name() const { return name_; }
  static const Range* innermost();  // of this thread; null: there is none

 private:
  std::string name_;
  const Range* outer_;
  std::uint64_t begin_ = 0;  // 0: no profile is taken
};

}  // namespace quern
