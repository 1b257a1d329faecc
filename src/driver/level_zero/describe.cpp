// The description of a device for the driver interface and for people.
#include <algorithm>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "driver/level_zero/device.hpp"
#include "driver/support/identity.hpp"
#include "driver/support/language_limits.hpp"

namespace quern::level_zero {

namespace {

using driver::Feature;

// A structure that a query fills in; default values if the query fails.
template <typename Properties>
Properties ask(ZeResult (*query)(ZeDevice, Properties*), ZeDevice id) {
  Properties properties;
  if (query == nullptr || query(id, &properties) != kSuccess) return {};
  return properties;
}

std::string text_of(const char* characters, size_t most) {
  const std::string_view all(characters, most);
  return std::string(base::trim(all.substr(0, all.find('\0'))));
}

driver::DeviceKind kind_of(const DeviceProperties& p) {
  if (p.kind == kTypeCpu) return driver::DeviceKind::cpu;
  if (p.kind != kTypeGpu) return driver::DeviceKind::other;
  return (p.flags & kFlagIntegrated) != 0 ? driver::DeviceKind::integrated : driver::DeviceKind::discrete;
}

// Every Level Zero device takes addresses and generic pointers: its SPIR-V environment requires both.
driver::FeatureSet features_of(const ModuleProperties& module, const MemoryAccessProperties& access) {
  driver::FeatureSet f = driver::kMadeByEmitters;
  f.add(Feature::addresses);
  f.add(Feature::generic_pointers);
  f.add(Feature::graphs);
  if ((module.flags & kModuleFp64) != 0) f.add(Feature::fp64);
  if ((module.flags & kModuleAtomics64) != 0) {
    f.add(Feature::atomics64);
    if (f.has(Feature::fp64)) f.add(Feature::atomics_f64);
  }
  const bool is_concurrent = (access.shared & kAccessConcurrent) != 0;
  const bool has_host = (access.host & kAccess) != 0;
  if (has_host || is_concurrent) f.add(Feature::shared_memory);
  if (has_host) f.add(Feature::mapped_memory);
  if ((access.shared & kAccess) != 0) f.add(Feature::managed_memory);
  if (is_concurrent ? (access.shared & kAccessConcurrentAtomic) != 0
                    : (access.host & (kAccessAtomic | kAccessConcurrentAtomic)) != 0)
    f.add(Feature::system_scope);
  return f;
}

driver::Limits limits_of(const ComputeProperties& compute, const ModuleProperties& module) {
  driver::Limits l;
  l.block_threads = std::max(1u, compute.max_group_threads);
  l.block = {compute.max_group[0], compute.max_group[1], compute.max_group[2]};
  l.grid = {compute.max_groups[0], compute.max_groups[1], compute.max_groups[2]};
  l.shared_bytes = compute.local_memory;
  l.argument_bytes = module.max_arguments;
  l.warp_size = 1;
  return driver::within_language(l);
}

std::string memory_text(const std::vector<MemoryProperties>& memories) {
  std::vector<std::string> texts;
  for (const MemoryProperties& m : memories) {
    std::string text = text_of(m.name, sizeof m.name);
    text += (text.empty() ? "" : " ") + base::format_bytes(m.bytes);
    if (m.clock_mhz != 0 && m.bus_bits != 0)
      text += base::format(", %u bits at %u MHz: %.0f GB/s", m.bus_bits, m.clock_mhz,
                           m.bus_bits / 8.0 * m.clock_mhz / 1000.0);
    texts.push_back(std::move(text));
  }
  return base::join(texts, "; ");
}

std::string access_text(const MemoryAccessProperties& access) {
  const auto word = [](uint32_t flags) -> std::string {
    if ((flags & kAccess) == 0) return "no";
    if ((flags & kAccessConcurrentAtomic) != 0) return "concurrent atomics";
    if ((flags & kAccessConcurrent) != 0) return "concurrent";
    return (flags & kAccessAtomic) != 0 ? "atomics" : "yes";
  };
  return "device " + word(access.device) + ", host " + word(access.host) + ", shared " + word(access.shared) +
         ", system " + word(access.system);
}

std::optional<PciProperties> pci_properties(const Api& api, ZeDevice id) {
  PciProperties p;
  if (api.zeDevicePciGetPropertiesExt == nullptr || api.zeDevicePciGetPropertiesExt(id, &p) != kSuccess)
    return {};
  return p;
}

// Empty: not known.
std::string pci_address(const Api& api, ZeDevice id) {
  const auto p = pci_properties(api, id);
  return p ? driver::pci_of(p->domain, p->bus, p->device, p->function) : std::string();
}

std::string sysman_address(const Api& api, ZeDevice sysman) {
  SysmanPciProperties p;
  if (sysman == nullptr || api.zesDevicePciGetProperties == nullptr ||
      api.zesDevicePciGetProperties(sysman, &p) != kSuccess)
    return {};
  return driver::pci_of(p.domain, p.bus, p.device, p.function);
}

void add_address(driver::DeviceInfo& info, const Api& api, ZeDevice id, ZeDevice sysman) {
  const auto pci = pci_properties(api, id);
  info.pci = pci ? pci_address(api, id) : sysman_address(api, sysman);
  if (pci && pci->generation > 0 && pci->lanes > 0)
    info.details.emplace_back("PCIe", base::format("generation %d, %d lanes", pci->generation, pci->lanes));
}

// A device that has sub-devices (tiles) is used as one. A tile is a device where the environment says so
// (ZE_FLAT_DEVICE_HIERARCHY).
std::string tiles_text(const Api& api, ZeDevice id, const DeviceProperties& p) {
  if ((p.flags & kFlagSubdevice) != 0) return base::format("is sub-device %u of its card", p.subdevice);
  if (api.zeDeviceGetSubDevices == nullptr) return "not known";
  const size_t count = list_of<ZeDevice>([&](uint32_t* n, ZeDevice* to) {
                         return api.zeDeviceGetSubDevices(id, n, to);
                       }).size();
  return count == 0 ? "none" : base::format("%zu, used as one device", count);
}

void add_sysman(driver::DeviceInfo& info, const Api& api, ZeDevice sysman) {
  if (sysman == nullptr) return;
  const auto p = ask(api.zesDeviceGetProperties, sysman);
  const std::pair<const char*, std::string> texts[] = {
      {"board", text_of(p.board, sizeof p.board)},
      {"brand", text_of(p.brand, sizeof p.brand)},
      {"kernel driver", text_of(p.version, sizeof p.version)}};
  for (const auto& [key, text] : texts) {
    if (!text.empty() && text != "unknown") info.details.emplace_back(key, text);
  }
}

bool has_extension(const Api& api, ZeDriver driver, std::string_view name) {
  const auto all = list_of<ExtensionProperties>([&](uint32_t* count, ExtensionProperties* to) {
    return api.zeDriverGetExtensionProperties(driver, count, to);
  });
  return std::any_of(all.begin(), all.end(),
                     [&](const ExtensionProperties& e) { return text_of(e.name, sizeof e.name) == name; });
}

}  // namespace

std::vector<SysmanDevice> sysman_devices(const Api& api) {
  std::vector<SysmanDevice> out;
  if (api.zesDeviceGetProperties == nullptr || api.zesInit == nullptr || api.zesDriverGet == nullptr ||
      api.zesDeviceGet == nullptr || api.zesInit(0) != kSuccess)
    return out;
  for (const ZeDriver d : list_of<ZeDriver>(api.zesDriverGet)) {
    const auto devices =
        list_of<ZeDevice>([&](uint32_t* count, ZeDevice* to) { return api.zesDeviceGet(d, count, to); });
    for (const ZeDevice id : devices) {
      SysmanDeviceProperties p;
      if (api.zesDeviceGetProperties(id, &p) == kSuccess)
        out.push_back({id, driver::hex_of(p.core.uuid), sysman_address(api, id)});
    }
  }
  return out;
}

ZeDevice find_sysman(const Api& api, std::span<const SysmanDevice> all, ZeDevice id,
                     const DeviceProperties& p) {
  const std::string uuid = driver::hex_of(p.uuid);
  const bool is_tile = (p.flags & kFlagSubdevice) != 0;
  const std::string pci = is_tile ? pci_address(api, id) : std::string();
  const auto same = std::find_if(all.begin(), all.end(), [&](const SysmanDevice& s) {
    return s.uuid == uuid || (is_tile && !pci.empty() && s.pci == pci);
  });
  return same != all.end() ? same->id : nullptr;
}

Found describe(const std::shared_ptr<const Api>& shared, ZeDriver driver, ZeDevice id, ZeDevice sysman) {
  const Api& api = *shared;
  const auto device = ask(api.zeDeviceGetProperties, id);
  const auto compute = ask(api.zeDeviceGetComputeProperties, id);
  const auto module = ask(api.zeDeviceGetModuleProperties, id);
  const auto access = ask(api.zeDeviceGetMemoryAccessProperties, id);
  const auto memories = list_of<MemoryProperties>(
      [&](uint32_t* count, MemoryProperties* to) { return api.zeDeviceGetMemoryProperties(id, count, to); });
  const auto caches = list_of<CacheProperties>(
      [&](uint32_t* count, CacheProperties* to) { return api.zeDeviceGetCacheProperties(id, count, to); });
  DriverProperties about;
  (void)api.zeDriverGetProperties(driver, &about);
  uint32_t version = 0;
  (void)api.zeDriverGetApiVersion(driver, &version);

  Found found;
  found.api = shared;
  found.driver = driver;
  found.id = id;
  found.sysman = sysman;
  if ((device.flags & kFlagSubdevice) != 0) found.subdevice = device.subdevice;
  found.max_allocation = device.max_allocation;
  found.has_large_buffers = has_extension(api, driver, "ZE_experimental_relaxed_allocation_limits");
  found.shared_access = access.shared;
  found.subgroup_sizes.assign(compute.subgroup_sizes,
                              compute.subgroup_sizes + std::min(compute.subgroup_size_count, 8u));
  if (device.timer_resolution != 0 && device.kernel_timestamp_bits != 0) {
    found.tick_nanoseconds = 1e9 / static_cast<double>(device.timer_resolution);
    found.timestamp_bits = std::min(device.kernel_timestamp_bits, 64u);
  }

  driver::DeviceInfo& info = found.info;
  info.name = text_of(device.name, sizeof device.name);
  info.driver = "level_zero";
  info.kind = kind_of(device);
  info.vendor = driver::vendor_of(device.vendor);
  info.driver_version =
      base::format("%u.%u.%u", about.version >> 24, about.version >> 16 & 0xFF, about.version & 0xFFFF);
  info.api_version = base::format("Level Zero %u.%u", version >> 16, version & 0xFFFF);
  info.uuid = driver::hex_of(device.uuid);
  for (const MemoryProperties& m : memories) info.memory_bytes += m.bytes;
  info.compute_units = device.slices * device.subslices_per_slice;
  info.clock_mhz = device.clock_mhz;
  info.features = features_of(module, access);
  if (found.tick_nanoseconds != 0) info.features.add(Feature::timestamps);
  info.limits = limits_of(compute, module);
  info.limits.buffer_bytes = found.has_large_buffers ? info.memory_bytes : device.max_allocation;
  info.code = {driver::CodeKind::kSpirvKernel};

  std::vector<std::string> sizes;
  for (const uint32_t s : found.subgroup_sizes) sizes.push_back(std::to_string(s));
  info.details = {
      {"SPIR-V", base::format("%u.%u", module.spirv_version >> 16, module.spirv_version & 0xFFFF)},
      {"execution units",
       base::format("%u in %u slices of %u subslices, %u threads each, SIMD%u",
                    device.slices * device.subslices_per_slice * device.eus_per_subslice, device.slices,
                    device.subslices_per_slice, device.threads_per_eu, device.simd_width)},
      {"sub-devices", tiles_text(api, id, device)},
      {"subgroup sizes", base::join(sizes, ", ")},
      {"memory", memory_text(memories)},
      {"memory access", access_text(access)},
      {"ECC", (device.flags & kFlagEcc) != 0 ? "yes" : "no"},
      {"division", (module.fp32 & kRoundedDivision) != 0 ? "correctly rounded" : "as the device does it"},
      {"PCI device", base::format("%04x:%04x", device.vendor, device.device)}};
  if (!caches.empty()) info.details.emplace_back("cache", base::format_bytes(caches.front().bytes));
  add_address(info, api, id, sysman);
  add_sysman(info, api, sysman);
  return found;
}

}  // namespace quern::level_zero
