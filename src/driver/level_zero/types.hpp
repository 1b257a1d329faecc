// The structures and numbers of Level Zero's C interface that the driver uses, version 1.4. Declared here so
// that no SDK is needed to build Quern. Field order, sizes and numbers are those of the specification.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::level_zero {

using ZeDriver = struct ZeDriverTag*;
using ZeDevice = struct ZeDeviceTag*;
using ZeContext = struct ZeContextTag*;
using ZeQueue = struct ZeQueueTag*;
using ZeList = struct ZeListTag*;
using ZeEventPool = struct ZeEventPoolTag*;
using ZeEvent = struct ZeEventTag*;
using ZeModule = struct ZeModuleTag*;
using ZeLog = struct ZeLogTag*;
using ZeKernel = struct ZeKernelTag*;
using ZesMemory = struct ZesMemoryTag*;
using ZeResult = uint32_t;

inline constexpr ZeResult kSuccess = 0, kNotReady = 1, kInsufficientPermissions = 0x70010000;
inline constexpr uint64_t kForever = ~uint64_t{0};  // a timeout

// ze_structure_type_t; the last four are Sysman's.
enum : uint32_t {
  kDriverProperties = 0x1,
  kComputeProperties = 0x4,
  kModuleProperties = 0x5,
  kGroupProperties = 0x6,
  kMemoryProperties = 0x7,
  kMemoryAccessProperties = 0x8,
  kCacheProperties = 0x9,
  kContextDesc = 0xD,
  kQueueDesc = 0xE,
  kListDesc = 0xF,
  kEventPoolDesc = 0x10,
  kEventDesc = 0x11,
  kDeviceAllocation = 0x15,
  kHostAllocation = 0x16,
  kModuleDesc = 0x1B,
  kKernelDesc = 0x1D,
  kKernelProperties = 0x1E,
  kPreferredGroupSize = 0x21,
  kPciProperties = 0x10008,
  kRelaxedLimits = 0x20001,
  kDeviceProperties = 0x20006,  // version 1.2: the timer's resolution is in cycles per second
  kSysmanDeviceProperties = 0x1,
  kSysmanPciProperties = 0x2,
  kSysmanMemoryProperties = 0xB,
  kSysmanMemoryState = 0x1E,
};

// Flags and enumerators.
enum : uint32_t {
  kTypeGpu = 1,
  kTypeCpu = 2,
  kFlagIntegrated = 1 << 0,
  kFlagSubdevice = 1 << 1,
  kFlagEcc = 1 << 2,
  kModuleFp16 = 1 << 0,
  kModuleFp64 = 1 << 1,
  kModuleAtomics64 = 1 << 2,
  kRoundedDivision = 1 << 6,
  kGroupCompute = 1 << 0,
  kGroupCopy = 1 << 1,
  kAccess = 1 << 0,
  kAccessAtomic = 1 << 1,
  kAccessConcurrent = 1 << 2,
  kAccessConcurrentAtomic = 1 << 3,
  kModeAsynchronous = 2,
  kPriorityLow = 1,
  kPriorityHigh = 2,
  kPoolHostVisible = 1 << 0,
  kPoolTimestamps = 1 << 2,
  kScopeDevice = 1 << 1,
  kScopeHost = 1 << 2,
  kFormatSpirv = 0,
  kFormatNative = 1,
  kIndirectAll = 7,
  kRelaxedMaxSize = 1 << 0,
};

struct DriverProperties {
  uint32_t type = kDriverProperties;
  void* next = nullptr;
  uint8_t uuid[16] = {};
  uint32_t version = 0;
};

struct ExtensionProperties {
  char name[256] = {};
  uint32_t version = 0;
};

struct DeviceProperties {
  uint32_t type = kDeviceProperties;
  void* next = nullptr;
  uint32_t kind = 0;
  uint32_t vendor = 0, device = 0;
  uint32_t flags = 0;
  uint32_t subdevice = 0;
  uint32_t clock_mhz = 0;
  uint64_t max_allocation = 0;
  uint32_t hardware_contexts = 0;
  uint32_t max_priority = 0;
  uint32_t threads_per_eu = 0, simd_width = 0, eus_per_subslice = 0, subslices_per_slice = 0, slices = 0;
  uint64_t timer_resolution = 0;
  uint32_t timestamp_bits = 0, kernel_timestamp_bits = 0;
  uint8_t uuid[16] = {};
  char name[256] = {};
};

struct ComputeProperties {
  uint32_t type = kComputeProperties;
  void* next = nullptr;
  uint32_t max_group_threads = 0;
  uint32_t max_group[3] = {};
  uint32_t max_groups[3] = {};
  uint32_t local_memory = 0;
  uint32_t subgroup_size_count = 0;
  uint32_t subgroup_sizes[8] = {};
};

struct ModuleProperties {
  uint32_t type = kModuleProperties;
  void* next = nullptr;
  uint32_t spirv_version = 0;
  uint32_t flags = 0;
  uint32_t fp16 = 0, fp32 = 0, fp64 = 0;
  uint32_t max_arguments = 0;
  uint32_t printf_bytes = 0;
  uint8_t native_format[16] = {};
};

