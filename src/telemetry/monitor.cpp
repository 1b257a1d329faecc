#include "telemetry/monitor.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "base/try_in_child.hpp"
#include "telemetry/messages.hpp"

namespace quern::telemetry {

namespace {

enum class Vendor : uint8_t { kNvidia, kAmd, kIntel, kOther };

// Drivers write the vendor in several ways: "AMD", "Advanced Micro Devices, Inc.", "Intel(R) Corporation".
Vendor vendor_of(const DeviceInfo& device) {
  const std::string text = base::to_lower(device.vendor + " " + device.name);
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  if (device.driver == "cuda" || has("nvidia")) return Vendor::kNvidia;
  if (device.driver == "hip" || has("amd") || has("advanced micro devices")) return Vendor::kAmd;
  if (device.driver == "level_zero" || has("intel")) return Vendor::kIntel;
  return Vendor::kOther;
}

struct Library {
  std::string_view name, serves;
  const char* variable;  // names another library
  base::Result<std::string> (*probe)();
  OpenedSource (*open)(const DeviceInfo& device);
  Vendor vendor;
};

constexpr Library kLibraries[] = {
    {"NVML", "NVIDIA GPUs", "QUERN_NVML_LIBRARY", probe_nvml, open_nvml, Vendor::kNvidia},
    {"ROCm SMI", "AMD GPUs", "QUERN_ROCM_SMI_LIBRARY", probe_rocm_smi, open_rocm_smi, Vendor::kAmd},
    {"Level Zero Sysman", "Intel GPUs", "QUERN_LEVEL_ZERO_LIBRARY", probe_sysman, open_sysman,
     Vendor::kIntel},
};

// An error if the library crashes or hangs while it starts: it is first started in a child process, once. An
// error that the library itself returns does not count here; the caller gets it in this process.
base::Result<> check_starts(const Library& library) {
  constexpr double kSeconds = 10;
  static std::mutex mutex;
  static std::map<std::string, base::Result<>> checked;  // by library and its variable
  const std::string key = std::string(library.name) + "=" + base::env_text(library.variable).value_or("");
  const std::lock_guard lock(mutex);
  if (const auto found = checked.find(key); found != checked.end()) return found->second;
  const auto start = [&]() -> base::Result<std::string> {
    (void)library.probe().ok();
    return std::string("started");
  };
  const auto tried = base::try_in_child(start, kSeconds, message::kReinstallLibrary().text);
  return checked.emplace(key, tried.ok() ? base::Result<>() : base::Result<>(tried.error())).first->second;
}

base::Result<std::string> probe(const Library& library) {
  QUERN_TRY(check_starts(library));
  return library.probe();
}

OpenedSource open(const Library& library, const DeviceInfo& device) {
  QUERN_TRY(check_starts(library));
  return library.open(device);
}

std::string sentence(const base::Error& error) {
  return error.message() + (error.hint().empty() ? "" : "; hint: " + error.hint());
}

}  // namespace

void Pacer::wait() {
  std::this_thread::sleep_until(last_ + Rate::kShortestPeriod);
  last_ = Rate::Clock::now();
}

std::vector<LibraryState> libraries() {
  std::vector<LibraryState> out;
  for (const Library& library : kLibraries) {
    const auto version = probe(library);
    out.push_back({version.ok() ? *version : std::string(library.name), std::string(library.serves),
                   version.ok() ? std::string() : sentence(version.error())});
  }
  return out;
}

Monitor::Monitor(const DeviceInfo& device, const std::string& root) {
  if (device.kind == DeviceKind::simulated) {
    slots_.push_back({nullptr, "a simulated device has no sensors"});
    return;
  }
  if (device.kind == DeviceKind::cpu) {
    add(open_processor(root), "");
    return;
  }
  const Vendor vendor = vendor_of(device);
  for (const Library& library : kLibraries) {
    if (library.vendor == vendor) add(open(library, device), library.name);
  }
  add(open_device_files(device, root), "");
}

void Monitor::add(OpenedSource source, std::string_view name) {
  if (source.ok()) {
    slots_.push_back({std::move(*source), {}});
  } else {
    slots_.push_back({nullptr, (name.empty() ? "" : std::string(name) + ": ") + sentence(source.error())});
  }
}

Telemetry Monitor::read() {
  const std::lock_guard lock(mutex_);
  Reading reading;
  for (const auto& [source, why_not] : slots_) {
    if (source == nullptr) {
      reading.lack_rest(why_not);
    } else {
      reading.begin_source(source->name());
      source->read(reading);
    }
  }
  reading.lack_rest("no source reports it");
  return reading.finish();
}

std::optional<ThrottleReasons> Monitor::throttle() {
  const std::lock_guard lock(mutex_);
  Reading reading;
  for (const auto& [source, why_not] : slots_) {
    if (source != nullptr) source->read_throttle(reading);
  }
  return reading.finish().throttle;
}

ThrottleCounters Monitor::throttle_counters() {
  const std::lock_guard lock(mutex_);
  ThrottleCounters counters{};
  for (const auto& [source, why_not] : slots_) {
    if (source != nullptr) source->count(counters);
  }
  return counters;
}

ThrottleReasons ThrottleWatch::reasons() {
  ThrottleReasons out = monitor_.throttle().value_or(ThrottleReasons());
  const ThrottleCounters before = std::exchange(before_, monitor_.throttle_counters());
  for (size_t i = 0; i < before.size(); ++i) {
    if (before_[i] > before[i]) out.add(static_cast<ThrottleReason>(i));
  }
  return out.throttling();
}

std::string to_string(ThrottleReasons reasons) {
  std::vector<std::string_view> names;
  for (const ThrottleReason r : reasons.list()) names.push_back(quern::to_string(r));
  return base::join(names, ", ");
}

}  // namespace quern::telemetry
