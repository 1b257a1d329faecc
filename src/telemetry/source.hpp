// A source of telemetry for one device: a vendor's library, or files of the operating system. One file each.
// Sources are not thread-safe; Monitor serializes the calls.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "quern/types/device.hpp"
#include "telemetry/reading.hpp"

namespace quern::telemetry {

// For each reason, a number that grows while the device is throttled for this reason: a time or a count.
using ThrottleCounters = std::array<uint64_t, kThrottleReasonCount>;

class Source {
 public:
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  virtual std::string name() const = 0;  // with the version, if known: "NVML 580.95"
  // Sets the values that it knows and says why others are absent. Values that are rates (power from an energy
  // counter, utilization from a busy time) refer to the time since the previous call or, at the first call,
  // since the source was opened; such a source waits until kShortestPeriod has passed.
  virtual void read(Reading& to) = 0;
  // The part of read() that sets the reasons for throttling. Does not wait.
  virtual void read_throttle(Reading& /*to*/) {}
  virtual void count(ThrottleCounters& /*to*/) {}

 protected:
  Source() = default;
};

using OpenedSource = base::Result<std::unique_ptr<Source>>;

// Whether the library works. Returns its name and version: "NVML 580.95".
base::Result<std::string> probe_nvml();
base::Result<std::string> probe_rocm_smi();
base::Result<std::string> probe_sysman();

// ErrorKind::not_found: the library is not installed, or does not know the device.
OpenedSource open_nvml(const DeviceInfo& device);
OpenedSource open_rocm_smi(const DeviceInfo& device);
OpenedSource open_sysman(const DeviceInfo& device);
// Files of hwmon and DRM below the device's PCI folder. `root` is "/", or a folder with a copy of /sys.
OpenedSource open_device_files(const DeviceInfo& device, const std::string& root);
// The processor of the host: files below /proc and /sys.
OpenedSource open_processor(const std::string& root);

// A counter whose growth per time is a value: joules, or busy seconds.
class Rate {
 public:
  static constexpr auto kShortestPeriod = std::chrono::milliseconds(100);
  using Clock = std::chrono::steady_clock;

  void start(double count, double seconds) {
    count_ = count;
    seconds_ = seconds;
  }
  // Growth per second since the previous call; `seconds` is on the counter's own clock. Nothing if the
  // counter or its clock did not advance, or was reset.
  std::optional<double> next(double count, double seconds) {
    const double grown = count - count_, passed = seconds - seconds_;
    start(count, seconds);
    return passed > 0 && grown >= 0 ? std::optional(grown / passed) : std::nullopt;
  }
  static double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

 private:
  double count_ = 0, seconds_ = 0;
};

// Waits until the shortest period has passed since the previous call, or since its construction.
class Pacer {
 public:
  void wait();

 private:
  Rate::Clock::time_point last_ = Rate::Clock::now();
};

}  // namespace quern::telemetry
