// One reading of a device's sensors, filled by several sources in turn. The first source that reports a value
// wins, and so does the first reason why a value is absent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "quern/types/telemetry.hpp"

namespace quern::telemetry {

enum class Field : uint8_t {
  kTemperature,
  kMemoryTemperature,
  kPower,
  kPowerLimit,
  kClock,
  kMaxClock,
  kMemoryClock,
  kMaxMemoryClock,
  kUtilization,
  kMemoryUtilization,
  kMemoryUsed,
  kMemoryTotal,
  kThrottle,
};
inline constexpr size_t kFieldCount = static_cast<size_t>(Field::kThrottle) + 1;

std::string_view name(Field field);  // "memory clock"

class Reading {
 public:
  bool has(Field field) const;
  // In the units of Telemetry. Not for kThrottle.
  void set(Field field, double value);
  void set(ThrottleReasons reasons);
  void add(TelemetryProcess process) { processes_.push_back(process); }
  // Why the value is absent: a clause that completes "power: …".
  void lack(Field field, std::string_view reason);
  // The same for all values that are absent without a reason.
  void lack_rest(std::string_view reason);

  // The values that are set from now on come from this source.
  void begin_source(std::string name);
  Telemetry finish();

 private:
  std::array<std::optional<double>, kFieldCount> values_;  // that of kThrottle is not used
  std::array<std::string, kFieldCount> reasons_;
  std::optional<ThrottleReasons> throttle_;
  std::vector<TelemetryProcess> processes_;
  std::string source_;       // that delivered something
  std::string next_source_;  // that has not delivered yet
  void deliver();
};

}  // namespace quern::telemetry