struct GroupProperties {  // of a command stream group
  uint32_t type = kGroupProperties;
  void* next = nullptr;
  uint32_t flags = 0;
  size_t max_fill_pattern = 0;
  uint32_t streams = 0;
};

struct MemoryProperties {
  uint32_t type = kMemoryProperties;
  void* next = nullptr;
  uint32_t flags = 0;
  uint32_t clock_mhz = 0;
  uint32_t bus_bits = 0;
  uint64_t bytes = 0;
  char name[256] = {};
};

struct MemoryAccessProperties {
  uint32_t type = kMemoryAccessProperties;
  void* next = nullptr;
  uint32_t host = 0, device = 0, shared = 0, shared_cross_device = 0, system = 0;
};

struct CacheProperties {
  uint32_t type = kCacheProperties;
  void* next = nullptr;
  uint32_t flags = 0;
  size_t bytes = 0;
};

struct PciProperties {
  uint32_t type = kPciProperties;
  void* next = nullptr;
  uint32_t domain = 0, bus = 0, device = 0, function = 0;
  int32_t generation = 0, lanes = 0;
  int64_t bandwidth = 0;
};

struct ContextDesc {
  uint32_t type = kContextDesc;
  const void* next = nullptr;
  uint32_t flags = 0;
};

struct QueueDesc {
  uint32_t type = kQueueDesc;
  const void* next = nullptr;
  uint32_t group = 0, index = 0;
  uint32_t flags = 0;
  uint32_t mode = kModeAsynchronous;
  uint32_t priority = 0;
};

struct ListDesc {
  uint32_t type = kListDesc;
  const void* next = nullptr;
  uint32_t group = 0;
  uint32_t flags = 0;
};

struct EventPoolDesc {
  uint32_t type = kEventPoolDesc;
  const void* next = nullptr;
  uint32_t flags = kPoolHostVisible | kPoolTimestamps;
  uint32_t count = 0;
};

struct EventDesc {
  uint32_t type = kEventDesc;
  const void* next = nullptr;
  uint32_t index = 0;
  uint32_t signal = kScopeHost;
  uint32_t wait = kScopeHost;
};

struct Timestamps {
  uint64_t global_start = 0, global_end = 0, context_start = 0, context_end = 0;
};

struct DeviceAllocation {
  uint32_t type = kDeviceAllocation;
  const void* next = nullptr;
  uint32_t flags = 0;
  uint32_t ordinal = 0;
};

struct HostAllocation {
  uint32_t type = kHostAllocation;
  const void* next = nullptr;
  uint32_t flags = 0;
};

struct RelaxedLimits {
  uint32_t type = kRelaxedLimits;
  const void* next = nullptr;
  uint32_t flags = kRelaxedMaxSize;
};

struct SpecConstants {
  uint32_t count = 0;
  const uint32_t* ids = nullptr;
  const void** values = nullptr;
};

struct ModuleDesc {
  uint32_t type = kModuleDesc;
  const void* next = nullptr;
  uint32_t format = kFormatSpirv;
  size_t bytes = 0;
  const uint8_t* input = nullptr;
  const char* build_flags = nullptr;
  const SpecConstants* constants = nullptr;
};

struct KernelDesc {
  uint32_t type = kKernelDesc;
  const void* next = nullptr;
  uint32_t flags = 0;
  const char* name = nullptr;
};

struct PreferredGroupSize {
  uint32_t type = kPreferredGroupSize;
  void* next = nullptr;
  uint32_t multiple = 0;
};

struct KernelProperties {
  uint32_t type = kKernelProperties;
  void* next = nullptr;
  uint32_t arguments = 0;
  uint32_t required_group[3] = {};
  uint32_t required_subgroups = 0, required_subgroup_size = 0;
  uint32_t max_subgroup_size = 0, max_subgroups = 0;
  uint32_t local_bytes = 0, private_bytes = 0, spill_bytes = 0;
  uint8_t uuid[32] = {};
};

struct GroupCount {
  uint32_t x = 1, y = 1, z = 1;
};

// Sysman. A device has a separate handle or, where ZES_ENABLE_SYSMAN=1, by the core handle.
struct SysmanDeviceProperties {
  uint32_t type = kSysmanDeviceProperties;
  void* next = nullptr;
  DeviceProperties core;
  uint32_t subdevices = 0;
  char serial[64] = {}, board[64] = {}, brand[64] = {}, model[64] = {}, vendor[64] = {}, version[64] = {};
};

struct SysmanPciProperties {
  uint32_t type = kSysmanPciProperties;
  void* next = nullptr;
  uint32_t domain = 0, bus = 0, device = 0, function = 0;
  int32_t generation = 0, lanes = 0;
  int64_t bandwidth = 0;
  uint8_t counters[3] = {};
};

struct SysmanMemoryProperties {
  uint32_t type = kSysmanMemoryProperties;
  void* next = nullptr;
  uint32_t kind = 0;
  uint8_t is_on_subdevice = 0;
  uint32_t subdevice = 0;
  uint32_t location = 0;
  uint64_t bytes = 0;
  int32_t bus_bits = 0, channels = 0;
};

struct SysmanMemoryState {
  uint32_t type = kSysmanMemoryState;
  const void* next = nullptr;
  uint32_t health = 0;
  uint64_t free_bytes = 0, bytes = 0;
};

}  // namespace quern::level_zero
