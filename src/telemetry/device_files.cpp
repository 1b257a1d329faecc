// Files that the kernel's GPU drivers provide below the PCI folder of a device: hwmon (temperature, power,
// clocks), and those of the DRM drivers amdgpu, i915 and xe.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "telemetry/files.hpp"
#include "telemetry/messages.hpp"
#include "telemetry/source.hpp"

namespace quern::telemetry {

namespace {

// The highest clock of a table of amdgpu: "0: 500Mhz\n1: 1800Mhz *\n".
std::optional<double> highest_clock(const std::string& path) {
  const auto text = read_value(path);
  if (!text.ok()) return std::nullopt;
  std::optional<double> most;
  for (const std::string_view line : base::split_lines(*text)) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (const auto clock = number_in(line.substr(colon + 1))) most = std::max(most.value_or(0), *clock);
  }
  return most;
}

// amdgpu's binary table "gpu_metrics", format 1, content 3: 64 bits at byte 112 are the reasons for
// throttling, with one range for each kind. Other versions have only bits whose meaning depends on the chip.
std::optional<ThrottleReasons> amd_reasons(const std::string& path) {
  const auto table = base::read_file(path, 1 << 16);
  if (!table.ok() || table->size() < 120 || (*table)[2] != 1 || (*table)[3] != 3) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, table->data() + 112, sizeof(bits));
  constexpr uint64_t kHotSpot = uint64_t{1} << 36;  // RDNA 3 always reports it
  bits &= ~kHotSpot;
  ThrottleReasons out;
  if ((bits & 0xFFFF) != 0) out.add(ThrottleReason::power_limit);
  if ((bits & 0xFFFF'0000) != 0) out.add(ThrottleReason::current_limit);
  if ((bits & 0x00FF'FFFF'0000'0000) != 0) out.add(ThrottleReason::thermal);
  if ((bits & 0xFF00'0000'0000'0000) != 0) out.add(ThrottleReason::other);
  return out;
}

ThrottleReason intel_reason(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("therm")) return ThrottleReason::thermal;
  if (has("prochot")) return ThrottleReason::hardware_thermal;
  if (has("tdc")) return ThrottleReason::current_limit;
  return name.starts_with("pl") ? ThrottleReason::power_limit : ThrottleReason::other;
}

// i915 and xe: one file for each reason, which contains 0 or 1.
ThrottleReasons reasons_in(const std::string& folder, std::string_view prefix) {
  ThrottleReasons out;
  for (const std::string& name : entries(folder, prefix)) {
    const std::string_view reason = std::string_view(name).substr(prefix.size());
    const auto is_set = read_number(folder + name);
    if (reason != "status" && is_set.ok() && *is_set != 0) out.add(intel_reason(reason));
  }
  return out;
}

class FilesSource final : public Source {
 public:
  explicit FilesSource(std::string folder) : folder_(std::move(folder)) {
    for (const std::string& name : entries(folder_ + "hwmon", "hwmon"))
      sensors_ = folder_ + "hwmon/" + name + "/";
    for (const std::string& name : entries(folder_ + "drm", "card")) {
      if (name.find('-') == std::string::npos) card_ = folder_ + "drm/" + name + "/";  // others are displays
    }
    const std::string xe = folder_ + "tile0/gt0/freq0/";
    if (base::is_folder(xe)) clocks_ = xe;
    energy_.start(joules().value_or(0), Rate::now());
  }

  std::string name() const override { return "files of the kernel's driver"; }

  void read(Reading& to) override {
    if (sensors_.empty()) {
      for (const Field field :
           {Field::kTemperature, Field::kMemoryTemperature, Field::kPower, Field::kPowerLimit})
        to.lack(field,
                "no folder '" + folder_ + "hwmon': the kernel's driver has no sensors for this device");
    } else {
      read_temperatures(to);
      read_power(to);
      set_if_there(to, Field::kClock, sensors_ + "freq1_input", 1e-6);
      set_if_there(to, Field::kMemoryClock, sensors_ + "freq2_input", 1e-6);
    }
    set_if_there(to, Field::kUtilization, folder_ + "gpu_busy_percent", 1);
    set_if_there(to, Field::kMemoryUtilization, folder_ + "mem_busy_percent", 1);
    set_if_there(to, Field::kMemoryUsed, folder_ + "mem_info_vram_used", 1);
    set_if_there(to, Field::kMemoryTotal, folder_ + "mem_info_vram_total", 1);
    if (const auto most = highest_clock(folder_ + "pp_dpm_sclk")) to.set(Field::kMaxClock, *most);
    if (const auto most = highest_clock(folder_ + "pp_dpm_mclk")) to.set(Field::kMaxMemoryClock, *most);
    if (!clocks_.empty()) {
      set_if_there(to, Field::kClock, clocks_ + "act_freq", 1);
      set_if_there(to, Field::kMaxClock, clocks_ + "rp0_freq", 1);
    }
    if (!card_.empty()) {
      set_if_there(to, Field::kClock, card_ + "gt_act_freq_mhz", 1);
      set_if_there(to, Field::kMaxClock, card_ + "gt_RP0_freq_mhz", 1);
    }
    read_throttle(to);
    to.lack_rest("the kernel's driver has no file for it in '" + folder_ + "'");
  }

  void read_throttle(Reading& to) override {
    if (const auto reasons = throttle()) to.set(*reasons);
  }

 private:
  static void set_if_there(Reading& to, Field field, const std::string& path, double scale) {
    if (base::file_exists(path)) set_from_file(to, field, path, scale);
  }

  // amdgpu labels its sensors "edge", "junction" and "mem"; xe "pkg" and "vram". Drivers without labels have
  // one sensor.
  void read_temperatures(Reading& to) const {
    for (int i = 1; i <= 4; ++i) {
      const std::string sensor = sensors_ + "temp" + std::to_string(i);
      const auto label = read_value(sensor + "_label");
      const bool is_memory = label.ok() && (*label == "mem" || *label == "vram");
      set_if_there(to, is_memory ? Field::kMemoryTemperature : Field::kTemperature, sensor + "_input", 1e-3);
    }
  }

  std::optional<double> joules() const {
    if (sensors_.empty()) return std::nullopt;
    const auto energy = read_number(sensors_ + "energy1_input");
    return energy.ok() ? std::optional(*energy * 1e-6) : std::nullopt;
  }

  void read_power(Reading& to) {
    set_if_there(to, Field::kPowerLimit, sensors_ + "power1_cap", 1e-6);
    set_if_there(to, Field::kPowerLimit, sensors_ + "power1_max", 1e-6);
    set_if_there(to, Field::kPower, sensors_ + "power1_average", 1e-6);
    set_if_there(to, Field::kPower, sensors_ + "power1_input", 1e-6);
    if (to.has(Field::kPower) || !joules()) return;
    pacer_.wait();
    if (const auto watts = energy_.next(joules().value_or(0), Rate::now())) to.set(Field::kPower, *watts);
  }

  std::optional<ThrottleReasons> throttle() const {
    if (const auto reasons = amd_reasons(folder_ + "gpu_metrics")) return reasons;
    if (!card_.empty() && base::file_exists(card_ + "gt/gt0/throttle_reason_status"))
      return reasons_in(card_ + "gt/gt0/", "throttle_reason_");
    if (!clocks_.empty() && base::file_exists(clocks_ + "throttle/status"))
      return reasons_in(clocks_ + "throttle/", "reason_");
    return std::nullopt;
  }

  const std::string folder_;  // of the device
  std::string sensors_;       // hwmon; empty: none
  std::string card_;          // DRM; empty: none
  std::string clocks_;        // xe; empty: another driver
  Rate energy_;
  Pacer pacer_;
};

}  // namespace

OpenedSource open_device_files(const DeviceInfo& device, const std::string& root) {
  if (device.pci.empty())
    return base::Error(base::ErrorKind::not_found, message::kNoPciAddress(device.driver));
  const std::string folder = root + "sys/bus/pci/devices/" + device.pci + "/";
  if (!base::is_folder(folder)) return base::Error(base::ErrorKind::not_found, message::kNoFolder(folder));
  return std::make_unique<FilesSource>(folder);
}

}  // namespace quern::telemetry
