/// @file
/// Profiles: what a program runs, when, and how fast. `quern profile -- PROGRAM` and QUERN_TRACE=file.json
/// need no change of the program. See docs/profiling.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quern/export.hpp"

namespace quern {

/// All runs of one kernel, or of one kind of copy, on one device. Times are in seconds by the device's clock.
struct ProfileRow {
  std::string name;    ///< "saxpy"; "upload", "download", "copy", "fill", "graph of 3 commands"
  std::string kind;    ///< "kernel", "upload", "download", "copy", "fill", "graph"
  std::string device;  ///< "NVIDIA H200 (cuda)"
  /// Number of runs.
  std::uint64_t calls = 0;
  double total = 0;          ///< Time of all runs.
  double mean = 0;           ///< Mean time of a run.
  double min = 0;            ///< Shortest run.
  double max = 0;            ///< Longest run.
  double share = 0;          ///< Share of the time of all rows, 0 to 1.
  std::uint64_t bytes = 0;   ///< Bytes moved; for a kernel, those of its buffer arguments, each counted once.
  double gb_per_second = 0;  ///< bytes / total, in 10^9.
  double bandwidth_percent = 0;  ///< Of a copy on this device; 0: not measured by `quern profile`.
};

/// Options of a profile.
struct ProfileOptions {
  /// Interval in seconds at which a trace gets the devices' telemetry as counters; 0: none. A reading takes a
  /// device up to a few milliseconds of driver time.
  double telemetry_interval = 0;
};

/// Starts a profile of all devices. Also writes a trace if `trace` names a file.
QUERN_API void start_profile(const std::string& trace = {}, const ProfileOptions& options = {});
/// The rows of everything that has finished so far, longest first.
QUERN_API std::vector<ProfileRow> profile_rows();
/// Ends the profile, waits at most two seconds for work in flight, and returns the rows.
QUERN_API std::vector<ProfileRow> stop_profile();
/// Number of events that are missing in rows and trace, because the buffer was full.
QUERN_API std::uint64_t profile_dropped();

/// A profile of all devices, from construction to destruction. At most one exists at a time.
///
/// @code
/// quern::Profile profile("trace.json");
/// run();
/// for (const quern::ProfileRow& row : profile.stop()) std::printf("%s %g s\n", row.name.c_str(), row.total);
/// @endcode
class [[nodiscard]] Profile {
 public:
  /// Throws Error if a profile is active already, or if the file cannot be written.
  explicit Profile(const std::string& trace = {}, const ProfileOptions& options = {}) {
    start_profile(trace, options);
  }
  /// Ends the profile.
  ~Profile() {
    try {
      if (is_active_) (void)stop_profile();
    } catch (...) {  // a trace that cannot be written is reported by stop()
    }
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// The rows of everything that has finished so far, longest first.
  std::vector<ProfileRow> rows() const { return profile_rows(); }
  /// Ends the profile and returns its rows. Throws Error.
  std::vector<ProfileRow> stop() {
    is_active_ = false;
    return stop_profile();
  }

 private:
  bool is_active_ = true;
};

/// A named part of the program, from construction to destruction. Appears in traces, in NVTX (domain "quern")
/// if a tool is attached, and in errors that leave it. Ranges of a thread nest; construct and destroy a range
/// on the same thread.
class QUERN_API ProfileRange {
 public:
  /// Begins the range.
  [[nodiscard]] explicit ProfileRange(std::string_view name);
  /// Ends the range.
  ~ProfileRange();
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;

  /// The name.
  const std::string& name() const { return name_; }
  /// The innermost range of this thread, or null.
  static const ProfileRange* innermost();

 private:
  std::string name_;
  const ProfileRange* outer_;
  std::uint64_t begin_ = 0;  // 0: no profile is active
};

}  // namespace quern
