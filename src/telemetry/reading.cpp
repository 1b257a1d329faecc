#include "telemetry/reading.hpp"

#include <iterator>
#include <utility>

namespace quern {

std::string_view to_string(ThrottleReason reason) {
  constexpr std::string_view kNames[] = {
      "idle",        "clock setting", "power limit", "thermal",    "hardware thermal",
      "power brake", "current limit", "hardware",    "sync boost", "other"};
  static_assert(std::size(kNames) == kThrottleReasonCount);
  return kNames[static_cast<size_t>(reason)];
}

namespace telemetry {

std::string_view name(Field field) {
  constexpr std::string_view kNames[] = {
      "temperature", "memory temperature", "power",        "power limit",
      "clock",       "max clock",          "memory clock", "max memory clock",
      "utilization", "memory utilization", "memory used",  "memory total",
      "throttling"};
  static_assert(std::size(kNames) == kFieldCount);
  return kNames[static_cast<size_t>(field)];
}

bool Reading::has(Field field) const {
  return field == Field::kThrottle ? throttle_.has_value() : values_[static_cast<size_t>(field)].has_value();
}

void Reading::deliver() {
  if (next_source_.empty()) return;
  source_ += (source_.empty() ? "" : ", ") + std::exchange(next_source_, {});
}

void Reading::set(Field field, double value) {
  if (has(field)) return;
  values_[static_cast<size_t>(field)] = value;
  deliver();
}

void Reading::set(ThrottleReasons reasons) {
  if (throttle_) return;
  throttle_ = reasons;
  deliver();
}

void Reading::lack(Field field, std::string_view reason) {
  std::string& known = reasons_[static_cast<size_t>(field)];
  if (known.empty()) known = reason;
}

void Reading::lack_rest(std::string_view reason) {
  for (size_t i = 0; i < kFieldCount; ++i) lack(static_cast<Field>(i), reason);
}

void Reading::begin_source(std::string name) { next_source_ = std::move(name); }

Telemetry Reading::finish() {
  Telemetry out;
  const auto value = [&](Field field) { return values_[static_cast<size_t>(field)]; };
  const auto bytes = [&](Field field) -> std::optional<uint64_t> {
    const auto number = value(field);
    return number ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
  };
  out.temperature_c = value(Field::kTemperature);
  out.memory_temperature_c = value(Field::kMemoryTemperature);
  out.power_w = value(Field::kPower);
  out.power_limit_w = value(Field::kPowerLimit);
  out.clock_mhz = value(Field::kClock);
  out.max_clock_mhz = value(Field::kMaxClock);
  out.memory_clock_mhz = value(Field::kMemoryClock);
  out.max_memory_clock_mhz = value(Field::kMaxMemoryClock);
  out.utilization_percent = value(Field::kUtilization);
  out.memory_utilization_percent = value(Field::kMemoryUtilization);
  out.memory_used_bytes = bytes(Field::kMemoryUsed);
  out.memory_total_bytes = bytes(Field::kMemoryTotal);
  out.throttle = throttle_;
  out.processes = std::move(processes_);
  out.source = std::move(source_);
  // Values that are absent for the same reason share a sentence.
  for (size_t i = 0; i < kFieldCount; ++i) {
    std::string& reason = reasons_[i];
    if (reason.empty() || has(static_cast<Field>(i))) continue;
    std::string names(name(static_cast<Field>(i)));
    for (size_t k = i + 1; k < kFieldCount; ++k) {
      if (reasons_[k] != reason || has(static_cast<Field>(k))) continue;
      names += ", " + std::string(name(static_cast<Field>(k)));
      reasons_[k].clear();
    }
    out.missing.push_back(names + ": " + reason);
  }
  return out;
}

}  // namespace telemetry

}  // namespace quern
