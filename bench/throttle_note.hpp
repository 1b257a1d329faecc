// Marks the result of a benchmark whose device was throttled meanwhile: a limit of power or temperature
// reduced its clock.
#pragma once

#include <cstdio>
#include <string>

#include "quern/types/device.hpp"
#include "telemetry/monitor.hpp"

namespace quern::bench {

class ThrottleNote {
 public:
  explicit ThrottleNote(const DeviceInfo& device) : id_(device.id()), watch_(device) {}
  ThrottleNote(const ThrottleNote&) = delete;
  ThrottleNote& operator=(const ThrottleNote&) = delete;

  // "", or " (throttled: power limit)", since construction or the previous call.
  std::string mark() {
    const ThrottleReasons reasons = watch_.reasons();
    return reasons.empty() ? std::string() : " (throttled: " + telemetry::to_string(reasons) + ")";
  }
  // Prints a line if the device was throttled since construction or the previous call.
  void print() {
    if (const std::string text = mark(); !text.empty()) std::printf("%s%s\n", id_.c_str(), text.c_str());
  }

 private:
  std::string id_;
  telemetry::ThrottleWatch watch_;
};

}  // namespace quern::bench
