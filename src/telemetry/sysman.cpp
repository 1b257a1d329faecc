// Level Zero's Sysman, which Intel's driver implements; it is part of the Level Zero loader. Declares what
// other projects take from zes_api.h; names, numbers and layouts are those of the specification.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "telemetry/messages.hpp"
#include "telemetry/native_library.hpp"
#include "telemetry/source.hpp"

namespace quern::telemetry {

namespace {

using ZesHandle = void*;
using ZesCode = uint32_t;
enum : ZesCode {
  kZesSuccess = 0,
  kZesPermission = 0x70010000,
  kZesUnsupportedVersion = 0x78000002,
  kZesUnsupported = 0x78000003,
};
// zes_structure_type_t
enum : uint32_t {
  kZesPci = 0x2,
  kZesEngine = 0x5,
  kZesClock = 0x9,
  kZesTemperature = 0x14,
  kZesClockState = 0x1B,
  kZesMemoryState = 0x1E,
};
enum : uint32_t { kZesGlobalSensor = 0, kZesGpuSensor = 1, kZesMemorySensor = 2 };
enum : uint32_t { kZesAllEngines = 0, kZesComputeEngines = 1 };
enum : uint32_t { kZesGpuClock = 0, kZesMemoryClock = 1 };

struct ZesPciProperties {
  uint32_t type = kZesPci;
  void* next = nullptr;
  uint32_t domain = 0, bus = 0, device = 0, function = 0;
  int32_t generation = 0, lanes = 0;
  int64_t bandwidth = 0;
  uint8_t counters[3] = {};
};

struct ZesTemperatureProperties {
  uint32_t type = kZesTemperature;
  void* next = nullptr;
  uint32_t sensor = 0;
  uint8_t is_on_subdevice = 0;
  uint32_t subdevice = 0;
  double max = 0;
  uint8_t thresholds[3] = {};
};

struct ZesClockProperties {
  uint32_t type = kZesClock;
  void* next = nullptr;
  uint32_t domain = 0;
  uint8_t is_on_subdevice = 0;
  uint32_t subdevice = 0;
  uint8_t can_control = 0, has_throttle_event = 0;
  double min = 0, max = 0;
};

struct ZesClockStateData {
  uint32_t type = kZesClockState;
  const void* next = nullptr;
  double voltage = 0, request = 0, tdp = 0, efficient = 0, actual = 0;
  uint32_t reasons = 0;
};

struct ZesEngineProperties {
  uint32_t type = kZesEngine;
  void* next = nullptr;
  uint32_t group = 0;
  uint8_t is_on_subdevice = 0;
  uint32_t subdevice = 0;
};

struct ZesMemoryStateData {
  uint32_t type = kZesMemoryState;
  const void* next = nullptr;
  uint32_t health = 0;
  uint64_t free = 0, size = 0;
};

// A counter and the time at which it was read, both in microseconds or, for energy, microjoules.
struct ZesCounter {
  uint64_t count = 0, timestamp = 0;
};

struct ZesSustainedLimit {
  uint8_t is_enabled = 0;
  int32_t milliwatts = 0, interval = 0;
};

#define QUERN_ZES_REQUIRED(X)                                \
  X(zesInit, ZesCode(uint32_t))                              \
  X(zesDriverGet, ZesCode(uint32_t*, ZesHandle*))            \
  X(zesDeviceGet, ZesCode(ZesHandle, uint32_t*, ZesHandle*)) \
  X(zesDevicePciGetProperties, ZesCode(ZesHandle, ZesPciProperties*))

#define QUERN_ZES_OPTIONAL(X)                                                   \
  X(zesDeviceEnumTemperatureSensors, ZesCode(ZesHandle, uint32_t*, ZesHandle*)) \
  X(zesTemperatureGetProperties, ZesCode(ZesHandle, ZesTemperatureProperties*)) \
  X(zesTemperatureGetState, ZesCode(ZesHandle, double*))                        \
  X(zesDeviceEnumPowerDomains, ZesCode(ZesHandle, uint32_t*, ZesHandle*))       \
  X(zesPowerGetEnergyCounter, ZesCode(ZesHandle, ZesCounter*))                  \
  X(zesPowerGetLimits, ZesCode(ZesHandle, ZesSustainedLimit*, void*, void*))    \
  X(zesDeviceEnumFrequencyDomains, ZesCode(ZesHandle, uint32_t*, ZesHandle*))   \
  X(zesFrequencyGetProperties, ZesCode(ZesHandle, ZesClockProperties*))         \
  X(zesFrequencyGetState, ZesCode(ZesHandle, ZesClockStateData*))               \
  X(zesFrequencyGetThrottleTime, ZesCode(ZesHandle, ZesCounter*))               \
  X(zesDeviceEnumEngineGroups, ZesCode(ZesHandle, uint32_t*, ZesHandle*))       \
  X(zesEngineGetProperties, ZesCode(ZesHandle, ZesEngineProperties*))           \
  X(zesEngineGetActivity, ZesCode(ZesHandle, ZesCounter*))                      \
  X(zesDeviceEnumMemoryModules, ZesCode(ZesHandle, uint32_t*, ZesHandle*))      \
  X(zesMemoryGetState, ZesCode(ZesHandle, ZesMemoryStateData*))

struct Sysman {
#define X(name, type) std::add_pointer_t<type> name = nullptr;
  QUERN_ZES_REQUIRED(X)
  QUERN_ZES_OPTIONAL(X)
#undef X

