// ROCm SMI, AMD's library. Declares what other projects take from rocm_smi.h; names, numbers and layouts are
// those of its documentation. Clocks and reasons for throttling are read from the files of the kernel's
// driver (device_files.cpp): the structures that the library uses for them differ between its releases.
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "telemetry/messages.hpp"
#include "telemetry/native_library.hpp"
#include "telemetry/source.hpp"

namespace quern::telemetry {

namespace {

using RsmiCode = uint32_t;
enum : RsmiCode { kRsmiSuccess = 0, kRsmiNotSupported = 2, kRsmiPermission = 4 };
enum : uint32_t { kRsmiEdge = 0, kRsmiJunction = 1, kRsmiMemory = 2 };  // sensors

struct RsmiVersion {
  uint32_t major = 0, minor = 0, patch = 0;
  const char* build = nullptr;
};

#define QUERN_RSMI_REQUIRED(X)                     \
  X(rsmi_init, RsmiCode(uint64_t))                 \
  X(rsmi_shut_down, RsmiCode())                    \
  X(rsmi_num_monitor_devices, RsmiCode(uint32_t*)) \
  X(rsmi_dev_pci_id_get, RsmiCode(uint32_t, uint64_t*))

#define QUERN_RSMI_OPTIONAL(X)                                                  \
  X(rsmi_status_string, RsmiCode(RsmiCode, const char**))                       \
  X(rsmi_version_get, RsmiCode(RsmiVersion*))                                   \
  X(rsmi_dev_temp_metric_get, RsmiCode(uint32_t, uint32_t, uint32_t, int64_t*)) \
  X(rsmi_dev_current_socket_power_get, RsmiCode(uint32_t, uint64_t*))           \
  X(rsmi_dev_power_ave_get, RsmiCode(uint32_t, uint32_t, uint64_t*))            \
  X(rsmi_dev_power_cap_get, RsmiCode(uint32_t, uint32_t, uint64_t*))            \
  X(rsmi_dev_busy_percent_get, RsmiCode(uint32_t, uint32_t*))                   \
  X(rsmi_dev_memory_busy_percent_get, RsmiCode(uint32_t, uint32_t*))            \
  X(rsmi_dev_memory_usage_get, RsmiCode(uint32_t, uint32_t, uint64_t*))         \
  X(rsmi_dev_memory_total_get, RsmiCode(uint32_t, uint32_t, uint64_t*))

class RocmSmi {
 public:
  static base::Result<std::unique_ptr<RocmSmi>> load() {
    constexpr std::string_view kNames[] = {"librocm_smi64.so.1", "librocm_smi64.so.7",
                                           "librocm_smi64.so.6", "librocm_smi64.so.5",
                                           "librocm_smi64.so",   "/opt/rocm/lib/librocm_smi64.so"};
    std::unique_ptr<RocmSmi> api(new RocmSmi());
    const Symbol symbols[] = {
#define X(name, type) {#name, &api->name, true},
        QUERN_RSMI_REQUIRED(X)
#undef X
#define X(name, type) {#name, &api->name, false},
            QUERN_RSMI_OPTIONAL(X)
#undef X
    };
    QUERN_TRY(load_library("QUERN_ROCM_SMI_LIBRARY", kNames, "install ROCm SMI (rocm-smi-lib)", symbols));
    if (const RsmiCode code = api->rsmi_init(0); code != kRsmiSuccess)
      return base::Error(base::ErrorKind::unsupported, message::kRocmInit(api->text(code)));
    api->is_initialized_ = true;
    return api;
  }
  ~RocmSmi() {
    if (is_initialized_) rsmi_shut_down();
  }
  RocmSmi(const RocmSmi&) = delete;
  RocmSmi& operator=(const RocmSmi&) = delete;

  std::string text(RsmiCode code) const {
    const char* words = nullptr;
    if (rsmi_status_string != nullptr && rsmi_status_string(code, &words) == kRsmiSuccess && words != nullptr)
      return words;
    return "error " + std::to_string(code);
  }
  std::string version() const {
    RsmiVersion v;
    if (rsmi_version_get == nullptr || rsmi_version_get(&v) != kRsmiSuccess) return "ROCm SMI";
    return base::format("ROCm SMI %u.%u.%u", v.major, v.minor, v.patch);
  }

#define X(name, type) std::add_pointer_t<type> name = nullptr;
  QUERN_RSMI_REQUIRED(X)
  QUERN_RSMI_OPTIONAL(X)
#undef X

