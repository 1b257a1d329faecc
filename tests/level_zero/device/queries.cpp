// What the driver and its devices report.
#include <algorithm>
#include <cstring>

#include "level_zero/device/objects.hpp"

using namespace quern;                   // NOLINT(google-build-using-namespace)
using namespace quern::test_level_zero;  // NOLINT(google-build-using-namespace)

namespace {

constexpr uint64_t kMemory = uint64_t{8} << 30, kLargest = uint64_t{4} << 30;

// The first that fit, as functions that return arrays do.
template <typename T>
ZeResult give(uint32_t* count, T* to, const std::vector<T>& all) {
  NEED(count != nullptr, kNullPointer);
  const auto size = static_cast<uint32_t>(all.size());
  if (*count == 0 || *count > size) *count = size;
  if (to != nullptr) std::copy_n(all.begin(), *count, to);
  return kSuccess;
}

template <size_t N>
void set_text(char (&to)[N], const char* text) {
  std::snprintf(to, N, "%s", text);
}

void set_uuid(uint8_t (&to)[16], uint32_t index) {
  for (uint32_t i = 0; i < 16; ++i) to[i] = static_cast<uint8_t>(0xA0 + i);
  to[15] = static_cast<uint8_t>(index);
}

void fill_in(const Device& device, DeviceProperties& p) {
  const bool is_gpu = is_odd("gpu");
  p.kind = is_odd("npu") ? 5 : is_gpu ? 1 : 2;
  p.vendor = 0x8086;
  p.device = 0x0BD5;
  p.flags = is_odd("flat") ? uint32_t{kFlagSubdevice} : 0;
  p.subdevice = is_odd("flat") ? device.index : 0;
  p.clock_mhz = 1600;
  p.max_allocation = kLargest;
  p.hardware_contexts = 1024;
  p.threads_per_eu = 8;
  p.simd_width = 16;
  p.eus_per_subslice = 8;
  p.subslices_per_slice = 4;
  p.slices = 2;
  p.timer_resolution = p.type == kDeviceProperties ? 12'500'000 : 80;
  p.timestamp_bits = 36;
  p.kernel_timestamp_bits = is_odd("no-clock") ? 0 : 32;
  set_uuid(p.uuid, device.index);
  set_text(p.name, device.index == 0 ? "Level Zero test device" : "Level Zero test device 2");
}

}  // namespace

ZE(zeInit)(uint32_t) {
  ENTER(zeInit);
  if (is_odd("denied")) return kDenied;
  if (is_odd("no-driver") || the_driver().cpu == nullptr) return kUninitialized;
  return kSuccess;
}

ZE(zeDriverGet)(uint32_t* count, ZeDriver* to) {
  ENTER(zeDriverGet);
  return give(count, to, {handle_of<ZeDriver>(&the_driver())});
}

ZE(zeDriverGetApiVersion)(ZeDriver driver, uint32_t* version) {
  ENTER(zeDriverGetApiVersion);
  (void)as<Driver>(driver);
  *version = 1 << 16 | 4;
  return kSuccess;
}

ZE(zeDriverGetProperties)(ZeDriver driver, DriverProperties* p) {
  ENTER(zeDriverGetProperties);
  (void)as<Driver>(driver);
  p->version = 1 << 24 | 2 << 16 | 3;
  return kSuccess;
}

ZE(zeDriverGetExtensionProperties)(ZeDriver driver, uint32_t* count, ExtensionProperties* to) {
  ENTER(zeDriverGetExtensionProperties);
  (void)as<Driver>(driver);
  ExtensionProperties relaxed;
  set_text(relaxed.name, "ZE_experimental_relaxed_allocation_limits");
  relaxed.version = 1 << 16;
  return give(count, to, {relaxed});
}

ZE(zeDeviceGet)(ZeDriver driver, uint32_t* count, ZeDevice* to) {
  ENTER(zeDeviceGet);
  const auto& all = as<Driver>(driver)->devices;
  std::vector<ZeDevice> devices;
  if (!is_odd("no-device")) devices.push_back(handle_of<ZeDevice>(all[0].get()));
  if (is_odd("two") || is_odd("strangers") || is_odd("flat"))
    devices.push_back(handle_of<ZeDevice>(all[1].get()));
  return give(count, to, devices);
}

ZE(zeDeviceGetSubDevices)(ZeDevice device, uint32_t* count, ZeDevice* to) {
  ENTER(zeDeviceGetSubDevices);
  (void)as<Device>(device);
  std::vector<ZeDevice> tiles;
  for (const auto& d : the_driver().devices) {
    if (is_odd("tiles")) tiles.push_back(handle_of<ZeDevice>(d.get()));
  }
  return give(count, to, tiles);
}

ZE(zeDeviceGetProperties)(ZeDevice device, DeviceProperties* p) {
  ENTER(zeDeviceGetProperties);
  fill_in(*as<Device>(device), *p);
  return kSuccess;
}

ZE(zeDeviceGetComputeProperties)(ZeDevice device, ComputeProperties* p) {
  ENTER(zeDeviceGetComputeProperties);
  (void)as<Device>(device);
  p->max_group_threads = 1024;
  std::fill_n(p->max_group, 3, 1024);
  std::fill_n(p->max_groups, 3, 0xFFFFFFFF);
  p->local_memory = 64 << 10;
  p->subgroup_size_count = 3;
  for (uint32_t i = 0; i < 3; ++i) p->subgroup_sizes[i] = 8u << i;
  return kSuccess;
}