  static base::Result<Sysman> load() {
    constexpr std::string_view kNames[] = {"libze_loader.so.1"};
    Sysman api;
    const Symbol symbols[] = {
#define X(name, type) {#name, &api.name, true},
        QUERN_ZES_REQUIRED(X)
#undef X
#define X(name, type) {#name, &api.name, false},
            QUERN_ZES_OPTIONAL(X)
#undef X
    };
    QUERN_TRY(load_library("QUERN_LEVEL_ZERO_LIBRARY", kNames,
                           "install the Level Zero loader (libze1) and the GPU's driver", symbols));
    if (const ZesCode code = api.zesInit(0); code != kZesSuccess)
      return base::Error(base::ErrorKind::unsupported, message::kSysmanInit(base::format("0x%x", code)));
    return api;
  }
};

std::string reason_for(const char* function, ZesCode code) {
  switch (code) {
    case kZesPermission:
      return std::string(function) +
             " failed: permission denied; run as root, or add the user to the group 'render'";
    case kZesUnsupported:
    case kZesUnsupportedVersion: return "Sysman does not support it on this device";
    default: return base::format("%s failed: error 0x%x", function, code);
  }
}

// The handles that an enumerating function reports, or why there are none.
template <typename Call>
base::Result<std::vector<ZesHandle>> handles(const char* function, const Call& call) {
  uint32_t count = 0;
  ZesCode code = call(&count, nullptr);
  std::vector<ZesHandle> out(code == kZesSuccess ? count : 0);
  if (!out.empty()) code = call(&count, out.data());
  if (code != kZesSuccess) return base::Error(base::ErrorKind::unsupported, reason_for(function, code));
  out.resize(std::min<size_t>(out.size(), count));
  return out;
}

base::Result<ZesHandle> find_device(const Sysman& api, const DeviceInfo& info) {
  QUERN_TRY_ASSIGN(const std::vector<ZesHandle> drivers, handles("zesDriverGet", api.zesDriverGet));
  std::vector<ZesHandle> all;
  for (const ZesHandle driver : drivers) {
    QUERN_TRY_ASSIGN(const std::vector<ZesHandle> devices,
                     handles("zesDeviceGet", [&](uint32_t* count, ZesHandle* to) {
                       return api.zesDeviceGet(driver, count, to);
                     }));
    all.insert(all.end(), devices.begin(), devices.end());
  }
  if (info.pci.empty() && all.size() == 1) return all[0];  // the driver reports no address
  for (const ZesHandle device : all) {
    ZesPciProperties p;
    if (api.zesDevicePciGetProperties(device, &p) == kZesSuccess &&
        base::format("%04x:%02x:%02x.%x", p.domain, p.bus, p.device, p.function) == info.pci)
      return device;
  }
  return base::Error(base::ErrorKind::not_found,
                     message::kNoDeviceByPci(info.name, info.pci, base::format_plural(all.size(), "device")));
}

ThrottleReasons reasons_of(uint32_t bits) {
  constexpr std::pair<uint32_t, ThrottleReason> kReasons[] = {
      {0x1, ThrottleReason::power_limit},    {0x2, ThrottleReason::power_limit},
      {0x4, ThrottleReason::current_limit},  {0x8, ThrottleReason::thermal},
      {0x10, ThrottleReason::power_brake},   {0x20, ThrottleReason::clock_setting},
      {0x40, ThrottleReason::clock_setting},
  };
  ThrottleReasons out;
  for (const auto& [bit, reason] : kReasons) {
    if ((bits & bit) != 0) out.add(reason);
    bits &= ~bit;
  }
  if (bits != 0) out.add(ThrottleReason::other);
  return out;
}

class SysmanSource final : public Source {
 public:
  SysmanSource(const Sysman& api, ZesHandle device) : api_(api), device_(device) {
    Reading ignored;
    read_rates(ignored, true);
  }

