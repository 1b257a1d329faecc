// Telemetry of one device, from all sources that know it. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/source.hpp"

namespace quern::telemetry {

// A library, and whether it works on this machine.
struct LibraryState {
  std::string name;     // "NVML", with the version if it works
  std::string serves;   // "NVIDIA GPUs"
  std::string why_not;  // empty: it works
};

// The libraries, whether or not a device needs them: `quern top` says which ones are missing.
std::vector<LibraryState> libraries();

class Monitor {
 public:
  // Opens the sources of the device. `root` is "/", or a folder with copies of /sys and /proc.
  explicit Monitor(const DeviceInfo& device, const std::string& root = "/");
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  Telemetry read();
  // The part of read() that takes no time: the reasons for throttling, if known.
  std::optional<ThrottleReasons> throttle();
  ThrottleCounters throttle_counters();

 private:
  struct Slot {
    std::unique_ptr<Source> source;
    std::string why_not;  // if it cannot be opened
  };
  void add(OpenedSource source, std::string_view name);

  std::mutex mutex_;         // guards the sources
  std::vector<Slot> slots_;  // best first
};

// Observes whether a device is throttled. A short period is found only where the source has counters (NVML,
// Sysman, the processor of the host); other sources are read when reasons() is called.
class ThrottleWatch {
 public:
  explicit ThrottleWatch(const DeviceInfo& device)
      : monitor_(device), before_(monitor_.throttle_counters()) {}

  // The reasons that mean throttling (ThrottleReasons::throttling), since construction or the previous call.
  ThrottleReasons reasons();

 private:
  Monitor monitor_;
  ThrottleCounters before_;
};

// "power limit, thermal".
std::string to_string(ThrottleReasons reasons);

}  // namespace quern::telemetry
