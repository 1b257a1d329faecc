// Our declarations against Level Zero's own headers, where they are installed.
#include <cstddef>

#include <gtest/gtest.h>

#include "driver/level_zero/types.hpp"

#if __has_include(<level_zero/ze_api.h>) && __has_include(<level_zero/zes_api.h>)
#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>
#define QUERN_HAS_LEVEL_ZERO_HEADER
#endif

namespace quern::level_zero {
namespace {

TEST(LevelZeroStructs, AreThoseOfTheHeader) {
#ifndef QUERN_HAS_LEVEL_ZERO_HEADER
  GTEST_SKIP() << "level_zero/ze_api.h is not installed (Debian and Ubuntu, x86_64: libze-dev)";
#else
#define SAME(ours, field, theirs, name)                          \
  do {                                                           \
    EXPECT_EQ(sizeof(ours), sizeof(theirs)) << #ours;            \
    EXPECT_EQ(offsetof(ours, field), offsetof(theirs, name))     \
        << #ours "::" #field " is not where " #theirs " has it"; \
  } while (false)
#define NUMBER(ours, theirs) EXPECT_EQ(static_cast<uint32_t>(ours), static_cast<uint32_t>(theirs)) << #ours
  SAME(DriverProperties, version, ze_driver_properties_t, driverVersion);
  SAME(ExtensionProperties, version, ze_driver_extension_properties_t, version);
  SAME(DeviceProperties, kind, ze_device_properties_t, type);
  SAME(DeviceProperties, clock_mhz, ze_device_properties_t, coreClockRate);
  SAME(DeviceProperties, max_allocation, ze_device_properties_t, maxMemAllocSize);
  SAME(DeviceProperties, slices, ze_device_properties_t, numSlices);
  SAME(DeviceProperties, timer_resolution, ze_device_properties_t, timerResolution);
  SAME(DeviceProperties, kernel_timestamp_bits, ze_device_properties_t, kernelTimestampValidBits);
  SAME(DeviceProperties, uuid, ze_device_properties_t, uuid);
  SAME(DeviceProperties, name, ze_device_properties_t, name);
  SAME(ComputeProperties, max_groups, ze_device_compute_properties_t, maxGroupCountX);
  SAME(ComputeProperties, subgroup_sizes, ze_device_compute_properties_t, subGroupSizes);
  SAME(ModuleProperties, flags, ze_device_module_properties_t, flags);
  SAME(ModuleProperties, max_arguments, ze_device_module_properties_t, maxArgumentsSize);
  SAME(GroupProperties, max_fill_pattern, ze_command_queue_group_properties_t, maxMemoryFillPatternSize);
  SAME(GroupProperties, streams, ze_command_queue_group_properties_t, numQueues);
  SAME(MemoryProperties, bytes, ze_device_memory_properties_t, totalSize);
  SAME(MemoryAccessProperties, system, ze_device_memory_access_properties_t, sharedSystemAllocCapabilities);
  SAME(CacheProperties, bytes, ze_device_cache_properties_t, cacheSize);
  SAME(PciProperties, bandwidth, ze_pci_ext_properties_t, maxSpeed.maxBandwidth);
  SAME(ContextDesc, flags, ze_context_desc_t, flags);
  SAME(QueueDesc, priority, ze_command_queue_desc_t, priority);
  SAME(ListDesc, flags, ze_command_list_desc_t, flags);
  SAME(EventPoolDesc, count, ze_event_pool_desc_t, count);
  SAME(EventDesc, wait, ze_event_desc_t, wait);
  SAME(Timestamps, context_end, ze_kernel_timestamp_result_t, context.kernelEnd);
  SAME(DeviceAllocation, ordinal, ze_device_mem_alloc_desc_t, ordinal);
  SAME(HostAllocation, flags, ze_host_mem_alloc_desc_t, flags);
  SAME(RelaxedLimits, flags, ze_relaxed_allocation_limits_exp_desc_t, flags);
  SAME(SpecConstants, values, ze_module_constants_t, pConstantValues);
  SAME(ModuleDesc, constants, ze_module_desc_t, pConstants);
  SAME(KernelDesc, name, ze_kernel_desc_t, pKernelName);
  SAME(PreferredGroupSize, multiple, ze_kernel_preferred_group_size_properties_t, preferredMultiple);
  SAME(KernelProperties, spill_bytes, ze_kernel_properties_t, spillMemSize);
  SAME(GroupCount, z, ze_group_count_t, groupCountZ);
  SAME(SysmanDeviceProperties, version, zes_device_properties_t, driverVersion);
  SAME(SysmanPciProperties, bandwidth, zes_pci_properties_t, maxSpeed.maxBandwidth);
  SAME(SysmanMemoryProperties, subdevice, zes_mem_properties_t, subdeviceId);
  SAME(SysmanMemoryProperties, channels, zes_mem_properties_t, numChannels);
  SAME(SysmanMemoryState, free_bytes, zes_mem_state_t, free);
  NUMBER(kDeviceProperties, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
  NUMBER(kComputeProperties, ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
  NUMBER(kModuleProperties, ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
  NUMBER(kGroupProperties, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
  NUMBER(kMemoryProperties, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
  NUMBER(kMemoryAccessProperties, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES);
  NUMBER(kContextDesc, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
  NUMBER(kQueueDesc, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
  NUMBER(kListDesc, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
  NUMBER(kEventPoolDesc, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
  NUMBER(kEventDesc, ZE_STRUCTURE_TYPE_EVENT_DESC);
  NUMBER(kDeviceAllocation, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
  NUMBER(kHostAllocation, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
  NUMBER(kModuleDesc, ZE_STRUCTURE_TYPE_MODULE_DESC);
  NUMBER(kKernelDesc, ZE_STRUCTURE_TYPE_KERNEL_DESC);
  NUMBER(kKernelProperties, ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES);
  NUMBER(kPreferredGroupSize, ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES);
  NUMBER(kPciProperties, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
  NUMBER(kRelaxedLimits, ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC);
  NUMBER(kSysmanDeviceProperties, ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES);
  NUMBER(kSysmanPciProperties, ZES_STRUCTURE_TYPE_PCI_PROPERTIES);
  NUMBER(kSysmanMemoryProperties, ZES_STRUCTURE_TYPE_MEM_PROPERTIES);
  NUMBER(kSysmanMemoryState, ZES_STRUCTURE_TYPE_MEM_STATE);
  NUMBER(kRoundedDivision, ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT);
  NUMBER(kModuleAtomics64, ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS);
  NUMBER(kGroupCopy, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
  NUMBER(kAccessConcurrentAtomic, ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC);
  NUMBER(kModeAsynchronous, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  NUMBER(kPriorityHigh, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
  NUMBER(kPoolTimestamps, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
  NUMBER(kScopeHost, ZE_EVENT_SCOPE_FLAG_HOST);
  NUMBER(kFormatNative, ZE_MODULE_FORMAT_NATIVE);
  NUMBER(kInsufficientPermissions, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
#endif
}

}  // namespace
}  // namespace quern::level_zero
