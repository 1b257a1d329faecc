// Telemetry as the tool prints it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "quern/types/device.hpp"
#include "quern/types/telemetry.hpp"
#include "telemetry/monitor.hpp"

namespace quern::tool {

struct TelemetryRow {
  DeviceInfo device;
  Telemetry values;
};

// One line for each device, and the reasons why values are absent.
std::string telemetry_table(const std::vector<TelemetryRow>& rows, bool colour);

// One object: {"time", "devices": […], "libraries": […]}. Absent values are null.
std::string telemetry_json(const std::vector<TelemetryRow>& rows,
                           const std::vector<telemetry::LibraryState>& libraries, double time);

// The libraries that do not work: "  NVML (NVIDIA GPUs): …". Empty if all work.
std::string missing_libraries(const std::vector<telemetry::LibraryState>& libraries);

// The mark of a measurement: "throttled (power limit)"; empty: not known to be throttled.
std::string throttled_text(ThrottleReasons reasons);
// Adds "throttled": the names of the reasons; empty: not known to be throttled.
void write_throttled(base::JsonWriter& json, ThrottleReasons reasons);

}  // namespace quern::tool
