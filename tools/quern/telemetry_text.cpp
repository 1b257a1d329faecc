#include "telemetry_text.hpp"

#include <optional>

#include "base/table.hpp"
#include "base/text.hpp"

namespace quern::tool {

namespace {

using base::Align;
using base::Cell;
using base::Style;

constexpr const char* kAbsent = "–";

std::string number(const std::optional<double>& value) {
  return value ? base::format("%.0f", *value) : std::string(kAbsent);
}

// "71 °C", "71/65 °C": of the device and of its memory.
std::string pair_text(const std::optional<double>& first, const std::optional<double>& second) {
  if (!second) return number(first);
  return number(first) + "/" + number(second);
}

std::string memory_text(const Telemetry& t) {
  if (!t.memory_used_bytes) return kAbsent;
  const std::string used = base::format_bytes(*t.memory_used_bytes);
  return t.memory_total_bytes ? used + "/" + base::format_bytes(*t.memory_total_bytes) : used;
}

Cell throttle_cell(const Telemetry& t) {
  if (!t.throttle) return {kAbsent};
  if (t.is_throttled()) return {telemetry::to_string(t.throttle->throttling()), Style::kYellow};
  return {t.throttle->has(ThrottleReason::idle) ? "no (idle)" : "no"};
}

template <typename T>
void write_value(base::JsonWriter& json, std::string_view name, const std::optional<T>& value) {
  json.key(name);
  value ? json.value(*value) : json.value(nullptr);
}

void write_reasons(base::JsonWriter& json, ThrottleReasons reasons) {
  json.begin_array();
  for (const ThrottleReason r : reasons.list()) json.value(to_string(r));
  json.end_array();
}

void write_device(base::JsonWriter& json, const TelemetryRow& row) {
  const Telemetry& t = row.values;
  json.begin_object().member("id", row.device.id()).member("name", row.device.name);
  json.member("pci", row.device.pci).member("uuid", row.device.uuid).member("source", t.source);
  write_value(json, "temperature_c", t.temperature_c);
  write_value(json, "memory_temperature_c", t.memory_temperature_c);
  write_value(json, "power_w", t.power_w);
  write_value(json, "power_limit_w", t.power_limit_w);
  write_value(json, "clock_mhz", t.clock_mhz);
  write_value(json, "max_clock_mhz", t.max_clock_mhz);
  write_value(json, "memory_clock_mhz", t.memory_clock_mhz);
  write_value(json, "max_memory_clock_mhz", t.max_memory_clock_mhz);
  write_value(json, "utilization_percent", t.utilization_percent);
  write_value(json, "memory_utilization_percent", t.memory_utilization_percent);
  write_value(json, "memory_used_bytes", t.memory_used_bytes);
  write_value(json, "memory_total_bytes", t.memory_total_bytes);
  json.key("throttle_reasons");
  if (t.throttle) {
    write_reasons(json, *t.throttle);
  } else {
    json.value(nullptr);
  }
  json.key("throttled");
  t.throttle ? json.value(t.is_throttled()) : json.value(nullptr);
  json.key("processes").begin_array();
  for (const TelemetryProcess& p : t.processes) {
    json.begin_object().member("id", p.id);
    write_value(json, "memory_bytes", p.memory_bytes);
    json.end_object();
  }
  json.end_array().key("missing").begin_array();
  for (const std::string& sentence : t.missing) json.value(sentence);
  json.end_array().end_object();
}

}  // namespace

std::string telemetry_table(const std::vector<TelemetryRow>& rows, bool colour) {
  base::Table table({{"id"},
                     {"device", Align::kLeft, 28},
                     {"°C", Align::kRight},
                     {"W", Align::kRight},
                     {"limit", Align::kRight},
                     {"MHz", Align::kRight},
                     {"memory MHz", Align::kRight},
                     {"busy %", Align::kRight},
                     {"memory", Align::kRight},
                     {"throttled"}});
  for (const auto& [device, t] : rows) {
    table.add_row({device.id(), Cell(device.name, Style::kBold),
                   pair_text(t.temperature_c, t.memory_temperature_c), number(t.power_w),
                   number(t.power_limit_w), number(t.clock_mhz), number(t.memory_clock_mhz),
                   number(t.utilization_percent), memory_text(t), throttle_cell(t)});
  }
  std::string out = table.to_string(colour);
  for (const auto& [device, t] : rows) {
    for (const TelemetryProcess& p : t.processes) {
      out += base::format("  %s: process %llu", device.id().c_str(), static_cast<unsigned long long>(p.id));
      out += p.memory_bytes ? ", " + base::format_bytes(*p.memory_bytes) + "\n" : "\n";
    }
  }
  return out;
}

std::string missing_libraries(const std::vector<telemetry::LibraryState>& libraries) {
  std::string out;
  for (const telemetry::LibraryState& l : libraries) {
    if (!l.why_not.empty()) out += "  " + l.name + " (" + l.serves + "): " + l.why_not + "\n";
  }
  return out;
}

std::string telemetry_json(const std::vector<TelemetryRow>& rows,
                           const std::vector<telemetry::LibraryState>& libraries, double time) {
  base::JsonWriter json;
  json.begin_object().member("time", time).key("devices").begin_array();
  for (const TelemetryRow& row : rows) write_device(json, row);
  json.end_array().key("libraries").begin_array();
  for (const telemetry::LibraryState& l : libraries) {
    json.begin_object().member("name", l.name).member("serves", l.serves);
    json.member("works", l.why_not.empty()).member("why_not", l.why_not).end_object();
  }
  json.end_array().end_object();
  return json.take() + "\n";
}

std::string throttled_text(ThrottleReasons reasons) {
  return reasons.empty() ? std::string() : "throttled (" + telemetry::to_string(reasons) + ")";
}

void write_throttled(base::JsonWriter& json, ThrottleReasons reasons) {
  json.key("throttled");
  write_reasons(json, reasons);
}

}  // namespace quern::tool
