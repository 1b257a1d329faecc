// Device properties.
#include <array>

#include "base/text.hpp"
#include "driver/cuda/device.hpp"
#include "driver/support/identity.hpp"
#include "driver/support/known_defects.hpp"

namespace quern::cuda {

namespace {

using base::format;
using driver::Feature;
using Details = std::vector<std::pair<std::string, std::string>>;

// The cluster size that every device with clusters supports; kernels may be able to have more.
constexpr uint32_t kPortableCluster = 8;

class Query {
 public:
  Query(const Api& api, DeviceId id) : api_(api), id_(id) {}
  int get(Attribute a) const { return read_attribute(api_, id_, a); }
  uint32_t get_unsigned(Attribute a) const { return static_cast<uint32_t>(std::max(0, get(a))); }
  bool is(Attribute a) const { return get(a) > 0; }

 private:
  const Api& api_;
  DeviceId id_;
};

driver::FeatureSet features_of(const Api& api, const Query& q) {
  driver::FeatureSet f = {Feature::fp16,           Feature::bf16,
                          Feature::fp64,           Feature::int8,
                          Feature::int16,          Feature::int64,
                          Feature::atomics16,      Feature::atomics64,
                          Feature::atomics_f16,    Feature::atomics_f32,
                          Feature::atomics_f64,    Feature::system_scope,
                          Feature::warps,          Feature::divergent_barriers,
                          Feature::addresses,      Feature::generic_pointers,
                          Feature::dynamic_shared, Feature::variables,
                          Feature::print,          Feature::assert,
                          Feature::clock,          Feature::timestamps};
  if (q.is(Attribute::kCooperative) && api.launch_cooperative != nullptr) f.add(Feature::grid_barrier);
  if (q.is(Attribute::kMapsHost) && (q.is(Attribute::kUnified) || !api.vendor->is_cuda()))
    f.add(Feature::shared_memory);
  if (f.has(Feature::shared_memory)) f.add(Feature::mapped_memory);
  if (q.is(Attribute::kManaged)) f.add(Feature::managed_memory);
  if (q.is(Attribute::kClusters) && api.launch_with != nullptr) f.add(Feature::clusters);
  if (!q.is(Attribute::kRunLimit)) f.add(Feature::persistent);
  return f;
}

driver::Limits limits_of(const Query& q, uint64_t memory) {
  driver::Limits l;
  l.block_threads = q.get_unsigned(Attribute::kBlockThreads);
  l.block = {q.get_unsigned(Attribute::kBlockX), q.get_unsigned(Attribute::kBlockY),
             q.get_unsigned(Attribute::kBlockZ)};
  l.grid = {q.get_unsigned(Attribute::kGridX), q.get_unsigned(Attribute::kGridY),
            q.get_unsigned(Attribute::kGridZ)};
  l.shared_bytes = std::max(q.get_unsigned(Attribute::kSharedBytes), q.get_unsigned(Attribute::kSharedOptIn));
  l.buffer_bytes = memory;
  l.warp_size = q.get_unsigned(Attribute::kWarp);
  l.cluster_blocks = q.is(Attribute::kClusters) ? kPortableCluster : 0;
  return l;
}

std::string uuid_of(const Api& api, DeviceId id) {
  std::array<uint8_t, 16> bytes{};
  if (api.device_uuid == nullptr || api.device_uuid(bytes.data(), id) != 0) return {};
  return driver::hex_of(bytes);
}

std::string pci_of(const Api& api, DeviceId id) {
  std::array<char, 32> text{};
  if (api.device_pci(text.data(), static_cast<int>(text.size()), id) != 0) return {};
  return base::to_lower(text.data());
}

std::string version_text(int version) { return format("%d.%d", version / 1000, version % 1000 / 10); }

std::string mode_name(int mode) {
  switch (mode) {
    case 0: return "default";
    case 2: return "prohibited: no process may use it";
    default: return "exclusive: one process at a time";
  }
}

Details memory_details(const Query& q) {
  const uint64_t bus = q.get_unsigned(Attribute::kBusWidth), khz = q.get_unsigned(Attribute::kMemoryKhz);
  Details d = {
      {"shared memory", base::format_bytes(q.get_unsigned(Attribute::kSharedBytes)) + " per block, " +
                            base::format_bytes(q.get_unsigned(Attribute::kSharedOptIn)) + " on request, " +
                            base::format_bytes(q.get_unsigned(Attribute::kUnitShared)) + " per unit"},
      {"constant memory", base::format_bytes(q.get_unsigned(Attribute::kConstantBytes))},
      {"L2 cache", base::format_bytes(q.get_unsigned(Attribute::kL2Bytes))},
      {"memory bus", format("%llu bit", static_cast<unsigned long long>(bus))}};
  if (khz != 0) {  // two transfers per clock
    d.emplace_back("memory clock", format("%llu MHz", static_cast<unsigned long long>(khz / 1000)));
    d.emplace_back("memory bandwidth", format("%.0f GB/s", 2e-6 / 8 * static_cast<double>(khz * bus)));
  }
  const char* managed = !q.is(Attribute::kManaged)            ? "none"
                        : q.is(Attribute::kConcurrentManaged) ? "host and device concurrently"
                                                              : "host or device";
  d.emplace_back("managed memory", managed);
  d.emplace_back("unified addressing", q.is(Attribute::kUnified) ? "yes" : "no");
  d.emplace_back("pageable host memory",
                 q.is(Attribute::kPageable) ? "accessible to kernels" : "not accessible to kernels");
  d.emplace_back("memory pools", q.is(Attribute::kPools) ? "yes" : "no");
  d.emplace_back("ECC", q.is(Attribute::kEcc) ? "on" : "off");
  return d;
}

Details unit_details(const Query& q) {
  return {{"registers", format("%u per block, %u per unit", q.get_unsigned(Attribute::kBlockRegisters),
                               q.get_unsigned(Attribute::kUnitRegisters))},
          {"threads per unit", std::to_string(q.get_unsigned(Attribute::kUnitThreads))},
          {"blocks per unit", std::to_string(q.get_unsigned(Attribute::kUnitBlocks))},
          {"warp", std::to_string(q.get_unsigned(Attribute::kWarp))},
          {"concurrent kernels", q.is(Attribute::kConcurrent) ? "yes" : "no"},
          {"cooperative launch", q.is(Attribute::kCooperative) ? "yes" : "no"},
          {"clusters", q.is(Attribute::kClusters) ? "of up to 8 blocks" : "no"},
          {"copy engines", std::to_string(q.get_unsigned(Attribute::kCopyEngines))},
          {"run time limit", q.is(Attribute::kRunLimit) ? "yes" : "no"},
          {"atomics with the host", q.is(Attribute::kHostAtomics) ? "native" : "emulated by the driver"},
          {"compute mode", mode_name(q.get(Attribute::kComputeMode))}};
}

}  // namespace

int read_attribute(const Api& api, DeviceId id, Attribute which) {
  const int number = api.vendor->attributes[static_cast<size_t>(which)];
  int value = 0;
  return api.device_attribute(&value, number, id) == 0 ? value : 0;
}

Result<driver::DeviceInfo> describe(const Api& api, DeviceId id, uint32_t index) {
  const Query q(api, id);
  const Vendor& vendor = *api.vendor;
  driver::DeviceInfo info;
  std::array<char, 256> name{};
  size_t memory = 0;
  int version = 0;
  QUERN_CU(api, device_name(name.data(), static_cast<int>(name.size()), id));
  QUERN_CU(api, device_memory(&memory, id));
  QUERN_CU(api, driver_version(&version));
  info.name = name.data();
  info.driver = vendor.driver;
  info.index = index;
  info.kind = q.is(Attribute::kIntegrated) ? driver::DeviceKind::integrated : driver::DeviceKind::discrete;
  info.vendor = vendor.maker;
  info.api_version = std::string(vendor.what) + " " + version_text(version);
  info.guards_shifts = driver::has_defect(info, driver::Defect::kShiftedNegation);
  info.uuid = uuid_of(api, id);
  info.pci = pci_of(api, id);
  info.memory_bytes = memory;
  info.compute_units = q.get_unsigned(Attribute::kUnits);
  info.clock_mhz = q.get_unsigned(Attribute::kClockKhz) / 1000;
  info.features = features_of(api, q);
  info.limits = limits_of(q, memory);
  info.vendor_printf = true;
  info.code = {vendor.text};
  if (vendor.is_cuda()) info.code.push_back(driver::CodeKind::kPtx);
  info.code.push_back(vendor.binary);
  info.details = {
      {"compute capability", format("%d.%d", q.get(Attribute::kMajor), q.get(Attribute::kMinor))}};
  for (const Details& part : {memory_details(q), unit_details(q)})
    info.details.insert(info.details.end(), part.begin(), part.end());
  return info;
}

}  // namespace quern::cuda
