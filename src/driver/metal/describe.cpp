// The description of a device for the driver interface and for people.
#include <algorithm>

#include "base/text.hpp"
#include "driver/metal/device.hpp"
#include "driver/support/language_limits.hpp"
#include "target/descriptor.hpp"
#include "target/target.hpp"

namespace quern::metal {

namespace {

using driver::Feature;

// The newest Metal language that the system's compiler accepts, of those that the emitter distinguishes.
const char* language_of(const SystemVersion& system) {
  if (system.major >= 15) return "3.2";
  if (system.major == 14) return "3.1";
  return system.major == 13 ? "3.0" : "2.4";
}

std::string vendor_of(const std::string& name) {
  for (const char* const vendor : {"Apple", "AMD", "Intel", "NVIDIA"}) {
    if (name.find(vendor) != std::string::npos) return vendor;
  }
  return "unknown";
}

// Addresses need gpuAddress, which every device of the family Metal 3 has.
driver::FeatureSet features_of(const Api& api, Id id) {
  driver::FeatureSet f = driver::kMadeByEmitters;
  f.add(Feature::graphs);
  f.add(Feature::shared_memory);
  f.add(Feature::mapped_memory);
  if (api.responds(id, Sel::kSampleTimestamps)) f.add(Feature::timestamps);
  if (api.ask(id, Sel::kSupportsFamily, kFamilyMetal3)) f.add(Feature::addresses);
  return f;
}

driver::Limits limits_of(const Api& api, Id id) {
  driver::Limits l;
  const auto most = api.send<Size>(id, Sel::kMaxThreads);
  const auto narrow = [](uint64_t n) { return static_cast<uint32_t>(std::min<uint64_t>(n, UINT32_MAX)); };
  l.block = {narrow(most.width), narrow(most.height), narrow(most.depth)};
  l.block_threads = l.block.x;
  l.shared_bytes = api.send<uint64_t>(id, Sel::kMaxThreadgroupMemory);
  l.buffer_bytes = api.send<uint64_t>(id, Sel::kMaxBufferLength);
  return driver::within_language(l);
}

}  // namespace

Found describe(const std::shared_ptr<const Api>& shared, Ref device) {
  const Api& api = *shared;
  const Id id = device.get();
  const SystemVersion system = api.system();
  Found found;
  found.api = shared;
  found.id = std::move(device);
  found.is_unified = api.ask(id, Sel::kHasUnifiedMemory);

  driver::DeviceInfo& info = found.info;
  info.name = api.text_of(api.send<Id>(id, Sel::kName));
  info.driver = "metal";
  info.kind = found.is_unified ? driver::DeviceKind::integrated : driver::DeviceKind::discrete;
  info.vendor = vendor_of(info.name);
  info.code_version = language_of(system);
  info.driver_version =
      base::format("macOS %lld.%lld.%lld", static_cast<long long>(system.major),
                   static_cast<long long>(system.minor), static_cast<long long>(system.patch));
  info.api_version = "Metal " + info.code_version;
  info.memory_bytes = api.send<uint64_t>(id, Sel::kWorkingSetSize);
  info.features = features_of(api, id);
  // SIMD-groups of Apple's GPUs have 32 threads; only those from Apple 7 (M1) have all operations.
  const bool is_apple7 = api.ask(id, Sel::kSupportsFamily, kFamilyApple7);
  if (is_apple7) {
    info.native.add(Feature::warps);
    info.matrices = target::usual_matrices(driver::CodeKind::kMsl, info.code_version);
  }
  info.limits = limits_of(api, id);
  info.code = {driver::CodeKind::kMsl};
  const auto yes_or_no = [&](Sel s) { return api.ask(id, s) ? "yes" : "no"; };
  info.details = {
      {"language", "MSL " + info.code_version},
      {"unified memory", found.is_unified ? "yes" : "no"},
      {"SIMD-groups", is_apple7 ? "warps" : "not used: warps through shared memory"},
      {"matrices", is_apple7 ? "simdgroup_matrix, of half" : "emulated"},
      {"low power", yes_or_no(Sel::kIsLowPower)},
      {"removable", yes_or_no(Sel::kIsRemovable)},
      {"registry ID",
       base::format("%llx", static_cast<unsigned long long>(api.send<uint64_t>(id, Sel::kRegistryId)))}};
  target::add_software_features(info);
  return found;
}

}  // namespace quern::metal
