// A thread that reads the telemetry of devices at a fixed interval.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "telemetry/monitor.hpp"

namespace quern::telemetry {

class Sampler {
 public:
  using Callback = std::function<void(const DeviceInfo& device, const Telemetry& values)>;

  // Calls `callback` on its thread, once per device and interval, until it is destroyed.
  Sampler(std::chrono::duration<double> interval, Callback callback);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void add(const DeviceInfo& device);  // one that is there already is ignored

 private:
  struct Sampled {
    DeviceInfo device;
    std::unique_ptr<Monitor> monitor;  // opened by the thread: libraries take a while to load
  };
  void run();

  const std::chrono::duration<double> interval_;
  const Callback callback_;
  std::mutex mutex_;  // guards the following members
  std::condition_variable wake_;
  std::vector<DeviceInfo> added_;
  bool is_ending_ = false;
  std::vector<Sampled> sampled_;  // of the thread
  std::thread thread_;            // last: it uses the other members
};

}  // namespace quern::telemetry