  std::string name() const override { return "Level Zero Sysman"; }

  void read(Reading& to) override {
    pacer_.wait();
    read_temperatures(to);
    read_clocks(to);
    read_memory(to);
    read_rates(to, false);
    to.lack(Field::kMemoryUtilization, "Sysman has no function for it");
  }

  void read_throttle(Reading& to) override { read_clocks(to); }

  void count(ThrottleCounters& to) override {
    if (api_.zesFrequencyGetThrottleTime == nullptr) return;
    // The reason is not counted, only the time.
    for (const ZesHandle clock :
         list("zesDeviceEnumFrequencyDomains", api_.zesDeviceEnumFrequencyDomains, {}, nullptr)) {
      ZesCounter time;
      if (api_.zesFrequencyGetThrottleTime(clock, &time) == kZesSuccess)
        to[static_cast<size_t>(ThrottleReason::other)] += time.count;
    }
  }

 private:
  using Enumerate = ZesCode (*)(ZesHandle, uint32_t*, ZesHandle*);

  // The handles of one kind; if there are none, the fields lack with the reason.
  std::vector<ZesHandle> list(const char* function, Enumerate enumerate, std::initializer_list<Field> fields,
                              Reading* to) const {
    std::string why;
    std::vector<ZesHandle> out;
    if (enumerate == nullptr) {
      why = std::string("Sysman has no function '") + function + "'";
    } else {
      auto found =
          handles(function, [&](uint32_t* count, ZesHandle* all) { return enumerate(device_, count, all); });
      if (found.ok()) out = std::move(*found);
      why = found.ok() ? "Sysman does not support it on this device" : found.error().message();
    }
    if (out.empty() && to != nullptr) {
      for (const Field field : fields) to->lack(field, why);
    }
    return out;
  }

  // Whether the call succeeds; else the field lacks with the reason.
  template <typename Call, typename... A>
  static bool succeeds(Reading& to, Field field, const char* function, Call* call, A... arguments) {
    const ZesCode code = call != nullptr ? call(arguments...) : kZesUnsupported;
    if (code != kZesSuccess) to.lack(field, reason_for(function, code));
    return code == kZesSuccess;
  }

  void read_temperatures(Reading& to) const {
    double hottest = 0, memory = 0;
    for (const ZesHandle sensor :
         list("zesDeviceEnumTemperatureSensors", api_.zesDeviceEnumTemperatureSensors,
              {Field::kTemperature, Field::kMemoryTemperature}, &to)) {
      ZesTemperatureProperties p;
      double celsius = 0;
      if (!succeeds(to, Field::kTemperature, "zesTemperatureGetProperties", api_.zesTemperatureGetProperties,
                    sensor, &p))
        continue;
      const bool is_memory = p.sensor == kZesMemorySensor;
      if (!is_memory && p.sensor != kZesGpuSensor && p.sensor != kZesGlobalSensor) continue;
      if (succeeds(to, is_memory ? Field::kMemoryTemperature : Field::kTemperature, "zesTemperatureGetState",
                   api_.zesTemperatureGetState, sensor, &celsius))
        (is_memory ? memory : hottest) = std::max(is_memory ? memory : hottest, celsius);
    }
    if (hottest > 0) to.set(Field::kTemperature, hottest);
    if (memory > 0) to.set(Field::kMemoryTemperature, memory);
  }

  // A device of several tiles has a domain for each: the highest clock, and the reasons of all.
  void read_clocks(Reading& to) const {
    double now[2] = {}, most[2] = {};
    std::optional<ThrottleReasons> reasons;
    static constexpr std::initializer_list<Field> kAll = {
        Field::kClock, Field::kMaxClock, Field::kMemoryClock, Field::kMaxMemoryClock, Field::kThrottle};
    for (const ZesHandle clock :
         list("zesDeviceEnumFrequencyDomains", api_.zesDeviceEnumFrequencyDomains, kAll, &to)) {
      ZesClockProperties p;
      ZesClockStateData state;
      if (!succeeds(to, Field::kMaxClock, "zesFrequencyGetProperties", api_.zesFrequencyGetProperties, clock,
                    &p) ||
          p.domain > kZesMemoryClock)
        continue;
      most[p.domain] = std::max(most[p.domain], p.max);
      if (!succeeds(to, p.domain == kZesGpuClock ? Field::kClock : Field::kMemoryClock,
                    "zesFrequencyGetState", api_.zesFrequencyGetState, clock, &state))
        continue;
      now[p.domain] = std::max(now[p.domain], state.actual);  // negative: not known
      if (p.domain != kZesGpuClock) continue;
      if (!reasons) reasons.emplace();
      reasons->add(reasons_of(state.reasons));
    }
    if (now[kZesGpuClock] > 0) to.set(Field::kClock, now[kZesGpuClock]);
    if (most[kZesGpuClock] > 0) to.set(Field::kMaxClock, most[kZesGpuClock]);
    if (now[kZesMemoryClock] > 0) to.set(Field::kMemoryClock, now[kZesMemoryClock]);
    if (most[kZesMemoryClock] > 0) to.set(Field::kMaxMemoryClock, most[kZesMemoryClock]);
    if (reasons) to.set(*reasons);
    for (const Field field : kAll) to.lack(field, "Sysman does not support it on this device");
  }

