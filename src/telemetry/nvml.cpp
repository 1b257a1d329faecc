// NVML, the library of NVIDIA's driver. Declares what other projects take from nvml.h; names, numbers and
// layouts are those of its documentation.
#include <algorithm>
#include <array>
#include <cstdint>
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

using NvmlDevice = void*;
using NvmlCode = int;

enum : NvmlCode {
  kNvmlSuccess = 0,
  kNvmlNotSupported = 3,
  kNvmlNoPermission = 4,
  kNvmlNotFound = 6,
  kNvmlTooSmall = 7,
};

enum NvmlClock : int { kNvmlSmClock = 1, kNvmlMemoryClock = 2 };

struct NvmlUtilization {
  unsigned processor = 0, memory = 0;
};

struct NvmlMemory {
  unsigned long long total = 0, free = 0, used = 0;
};

struct NvmlMemory2 {
  unsigned version = sizeof(NvmlMemory2) | 2U << 24;
  unsigned long long total = 0, reserved = 0, free = 0, used = 0;
};
static_assert(sizeof(NvmlMemory2) == 40);

struct NvmlField {
  unsigned field = 0, scope = 0;
  long long timestamp = 0, latency = 0;
  int type = 0;
  NvmlCode code = 0;
  union {
    double real;
    unsigned number;
    unsigned long long bits = 0;
  } value;
};
static_assert(sizeof(NvmlField) == 40);
constexpr unsigned kNvmlMemoryTemperature = 82;

struct NvmlProcess {
  unsigned id = 0;
  unsigned long long bytes = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};
static_assert(sizeof(NvmlProcess) == 24);

struct NvmlViolation {
  unsigned long long reference_time = 0, time = 0;
};

#define QUERN_NVML_REQUIRED(X)                                      \
  X(nvmlInit_v2, NvmlCode())                                        \
  X(nvmlShutdown, NvmlCode())                                       \
  X(nvmlErrorString, const char*(NvmlCode))                         \
  X(nvmlDeviceGetCount_v2, NvmlCode(unsigned*))                     \
  X(nvmlDeviceGetHandleByIndex_v2, NvmlCode(unsigned, NvmlDevice*)) \
  X(nvmlDeviceGetHandleByPciBusId_v2, NvmlCode(const char*, NvmlDevice*))

#define QUERN_NVML_OPTIONAL(X)                                                            \
  X(nvmlSystemGetDriverVersion, NvmlCode(char*, unsigned))                                \
  X(nvmlDeviceGetHandleByUUID, NvmlCode(const char*, NvmlDevice*))                        \
  X(nvmlDeviceGetTemperature, NvmlCode(NvmlDevice, int, unsigned*))                       \
  X(nvmlDeviceGetFieldValues, NvmlCode(NvmlDevice, int, NvmlField*))                      \
  X(nvmlDeviceGetPowerUsage, NvmlCode(NvmlDevice, unsigned*))                             \
  X(nvmlDeviceGetEnforcedPowerLimit, NvmlCode(NvmlDevice, unsigned*))                     \
  X(nvmlDeviceGetClockInfo, NvmlCode(NvmlDevice, int, unsigned*))                         \
  X(nvmlDeviceGetMaxClockInfo, NvmlCode(NvmlDevice, int, unsigned*))                      \
  X(nvmlDeviceGetUtilizationRates, NvmlCode(NvmlDevice, NvmlUtilization*))                \
  X(nvmlDeviceGetMemoryInfo, NvmlCode(NvmlDevice, NvmlMemory*))                           \
  X(nvmlDeviceGetMemoryInfo_v2, NvmlCode(NvmlDevice, NvmlMemory2*))                       \
  X(nvmlDeviceGetCurrentClocksEventReasons, NvmlCode(NvmlDevice, unsigned long long*))    \
  X(nvmlDeviceGetCurrentClocksThrottleReasons, NvmlCode(NvmlDevice, unsigned long long*)) \
  X(nvmlDeviceGetViolationStatus, NvmlCode(NvmlDevice, int, NvmlViolation*))              \
  X(nvmlDeviceGetComputeRunningProcesses_v3, NvmlCode(NvmlDevice, unsigned*, NvmlProcess*))

