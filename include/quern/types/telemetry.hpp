/// @file
/// Telemetry: what the sensors of a device report. See docs/telemetry.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quern/export.hpp"

namespace quern {

/// A reason why a device runs below its highest clock.
enum class ThrottleReason : std::uint8_t {
  idle,              ///< No work. Not throttling.
  clock_setting,     ///< A clock that a user or a display has set. Not throttling.
  power_limit,       ///< The power limit.
  thermal,           ///< The temperature limit, enforced by software.
  hardware_thermal,  ///< The temperature limit, enforced by hardware.
  power_brake,       ///< A signal of the power supply.
  current_limit,     ///< The limit of an electric current.
  hardware,          ///< Slowed by hardware, for a reason that the device does not specify.
  sync_boost,        ///< Clocks are kept equal to those of other devices.
  other,             ///< Another reason.
};

/// The number of reasons.
inline constexpr std::size_t kThrottleReasonCount = static_cast<std::size_t>(ThrottleReason::other) + 1;

/// The name, for example "power limit".
QUERN_API std::string_view to_string(ThrottleReason reason);

/// A set of reasons. Iteration is in the order of ThrottleReason.
class ThrottleReasons {
 public:
  constexpr ThrottleReasons() = default;  ///< The empty set: the device runs at its highest clock.
  /// A set of the given reasons.
  constexpr ThrottleReasons(std::initializer_list<ThrottleReason> reasons) {
    for (const ThrottleReason r : reasons) add(r);
  }
  /// Whether the reason is in the set.
  constexpr bool has(ThrottleReason r) const { return (bits_ & bit(r)) != 0; }
  constexpr void add(ThrottleReason r) { bits_ |= bit(r); }              ///< Adds a reason.
  constexpr void add(ThrottleReasons others) { bits_ |= others.bits_; }  ///< Adds all reasons of a set.
  constexpr bool empty() const { return bits_ == 0; }                    ///< Whether the set is empty.
  constexpr bool operator==(const ThrottleReasons&) const = default;     ///< Whether both sets are equal.
  /// The reasons that mean throttling: all except `idle` and `clock_setting`.
  constexpr ThrottleReasons throttling() const {
    ThrottleReasons out;
    out.bits_ = bits_ & ~(bit(ThrottleReason::idle) | bit(ThrottleReason::clock_setting));
    return out;
  }
  /// The reasons in order.
  std::vector<ThrottleReason> list() const {
    std::vector<ThrottleReason> out;
    for (std::uint32_t rest = bits_; rest != 0; rest &= rest - 1)
      out.push_back(static_cast<ThrottleReason>(std::countr_zero(rest)));
    return out;
  }

 private:
  static constexpr std::uint32_t bit(ThrottleReason r) {
    return std::uint32_t{1} << static_cast<std::uint8_t>(r);
  }
  std::uint32_t bits_ = 0;
};

/// A process that uses a device.
struct TelemetryProcess {
  std::uint64_t id = 0;                       ///< Process ID.
  std::optional<std::uint64_t> memory_bytes;  ///< Device memory of the process; absent: not reported.
};

/// The values of a device's sensors at one time. A value is absent if no source reports it; `missing` then
/// says why. An absent value is never reported as 0.
struct Telemetry {
  std::optional<double> temperature_c;         ///< Temperature of the processor in °C.
  std::optional<double> memory_temperature_c;  ///< Temperature of the memory in °C.
  std::optional<double> power_w;               ///< Power draw in watts.
  std::optional<double> power_limit_w;         ///< Power limit in watts.
  std::optional<double> clock_mhz;             ///< Clock of the processor in MHz.
  std::optional<double> max_clock_mhz;         ///< Its highest value.
  std::optional<double> memory_clock_mhz;      ///< Clock of the memory in MHz.
  std::optional<double> max_memory_clock_mhz;  ///< Its highest value.
  std::optional<double> utilization_percent;   ///< Share of time in which the device was busy, 0 to 100.
  std::optional<double>
      memory_utilization_percent;                   ///< Share of time in which the memory was busy, 0 to 100.
  std::optional<std::uint64_t> memory_used_bytes;   ///< Memory in use by all processes.
  std::optional<std::uint64_t> memory_total_bytes;  ///< Size of the memory.
  std::optional<ThrottleReasons> throttle;          ///< Reasons why the device runs below its highest clock.
  std::vector<TelemetryProcess> processes;  ///< Processes that use the device, if the source lists them.
  std::string source;  ///< Where the values come from, for example "NVML 580.95"; empty: no source works.
  /// One sentence for each reason why values are absent: the values, and the library, the file or the
  /// permission that is needed.
  std::vector<std::string> missing;

  /// Whether the device is known to be throttled: slowed by a limit of power, temperature or current.
  bool is_throttled() const { return throttle && !throttle->throttling().empty(); }
};

}  // namespace quern