  void read_memory(Reading& to) const {
    double used = 0, total = 0;
    for (const ZesHandle module : list("zesDeviceEnumMemoryModules", api_.zesDeviceEnumMemoryModules,
                                       {Field::kMemoryUsed, Field::kMemoryTotal}, &to)) {
      ZesMemoryStateData state;
      if (!succeeds(to, Field::kMemoryUsed, "zesMemoryGetState", api_.zesMemoryGetState, module, &state))
        continue;
      used += static_cast<double>(state.size - std::min(state.free, state.size));
      total += static_cast<double>(state.size);
    }
    if (total <= 0) return to.lack(Field::kMemoryTotal, "Sysman does not support it on this device");
    to.set(Field::kMemoryUsed, used);
    to.set(Field::kMemoryTotal, total);
  }

  // Power from the energy counter of the first domain, which is the card's; utilization from the activity of
  // all engines, or of the compute engines.
  void read_rates(Reading& to, bool is_first) {
    constexpr double kMicro = 1e-6;
    const auto domains = list("zesDeviceEnumPowerDomains", api_.zesDeviceEnumPowerDomains,
                              {Field::kPower, Field::kPowerLimit}, &to);
    ZesCounter energy;
    if (!domains.empty() && succeeds(to, Field::kPower, "zesPowerGetEnergyCounter",
                                     api_.zesPowerGetEnergyCounter, domains[0], &energy)) {
      const auto watts = energy_.next(static_cast<double>(energy.count) * kMicro,
                                      static_cast<double>(energy.timestamp) * kMicro);
      if (watts && !is_first) to.set(Field::kPower, *watts);
      to.lack(Field::kPower, "the energy counter did not advance");
    }
    ZesSustainedLimit limit;
    if (!domains.empty() && succeeds(to, Field::kPowerLimit, "zesPowerGetLimits", api_.zesPowerGetLimits,
                                     domains[0], &limit, nullptr, nullptr)) {
      if (limit.is_enabled != 0) to.set(Field::kPowerLimit, limit.milliwatts * 1e-3);
      to.lack(Field::kPowerLimit, "no limit is set");
    }
    read_activity(to, is_first);
  }

  void read_activity(Reading& to, bool is_first) {
    ZesHandle best = nullptr;
    uint32_t best_group = kZesComputeEngines + 1;
    for (const ZesHandle engine :
         list("zesDeviceEnumEngineGroups", api_.zesDeviceEnumEngineGroups, {Field::kUtilization}, &to)) {
      ZesEngineProperties p;
      if (!succeeds(to, Field::kUtilization, "zesEngineGetProperties", api_.zesEngineGetProperties, engine,
                    &p) ||
          p.group >= best_group)
        continue;
      best = engine;
      best_group = p.group;
    }
    ZesCounter busy;
    if (best == nullptr ||
        !succeeds(to, Field::kUtilization, "zesEngineGetActivity", api_.zesEngineGetActivity, best, &busy))
      return to.lack(Field::kUtilization, "Sysman does not support it on this device");
    const auto share = activity_.next(static_cast<double>(busy.count), static_cast<double>(busy.timestamp));
    if (share && !is_first) to.set(Field::kUtilization, std::clamp(*share * 100, 0.0, 100.0));
    to.lack(Field::kUtilization, "the activity counter did not advance");
  }

  const Sysman api_;
  const ZesHandle device_;
  Rate energy_, activity_;
  Pacer pacer_;
};

}  // namespace

base::Result<std::string> probe_sysman() {
  QUERN_TRY(Sysman::load());
  return std::string("Level Zero Sysman");
}

OpenedSource open_sysman(const DeviceInfo& device) {
  QUERN_TRY_ASSIGN(const Sysman api, Sysman::load());
  QUERN_TRY_ASSIGN(const ZesHandle handle, find_device(api, device));
  return std::make_unique<SysmanSource>(api, handle);
}

}  // namespace quern::telemetry