// The library, initialized until destruction. NVML counts initializations.
class Nvml {
 public:
  static base::Result<std::unique_ptr<Nvml>> load() {
    constexpr std::string_view kNames[] = {"libnvidia-ml.so.1"};
    std::unique_ptr<Nvml> api(new Nvml());
    const Symbol symbols[] = {
#define X(name, type) {#name, &api->name, true},
        QUERN_NVML_REQUIRED(X)
#undef X
#define X(name, type) {#name, &api->name, false},
            QUERN_NVML_OPTIONAL(X)
#undef X
    };
    QUERN_TRY(
        load_library("QUERN_NVML_LIBRARY", kNames, "install NVIDIA's driver: it contains NVML", symbols));
    if (const NvmlCode code = api->nvmlInit_v2(); code != kNvmlSuccess)
      return base::Error(base::ErrorKind::unsupported, message::kNvmlInit(api->text(code)));
    api->is_initialized_ = true;
    return api;
  }
  ~Nvml() {
    if (is_initialized_) nvmlShutdown();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string text(NvmlCode code) const {
    const char* const words = nvmlErrorString(code);
    return words != nullptr ? words : "error " + std::to_string(code);
  }
  std::string version() const {
    std::array<char, 80> text{};
    if (nvmlSystemGetDriverVersion == nullptr ||
        nvmlSystemGetDriverVersion(text.data(), static_cast<unsigned>(text.size()) - 1) != kNvmlSuccess)
      return "NVML";
    return std::string("NVML ") + text.data();
  }

#define X(name, type) std::add_pointer_t<type> name = nullptr;
  QUERN_NVML_REQUIRED(X)
  QUERN_NVML_OPTIONAL(X)
#undef X

 private:
  Nvml() = default;
  bool is_initialized_ = false;
};

// NVML writes a UUID as "GPU-01234567-89ab-cdef-0123-456789abcdef"; ours has only the digits.
std::string nvml_uuid(const std::string& digits) {
  if (digits.size() != 32) return {};
  std::string out = "GPU-";
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    out += digits[i];
  }
  return out;
}

base::Result<NvmlDevice> find_device(const Nvml& api, const DeviceInfo& info) {
  NvmlDevice device = nullptr;
  NvmlCode code = kNvmlNotFound;
  if (!info.pci.empty()) code = api.nvmlDeviceGetHandleByPciBusId_v2(info.pci.c_str(), &device);
  const std::string uuid = nvml_uuid(info.uuid);
  if (code != kNvmlSuccess && !uuid.empty() && api.nvmlDeviceGetHandleByUUID != nullptr)
    code = api.nvmlDeviceGetHandleByUUID(uuid.c_str(), &device);
  if (code == kNvmlSuccess) return device;
  // A driver that reports neither (OpenGL) is identified only if there is one GPU.
  unsigned count = 0;
  if (info.pci.empty() && info.uuid.empty() && api.nvmlDeviceGetCount_v2(&count) == kNvmlSuccess &&
      count == 1 && api.nvmlDeviceGetHandleByIndex_v2(0, &device) == kNvmlSuccess)
    return device;
  return base::Error(base::ErrorKind::not_found,
                     message::kNoDeviceByUuid(info.name, info.pci, uuid, api.text(code)));
}

constexpr std::pair<unsigned long long, ThrottleReason> kNvmlReasons[] = {
    {0x1, ThrottleReason::idle},
    {0x2, ThrottleReason::clock_setting},
    {0x4, ThrottleReason::power_limit},
    {0x8, ThrottleReason::hardware},
    {0x10, ThrottleReason::sync_boost},
    {0x20, ThrottleReason::thermal},
    {0x40, ThrottleReason::hardware_thermal},
    {0x80, ThrottleReason::power_brake},
    {0x100, ThrottleReason::clock_setting},
};

