// A profile as Chrome trace events in JSON, for Perfetto. Lines are written immediately, so that the file of
// a crashed program contains everything up to the crash: the format allows a missing end. Not thread-safe.
//
// Processes: 1 is the host, devices count from 2. Threads of the host count from 1; stream s of process p is
// thread p * 1000 + s. Times are microseconds since the start of the profile.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/profile/site.hpp"

namespace quern::profile {

// An event of the host, or of a device's memory or sensors.
struct HostEvent {
  enum class What : uint8_t { kSlice, kInstant, kMemory, kCounter };
  What what = What::kSlice;
  const char* category = "";
  std::string name;
  uint32_t thread = 0;
  uint32_t process = 1;
  uint64_t begin = 0, end = 0;  // ticks, then nanoseconds
  uint64_t in_use = 0, reserved = 0;
  std::vector<std::pair<const char*, double>> series;  // kCounter: name and value
};

class TraceFile {
 public:
  // A file in use by another process is not touched: `path` then gets this process's id before its extension.
  static base::Result<std::unique_ptr<TraceFile>> open(const std::string& path, uint64_t start);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void add_device(uint32_t process, std::string_view label, std::string_view id);
  void add_stream(uint32_t process, uint32_t stream);
  void add_thread(uint32_t thread);
  // A command: its call on the host, its run on the device, and an arrow between them, identified by its
  // number; 0: the call is unknown.
  void add_call(const Site& site, uint32_t thread, uint64_t begin, uint64_t end, uint64_t flow);
  void add_run(const Site& site, uint32_t process, uint32_t stream, uint64_t begin, uint64_t end,
               uint64_t flow, TimedBy timed_by);
  void add(const HostEvent& event);
  void flush();
  void close(uint64_t now, uint64_t dropped);

 private:
  TraceFile(int file, uint64_t start) : file_(file), start_(start) {}
  void begin(char phase, std::string_view name, uint32_t process, uint32_t thread);
  void member(const char* name, uint64_t number);
  void member(const char* name, std::string_view text);
  void time(const char* name, uint64_t nanoseconds);
  void at(uint64_t nanoseconds) { time("ts", nanoseconds < start_ ? 0 : nanoseconds - start_); }
  void end() {
    text_ += "},\n";
    if (text_.size() > kMostText) flush();
  }
  bool is_new(uint32_t process, uint32_t thread) { return announced_.insert({process, thread}).second; }
  void add_counter(const HostEvent& event);
  void add_metadata(const char* what, uint32_t process, uint32_t thread, std::string_view value);

  static constexpr size_t kMostText = 1 << 20;  // not yet written

  int file_;
  uint64_t start_;
  std::string text_;
  std::set<std::pair<uint32_t, uint32_t>> announced_;
};

}  // namespace quern::profile
