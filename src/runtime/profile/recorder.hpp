// Records a profile: collects events of streams, compilers and pools, summarizes them, and writes them to a
// trace. One per process. A separate thread formats the text, so that a launch writes only a few words.
#pragma once

#include <atomic>
#include <condition_variable>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "runtime/profile/clock_line.hpp"
#include "runtime/profile/on.hpp"
#include "runtime/profile/site.hpp"
#include "runtime/profile/trace_file.hpp"
#include "runtime/profile/track.hpp"
#include "telemetry/sampler.hpp"

namespace quern::profile {

// All runs of one kernel, or of one kind of copy, on one device.
struct Row {
  std::string name;
  std::string device;     // "NVIDIA H200 (cuda)"
  std::string device_id;  // "cuda:0"
  std::string bandwidth_key;
  Kind kind = Kind::kKernel;
  uint64_t calls = 0, bytes = 0;
  uint64_t total = 0, least = UINT64_MAX, most = 0;  // nanoseconds
};

class Recorder {
 public:
  static Recorder& instance();

  // Starts a profile as QUERN_TRACE specifies, once per process; a file that cannot be written is logged.
  static void start_by_environment();
  // An empty path: no trace. `telemetry` is the interval at which the trace gets the devices' telemetry, in
  // seconds; 0: none.
  base::Result<> start(const std::string& path, double telemetry = 0);
  void stop();              // waits briefly for work in flight
  std::vector<Row> rows();  // so far
  uint64_t dropped() const { return dropped_.load(); }

  // For streams.
  std::shared_ptr<Track> open_track(driver::Device& device, uint32_t number);
  void close_track(const std::shared_ptr<Track>& track);
  SiteId remember(uint32_t process, Site site);
  Chunk* take_chunk();  // null: no space
  void give_chunk(Chunk* chunk);
  void drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }
  void drain(bool is_last = false);  // is_last: no more commands follow

  // Events of the host; `device` may be null.
  void add_slice(const char* category, std::string name, uint64_t begin, uint64_t end);
  void add_instant(const char* category, std::string name);
  void add_memory(const driver::DeviceInfo& device, uint64_t in_use, uint64_t reserved);

 private:
  struct Process {
    std::string id, label, bandwidth_key;
    quern::DeviceInfo device;
  };
  struct Known {
    uint32_t process;
    Site site;
    size_t row;
    std::unique_ptr<Timing> timing;
  };

  Recorder() = default;
  uint32_t process_of(const driver::DeviceInfo& device);
  uint32_t find_process(const std::string& id) const;  // the index in processes_, or its size
  size_t row_of(uint32_t process, const Site& site);
  void add(HostEvent event);
  void add_counter(const quern::DeviceInfo& device, const char* name,
                   std::initializer_list<std::pair<const char*, std::optional<double>>> series);
  void add_telemetry(const quern::DeviceInfo& device, const Telemetry& values);
  void start_sampler(double interval);
  void run();
  void take(const Track& track, const Finished& done);
  bool is_drained();

  std::mutex mutex_;  // guards the following members
  std::vector<std::shared_ptr<Track>> tracks_;
  std::vector<Process> processes_;
  std::vector<Known> sites_;
  std::map<std::string, uint32_t> site_ids_;
  std::vector<HostEvent> events_;
  std::vector<Chunk*> free_chunks_;
  uint32_t chunks_made_ = 0;
  std::vector<Row> rows_;
  std::condition_variable wake_;
  bool has_thread_ = false, is_kicked_ = false;
  std::unique_ptr<telemetry::Sampler> sampler_;  // null: no telemetry

  std::mutex draining_;  // locked before mutex_
  std::unique_ptr<TraceFile> file_;
  ClockLine clock_;
  uint64_t flows_ = 0;
  std::atomic<uint64_t> dropped_{0};
};

// A span of host time, until the end of the scope.
class Scope {
 public:
  Scope(const char* category, std::string_view name) {
    if (!is_on()) return;
    category_ = category;
    name_ = name;
    begin_ = base::ticks();
  }
  ~Scope() {
    if (category_ != nullptr)
      Recorder::instance().add_slice(category_, std::move(name_), begin_, base::ticks());
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const char* category_ = nullptr;
  std::string name_;
  uint64_t begin_ = 0;
};

}  // namespace quern::profile