ThrottleReasons reasons_of(unsigned long long bits) {
  ThrottleReasons out;
  for (const auto& [bit, reason] : kNvmlReasons) {
    if ((bits & bit) != 0) out.add(reason);
    bits &= ~bit;
  }
  if (bits != 0) out.add(ThrottleReason::other);
  return out;
}

class NvmlSource final : public Source {
 public:
  NvmlSource(std::unique_ptr<Nvml> api, NvmlDevice device) : api_(std::move(api)), device_(device) {}

  std::string name() const override { return api_->version(); }

  void read(Reading& to) override {
    const auto number = [&](Field field, const char* function, double scale, auto* call, auto... arguments) {
      unsigned value = 0;
      if (succeeds(to, {field}, function, call, arguments..., &value)) to.set(field, value * scale);
    };
    number(Field::kTemperature, "nvmlDeviceGetTemperature", 1, api_->nvmlDeviceGetTemperature, 0);
    number(Field::kPower, "nvmlDeviceGetPowerUsage", 1e-3, api_->nvmlDeviceGetPowerUsage);
    number(Field::kPowerLimit, "nvmlDeviceGetEnforcedPowerLimit", 1e-3,
           api_->nvmlDeviceGetEnforcedPowerLimit);
    const int core = kNvmlSmClock, memory = kNvmlMemoryClock;
    number(Field::kClock, "nvmlDeviceGetClockInfo", 1, api_->nvmlDeviceGetClockInfo, core);
    number(Field::kMemoryClock, "nvmlDeviceGetClockInfo", 1, api_->nvmlDeviceGetClockInfo, memory);
    number(Field::kMaxClock, "nvmlDeviceGetMaxClockInfo", 1, api_->nvmlDeviceGetMaxClockInfo, core);
    number(Field::kMaxMemoryClock, "nvmlDeviceGetMaxClockInfo", 1, api_->nvmlDeviceGetMaxClockInfo, memory);
    read_memory_temperature(to);
    read_utilization(to);
    read_memory(to);
    read_throttle(to);
    read_processes(to);
  }

  void read_throttle(Reading& to) override {
    auto* const call = api_->nvmlDeviceGetCurrentClocksEventReasons != nullptr
                           ? api_->nvmlDeviceGetCurrentClocksEventReasons
                           : api_->nvmlDeviceGetCurrentClocksThrottleReasons;
    unsigned long long bits = 0;
    if (succeeds(to, {Field::kThrottle}, "nvmlDeviceGetCurrentClocksEventReasons", call, &bits))
      to.set(reasons_of(bits));
  }

  void count(ThrottleCounters& to) override {
    // NVML_PERF_POLICY_POWER, _THERMAL, _SYNC_BOOST and _BOARD_LIMIT, in this order.
    constexpr ThrottleReason kPolicies[] = {ThrottleReason::power_limit, ThrottleReason::thermal,
                                            ThrottleReason::sync_boost, ThrottleReason::hardware};
    if (api_->nvmlDeviceGetViolationStatus == nullptr) return;
    for (int policy = 0; policy < 4; ++policy) {
      NvmlViolation violation;
      if (api_->nvmlDeviceGetViolationStatus(device_, policy, &violation) == kNvmlSuccess)
        to[static_cast<size_t>(kPolicies[policy])] = violation.time;
    }
  }

 private:
  // Calls the function; if it is missing or fails, the fields lack with the reason.
  template <typename Call, typename... A>
  bool succeeds(Reading& to, std::initializer_list<Field> fields, const char* function, Call* call,
                A... arguments) const {
    const NvmlCode code = call == nullptr ? kNvmlSuccess : call(device_, arguments...);
    if (call != nullptr && code == kNvmlSuccess) return true;
    const std::string why =
        call == nullptr ? std::string("NVML has no function '") + function + "'" : reason_for(function, code);
    for (const Field field : fields) to.lack(field, why);
    return false;
  }