ZE(zeDeviceGetModuleProperties)(ZeDevice device, ModuleProperties* p) {
  ENTER(zeDeviceGetModuleProperties);
  (void)as<Device>(device);
  p->spirv_version = 1 << 16 | 2;
  p->flags = kModuleFp16 | kModuleFp64 | kModuleAtomics64;
  p->fp32 = p->fp64 = 0x7F;
  p->max_arguments = 4096;
  return kSuccess;
}

ZE(zeDeviceGetCommandQueueGroupProperties)(ZeDevice device, uint32_t* count, GroupProperties* to) {
  ENTER(zeDeviceGetCommandQueueGroupProperties);
  (void)as<Device>(device);
  GroupProperties compute, copy;
  compute.flags = kGroupCompute | kGroupCopy;
  compute.max_fill_pattern = 16;
  compute.streams = 4;
  copy.flags = kGroupCopy;
  copy.max_fill_pattern = 1;
  copy.streams = 1;
  std::vector<GroupProperties> all = {compute};
  if (!is_odd("no-copy")) all.push_back(copy);
  return give(count, to, all);
}

ZE(zeDeviceGetMemoryProperties)(ZeDevice device, uint32_t* count, MemoryProperties* to) {
  ENTER(zeDeviceGetMemoryProperties);
  (void)as<Device>(device);
  MemoryProperties memory;
  memory.clock_mhz = 3200;
  memory.bus_bits = 1024;
  memory.bytes = is_odd("flat") ? kMemory / 2 : kMemory;
  set_text(memory.name, "HBM");
  return give(count, to, {memory});
}

ZE(zeDeviceGetMemoryAccessProperties)(ZeDevice device, MemoryAccessProperties* p) {
  ENTER(zeDeviceGetMemoryAccessProperties);
  (void)as<Device>(device);
  p->host = 0xF;
  p->device = 0xF;
  p->shared = is_odd("host-only") ? 0x3 : 0xF;
  p->shared_cross_device = 0x1;
  p->system = 0;
  return kSuccess;
}

ZE(zeDeviceGetCacheProperties)(ZeDevice device, uint32_t* count, CacheProperties* to) {
  ENTER(zeDeviceGetCacheProperties);
  (void)as<Device>(device);
  CacheProperties cache;
  cache.bytes = 8 << 20;
  return give(count, to, {cache});
}

ZE(zeDeviceCanAccessPeer)(ZeDevice device, ZeDevice peer, uint8_t* value) {
  ENTER(zeDeviceCanAccessPeer);
  (void)as<Device>(device);
  (void)as<Device>(peer);
  *value = is_odd("strangers") ? 0 : 1;
  return kSuccess;
}

ZE(zeDeviceGetStatus)(ZeDevice device) {
  ENTER(zeDeviceGetStatus);
  return as<Device>(device)->is_lost ? kLostCode : kSuccess;
}

ZE(zeDeviceGetGlobalTimestamps)(ZeDevice device, uint64_t* host, uint64_t* ticks) {
  ENTER(zeDeviceGetGlobalTimestamps);
  (void)as<Device>(device);
  *host = 1;  // of a clock that nobody knows
  *ticks = ticks_now() & 0xF'FFFF'FFFF;
  return kSuccess;
}

ZE(zeDevicePciGetPropertiesExt)(ZeDevice device, PciProperties* p) {
  ENTER(zeDevicePciGetPropertiesExt);
  if (!is_odd("gpu")) return kNoFeature;
  p->bus = is_odd("flat") ? 0x7A : 3 + as<Device>(device)->index;
  p->generation = 5;
  p->lanes = 16;
  return kSuccess;
}

// ---- Sysman

ZE(zesInit)(uint32_t) {
  ENTER(zesInit);
  return kSuccess;
}

ZE(zesDriverGet)(uint32_t* count, ZeDriver* to) {
  ENTER(zesDriverGet);
  return give(count, to, {handle_of<ZeDriver>(&the_driver())});
}

ZE(zesDeviceGet)(ZeDriver driver, uint32_t* count, ZeDevice* to) {
  ENTER(zesDeviceGet);
  return give(count, to, {handle_of<ZeDevice>(as<Driver>(driver)->devices[0].get())});
}

ZE(zesDeviceGetProperties)(ZeDevice device, SysmanDeviceProperties* p) {
  ENTER(zesDeviceGetProperties);
  fill_in(*as<Device>(device), p->core);
  if (is_odd("flat")) p->core.uuid[0] = 0xCA;  // of the card
  set_text(p->brand, "Test");
  set_text(p->board, "unknown");
  return kSuccess;
}

ZE(zesDevicePciGetProperties)(ZeDevice device, SysmanPciProperties* p) {
  ENTER(zesDevicePciGetProperties);
  p->bus = 0x7A + as<Device>(device)->index;
  return kSuccess;
}

ZE(zesDeviceEnumMemoryModules)(ZeDevice device, uint32_t* count, ZesMemory* to) {
  ENTER(zesDeviceEnumMemoryModules);
  std::vector<ZesMemory> all = {handle_of<ZesMemory>(as<Device>(device))};
  if (is_odd("flat")) all.push_back(handle_of<ZesMemory>(the_driver().devices[1].get()));
  return give(count, to, all);
}

ZE(zesMemoryGetProperties)(ZesMemory memory, SysmanMemoryProperties* p) {
  ENTER(zesMemoryGetProperties);
  p->is_on_subdevice = is_odd("flat") ? 1 : 0;
  p->subdevice = is_odd("flat") ? as<Device>(memory)->index : 0;
  return kSuccess;
}

ZE(zesMemoryGetState)(ZesMemory memory, SysmanMemoryState* state) {
  ENTER(zesMemoryGetState);
  state->free_bytes = is_odd("flat") ? uint64_t{3 - as<Device>(memory)->index} << 30 : uint64_t{7} << 30;
  state->bytes = kMemory;
  return kSuccess;
}