 private:
  RocmSmi() = default;
  bool is_initialized_ = false;
};

// The library packs domain, bus, device and function into a number; bits 28 to 31 are a partition's.
std::string rsmi_pci(uint64_t id) {
  return base::format("%04x:%02x:%02x.%x", static_cast<unsigned>(id >> 32),
                      static_cast<unsigned>(id >> 8 & 0xFF), static_cast<unsigned>(id >> 3 & 0x1F),
                      static_cast<unsigned>(id & 7));
}

base::Result<uint32_t> find_index(const RocmSmi& api, const DeviceInfo& info) {
  uint32_t count = 0;
  if (const RsmiCode code = api.rsmi_num_monitor_devices(&count); code != kRsmiSuccess)
    return base::Error(base::ErrorKind::unsupported, message::kRocmCount(api.text(code)));
  if (info.pci.empty() && count == 1) return 0U;  // the driver reports no address
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t id = 0;
    if (api.rsmi_dev_pci_id_get(i, &id) == kRsmiSuccess && rsmi_pci(id) == info.pci) return i;
  }
  return base::Error(base::ErrorKind::not_found,
                     message::kNoDeviceByPci(info.name, info.pci, base::format_plural(count, "device")));
}

class RocmSmiSource final : public Source {
 public:
  RocmSmiSource(std::unique_ptr<RocmSmi> api, uint32_t index) : api_(std::move(api)), index_(index) {}

  std::string name() const override { return api_->version(); }

  void read(Reading& to) override {
    constexpr uint32_t kCurrent = 0, kVram = 0, kSensor = 0;
    constexpr double kMilli = 1e-3, kMicro = 1e-6;
    read<int64_t>(to, Field::kTemperature, kMilli, "rsmi_dev_temp_metric_get", api_->rsmi_dev_temp_metric_get,
                  kRsmiEdge, kCurrent);
    // The accelerators have no edge sensor.
    read<int64_t>(to, Field::kTemperature, kMilli, "rsmi_dev_temp_metric_get", api_->rsmi_dev_temp_metric_get,
                  kRsmiJunction, kCurrent);
    read<int64_t>(to, Field::kMemoryTemperature, kMilli, "rsmi_dev_temp_metric_get",
                  api_->rsmi_dev_temp_metric_get, kRsmiMemory, kCurrent);
    read<uint64_t>(to, Field::kPower, kMicro, "rsmi_dev_current_socket_power_get",
                   api_->rsmi_dev_current_socket_power_get);
    read<uint64_t>(to, Field::kPower, kMicro, "rsmi_dev_power_ave_get", api_->rsmi_dev_power_ave_get,
                   kSensor);
    read<uint64_t>(to, Field::kPowerLimit, kMicro, "rsmi_dev_power_cap_get", api_->rsmi_dev_power_cap_get,
                   kSensor);
    read<uint32_t>(to, Field::kUtilization, 1, "rsmi_dev_busy_percent_get", api_->rsmi_dev_busy_percent_get);
    read<uint32_t>(to, Field::kMemoryUtilization, 1, "rsmi_dev_memory_busy_percent_get",
                   api_->rsmi_dev_memory_busy_percent_get);
    read<uint64_t>(to, Field::kMemoryUsed, 1, "rsmi_dev_memory_usage_get", api_->rsmi_dev_memory_usage_get,
                   kVram);
    read<uint64_t>(to, Field::kMemoryTotal, 1, "rsmi_dev_memory_total_get", api_->rsmi_dev_memory_total_get,
                   kVram);
  }

 private:
  template <typename T, typename Call, typename... A>
  void read(Reading& to, Field field, double scale, const char* function, Call* call, A... arguments) const {
    if (to.has(field)) return;
    if (call == nullptr) return to.lack(field, std::string("ROCm SMI has no function '") + function + "'");
    T value = 0;
    const RsmiCode code = call(index_, arguments..., &value);
    if (code == kRsmiSuccess) return to.set(field, static_cast<double>(value) * scale);
    if (code == kRsmiNotSupported) return to.lack(field, "ROCm SMI does not support it on this device");
    const bool is_denied = code == kRsmiPermission;
    to.lack(field, std::string(function) + " failed: " +
                       (is_denied ? "permission denied; add the user to the groups 'render' and 'video'"
                                  : api_->text(code)));
  }

  std::unique_ptr<RocmSmi> api_;
  uint32_t index_;
};

}  // namespace

base::Result<std::string> probe_rocm_smi() {
  QUERN_TRY_ASSIGN(const std::unique_ptr<RocmSmi> api, RocmSmi::load());
  return api->version();
}

OpenedSource open_rocm_smi(const DeviceInfo& device) {
  QUERN_TRY_ASSIGN(std::unique_ptr<RocmSmi> api, RocmSmi::load());
  QUERN_TRY_ASSIGN(const uint32_t index, find_index(*api, device));
  return std::make_unique<RocmSmiSource>(std::move(api), index);
}

}  // namespace quern::telemetry