  std::string reason_for(const char* function, NvmlCode code) const {
    switch (code) {
      case kNvmlNotSupported: return "NVML does not support it on this device";
      case kNvmlNoPermission:
        return std::string(function) + " failed: NVML requires root or a container with access";
      default: return std::string(function) + " failed: " + api_->text(code);
    }
  }

  void read_memory_temperature(Reading& to) const {
    NvmlField field;
    field.field = kNvmlMemoryTemperature;
    if (!succeeds(to, {Field::kMemoryTemperature}, "nvmlDeviceGetFieldValues", api_->nvmlDeviceGetFieldValues,
                  1, &field))
      return;
    if (field.code != kNvmlSuccess)
      return to.lack(Field::kMemoryTemperature, reason_for("NVML_FI_DEV_MEMORY_TEMP", field.code));
    to.set(Field::kMemoryTemperature, field.type == 0 ? field.value.real : field.value.number);
  }

  void read_utilization(Reading& to) const {
    NvmlUtilization busy;
    if (!succeeds(to, {Field::kUtilization, Field::kMemoryUtilization}, "nvmlDeviceGetUtilizationRates",
                  api_->nvmlDeviceGetUtilizationRates, &busy))
      return;
    to.set(Field::kUtilization, busy.processor);
    to.set(Field::kMemoryUtilization, busy.memory);
  }

  // The second version does not count memory that the driver reserves as used; nvidia-smi uses it.
  void read_memory(Reading& to) const {
    NvmlMemory2 memory;
    if (api_->nvmlDeviceGetMemoryInfo_v2 != nullptr &&
        api_->nvmlDeviceGetMemoryInfo_v2(device_, &memory) == kNvmlSuccess) {
      to.set(Field::kMemoryUsed, static_cast<double>(memory.used));
      return to.set(Field::kMemoryTotal, static_cast<double>(memory.total));
    }
    NvmlMemory older;
    if (!succeeds(to, {Field::kMemoryUsed, Field::kMemoryTotal}, "nvmlDeviceGetMemoryInfo",
                  api_->nvmlDeviceGetMemoryInfo, &older))
      return;
    to.set(Field::kMemoryUsed, static_cast<double>(older.used));
    to.set(Field::kMemoryTotal, static_cast<double>(older.total));
  }

  void read_processes(Reading& to) const {
    auto* const call = api_->nvmlDeviceGetComputeRunningProcesses_v3;
    if (call == nullptr) return;
    std::vector<NvmlProcess> processes(16);
    for (;;) {
      auto count = static_cast<unsigned>(processes.size());
      const NvmlCode code = call(device_, &count, processes.data());
      if (code == kNvmlTooSmall && count > processes.size() && count < 65536) {
        processes.resize(count + 8);  // more may have started
        continue;
      }
      if (code != kNvmlSuccess) return;
      processes.resize(std::min<size_t>(count, processes.size()));
      break;
    }
    for (const NvmlProcess& p : processes) {
      const bool is_known = p.bytes != ~0ULL;
      to.add({p.id, is_known ? std::optional<uint64_t>(p.bytes) : std::nullopt});
    }
  }

  std::unique_ptr<Nvml> api_;
  NvmlDevice device_;
};

}  // namespace

base::Result<std::string> probe_nvml() {
  QUERN_TRY_ASSIGN(const std::unique_ptr<Nvml> api, Nvml::load());
  return api->version();
}

OpenedSource open_nvml(const DeviceInfo& device) {
  QUERN_TRY_ASSIGN(std::unique_ptr<Nvml> api, Nvml::load());
  QUERN_TRY_ASSIGN(const NvmlDevice handle, find_device(*api, device));
  return std::make_unique<NvmlSource>(std::move(api), handle);
}

}  // namespace quern::telemetry
