// Compares our declarations with Vulkan's header, if it is installed.
#include "driver/vulkan/api/structs.hpp"

#include <gtest/gtest.h>

#if __has_include(<vulkan/vulkan_core.h>)
#include <vulkan/vulkan_core.h>
#define QUERN_HAS_VULKAN_HEADER
#endif

namespace quern::vulkan {
namespace {

TEST(VulkanStructs, AreThoseOfTheHeader) {
#ifndef QUERN_HAS_VULKAN_HEADER
  GTEST_SKIP() << "vulkan_core.h is not installed (Debian and Ubuntu: libvulkan-dev)";
#else
#define SAME(ours, theirs) EXPECT_EQ(sizeof(ours), sizeof(theirs)) << #ours
  SAME(ApplicationInfo, VkApplicationInfo);
  SAME(InstanceCreateInfo, VkInstanceCreateInfo);
  SAME(ExtensionProperties, VkExtensionProperties);
  SAME(MessengerCreateInfo, VkDebugUtilsMessengerCreateInfoEXT);
  SAME(PhysicalDeviceLimits, VkPhysicalDeviceLimits);
  SAME(PhysicalDeviceProperties2, VkPhysicalDeviceProperties2);
  SAME(IdProperties, VkPhysicalDeviceIDProperties);
  SAME(SubgroupProperties, VkPhysicalDeviceSubgroupProperties);
  SAME(Maintenance3Properties, VkPhysicalDeviceMaintenance3Properties);
  SAME(Maintenance4Properties, VkPhysicalDeviceMaintenance4Properties);
  SAME(DriverProperties, VkPhysicalDeviceDriverProperties);
  SAME(SubgroupSizeProperties, VkPhysicalDeviceSubgroupSizeControlProperties);
  SAME(FloatControlsProperties, VkPhysicalDeviceFloatControlsProperties);
  SAME(PciProperties, VkPhysicalDevicePCIBusInfoPropertiesEXT);
  SAME(PhysicalDeviceFeatures2, VkPhysicalDeviceFeatures2);
  SAME(MemoryProperties, VkPhysicalDeviceMemoryProperties);
  SAME(QueueFamilyProperties, VkQueueFamilyProperties);
  SAME(DeviceQueueCreateInfo, VkDeviceQueueCreateInfo);
  SAME(DeviceCreateInfo, VkDeviceCreateInfo);
  SAME(MemoryAllocateFlagsInfo, VkMemoryAllocateFlagsInfo);
  SAME(MemoryAllocateInfo, VkMemoryAllocateInfo);
  SAME(ExternalMemoryBufferCreateInfo, VkExternalMemoryBufferCreateInfo);
  SAME(ExportMemoryAllocateInfo, VkExportMemoryAllocateInfo);
  SAME(ImportMemoryFdInfo, VkImportMemoryFdInfoKHR);
  SAME(MemoryGetFdInfo, VkMemoryGetFdInfoKHR);
  SAME(MemoryDedicatedAllocateInfo, VkMemoryDedicatedAllocateInfo);
  SAME(MemoryRequirements, VkMemoryRequirements);
  SAME(BufferCreateInfo, VkBufferCreateInfo);
  SAME(BufferDeviceAddressInfo, VkBufferDeviceAddressInfo);
  SAME(BufferCopy, VkBufferCopy);
  SAME(ShaderModuleCreateInfo, VkShaderModuleCreateInfo);
  SAME(PipelineCacheCreateInfo, VkPipelineCacheCreateInfo);
  SAME(SpecializationEntry, VkSpecializationMapEntry);
  SAME(SpecializationInfo, VkSpecializationInfo);
  SAME(RequiredSubgroupSize, VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
  SAME(ShaderStageCreateInfo, VkPipelineShaderStageCreateInfo);
  SAME(ComputePipelineCreateInfo, VkComputePipelineCreateInfo);
  SAME(PushConstantRange, VkPushConstantRange);
  SAME(PipelineLayoutCreateInfo, VkPipelineLayoutCreateInfo);
  SAME(DescriptorBinding, VkDescriptorSetLayoutBinding);
  SAME(DescriptorSetLayoutCreateInfo, VkDescriptorSetLayoutCreateInfo);
  SAME(DescriptorPoolSize, VkDescriptorPoolSize);
  SAME(DescriptorPoolCreateInfo, VkDescriptorPoolCreateInfo);
  SAME(DescriptorSetAllocateInfo, VkDescriptorSetAllocateInfo);
  SAME(DescriptorBufferInfo, VkDescriptorBufferInfo);
  SAME(WriteDescriptorSet, VkWriteDescriptorSet);
  SAME(CommandPoolCreateInfo, VkCommandPoolCreateInfo);
  SAME(CommandBufferAllocateInfo, VkCommandBufferAllocateInfo);
  SAME(CommandBufferBeginInfo, VkCommandBufferBeginInfo);
  SAME(MemoryBarrier, VkMemoryBarrier);
  SAME(QueryPoolCreateInfo, VkQueryPoolCreateInfo);
  SAME(SemaphoreTypeCreateInfo, VkSemaphoreTypeCreateInfo);
  SAME(SemaphoreCreateInfo, VkSemaphoreCreateInfo);
  SAME(TimelineSubmitInfo, VkTimelineSemaphoreSubmitInfo);
  SAME(SubmitInfo, VkSubmitInfo);
  SAME(SemaphoreWaitInfo, VkSemaphoreWaitInfo);
  SAME(CalibratedTimestampInfo, VkCalibratedTimestampInfoEXT);
#undef SAME
#define PLACE(ours, member, theirs, name) EXPECT_EQ(offsetof(ours, member), offsetof(theirs, name)) << #name
  PLACE(PhysicalDeviceLimits, uniform_range, VkPhysicalDeviceLimits, maxUniformBufferRange);
  PLACE(PhysicalDeviceLimits, storage_range, VkPhysicalDeviceLimits, maxStorageBufferRange);
  PLACE(PhysicalDeviceLimits, push_bytes, VkPhysicalDeviceLimits, maxPushConstantsSize);
  PLACE(PhysicalDeviceLimits, bound_sets, VkPhysicalDeviceLimits, maxBoundDescriptorSets);
  PLACE(PhysicalDeviceLimits, stage_storage_buffers, VkPhysicalDeviceLimits,
        maxPerStageDescriptorStorageBuffers);
  PLACE(PhysicalDeviceLimits, shared_bytes, VkPhysicalDeviceLimits, maxComputeSharedMemorySize);
  PLACE(PhysicalDeviceLimits, groups, VkPhysicalDeviceLimits, maxComputeWorkGroupCount);
  PLACE(PhysicalDeviceLimits, group_threads, VkPhysicalDeviceLimits, maxComputeWorkGroupInvocations);
  PLACE(PhysicalDeviceLimits, group, VkPhysicalDeviceLimits, maxComputeWorkGroupSize);
  PLACE(PhysicalDeviceLimits, uniform_alignment, VkPhysicalDeviceLimits, minUniformBufferOffsetAlignment);
  PLACE(PhysicalDeviceLimits, storage_alignment, VkPhysicalDeviceLimits, minStorageBufferOffsetAlignment);
  PLACE(PhysicalDeviceLimits, has_timestamps, VkPhysicalDeviceLimits, timestampComputeAndGraphics);
  PLACE(PhysicalDeviceLimits, timestamp_period, VkPhysicalDeviceLimits, timestampPeriod);
  PLACE(PhysicalDeviceLimits, atom_bytes, VkPhysicalDeviceLimits, nonCoherentAtomSize);
  PLACE(PhysicalDeviceProperties2, limits, VkPhysicalDeviceProperties2, properties.limits);
  PLACE(MessageData, text, VkDebugUtilsMessengerCallbackDataEXT, pMessage);
  PLACE(ComputePipelineCreateInfo, stage, VkComputePipelineCreateInfo, stage);
#undef PLACE
#define TYPE(ours, name) EXPECT_EQ(ours().type, VK_STRUCTURE_TYPE_##name)
  TYPE(ApplicationInfo, APPLICATION_INFO);
  TYPE(InstanceCreateInfo, INSTANCE_CREATE_INFO);
  TYPE(MessengerCreateInfo, DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  TYPE(PhysicalDeviceProperties2, PHYSICAL_DEVICE_PROPERTIES_2);
  TYPE(IdProperties, PHYSICAL_DEVICE_ID_PROPERTIES);
  TYPE(SubgroupProperties, PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  TYPE(Maintenance3Properties, PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  TYPE(Maintenance4Properties, PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  TYPE(DriverProperties, PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  TYPE(SubgroupSizeProperties, PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  TYPE(FloatControlsProperties, PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
  TYPE(PciProperties, PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  TYPE(PhysicalDeviceFeatures2, PHYSICAL_DEVICE_FEATURES_2);
  TYPE(DeviceQueueCreateInfo, DEVICE_QUEUE_CREATE_INFO);
  TYPE(DeviceCreateInfo, DEVICE_CREATE_INFO);
  TYPE(MemoryAllocateFlagsInfo, MEMORY_ALLOCATE_FLAGS_INFO);
  TYPE(MemoryAllocateInfo, MEMORY_ALLOCATE_INFO);
  TYPE(BufferCreateInfo, BUFFER_CREATE_INFO);
  TYPE(BufferDeviceAddressInfo, BUFFER_DEVICE_ADDRESS_INFO);
  TYPE(ShaderModuleCreateInfo, SHADER_MODULE_CREATE_INFO);
  TYPE(PipelineCacheCreateInfo, PIPELINE_CACHE_CREATE_INFO);
  TYPE(RequiredSubgroupSize, PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  TYPE(ShaderStageCreateInfo, PIPELINE_SHADER_STAGE_CREATE_INFO);
  TYPE(ComputePipelineCreateInfo, COMPUTE_PIPELINE_CREATE_INFO);
  TYPE(PipelineLayoutCreateInfo, PIPELINE_LAYOUT_CREATE_INFO);
  TYPE(DescriptorSetLayoutCreateInfo, DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  TYPE(DescriptorPoolCreateInfo, DESCRIPTOR_POOL_CREATE_INFO);
  TYPE(DescriptorSetAllocateInfo, DESCRIPTOR_SET_ALLOCATE_INFO);
  TYPE(WriteDescriptorSet, WRITE_DESCRIPTOR_SET);
  TYPE(CommandPoolCreateInfo, COMMAND_POOL_CREATE_INFO);
  TYPE(CommandBufferAllocateInfo, COMMAND_BUFFER_ALLOCATE_INFO);
  TYPE(CommandBufferBeginInfo, COMMAND_BUFFER_BEGIN_INFO);
  TYPE(MemoryBarrier, MEMORY_BARRIER);
  TYPE(QueryPoolCreateInfo, QUERY_POOL_CREATE_INFO);
  TYPE(SemaphoreTypeCreateInfo, SEMAPHORE_TYPE_CREATE_INFO);
  TYPE(SemaphoreCreateInfo, SEMAPHORE_CREATE_INFO);
  TYPE(TimelineSubmitInfo, TIMELINE_SEMAPHORE_SUBMIT_INFO);
  TYPE(SubmitInfo, SUBMIT_INFO);
  TYPE(SemaphoreWaitInfo, SEMAPHORE_WAIT_INFO);
  TYPE(CalibratedTimestampInfo, CALIBRATED_TIMESTAMP_INFO_EXT);
#undef TYPE
#endif
}

}  // namespace
}  // namespace quern::vulkan
