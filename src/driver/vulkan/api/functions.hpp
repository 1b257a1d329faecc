// The Vulkan functions that are used: X(result, name, parameters).
#pragma once

#include "driver/vulkan/api/structs.hpp"

// clang-format off
#define QUERN_VULKAN_INSTANCE_SYMBOLS(X)                                                                     \
  X(void, vkDestroyInstance, (Instance, const void*))                                                        \
  X(int32_t, vkEnumeratePhysicalDevices, (Instance, uint32_t*, PhysicalDevice*))                             \
  X(void, vkGetPhysicalDeviceProperties2, (PhysicalDevice, PhysicalDeviceProperties2*))                      \
  X(void, vkGetPhysicalDeviceFeatures2, (PhysicalDevice, PhysicalDeviceFeatures2*))                          \
  X(void, vkGetPhysicalDeviceMemoryProperties, (PhysicalDevice, MemoryProperties*))                          \
  X(void, vkGetPhysicalDeviceQueueFamilyProperties, (PhysicalDevice, uint32_t*, QueueFamilyProperties*))     \
  X(int32_t, vkEnumerateDeviceExtensionProperties, (PhysicalDevice, const char*, uint32_t*, ExtensionProperties*)) \
  X(int32_t, vkCreateDevice, (PhysicalDevice, const DeviceCreateInfo*, const void*, DeviceHandle*))          \
  X(VoidFunction, vkGetDeviceProcAddr, (DeviceHandle, const char*))

// Null without their extensions.
#define QUERN_VULKAN_OPTIONAL_INSTANCE_SYMBOLS(X)                                                            \
  X(int32_t, vkCreateDebugUtilsMessengerEXT, (Instance, const MessengerCreateInfo*, const void*, DebugMessenger*)) \
  X(void, vkDestroyDebugUtilsMessengerEXT, (Instance, DebugMessenger, const void*))                          \
  X(int32_t, vkGetPhysicalDeviceCalibrateableTimeDomainsEXT, (PhysicalDevice, uint32_t*, int32_t*))         \
  X(int32_t, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, (PhysicalDevice, uint32_t*, CooperativeMatrixProperties*))

#define QUERN_VULKAN_DEVICE_SYMBOLS(X)                                                                       \
  X(void, vkDestroyDevice, (DeviceHandle, const void*))                                                      \
  X(int32_t, vkDeviceWaitIdle, (DeviceHandle))                                                               \
  X(void, vkGetDeviceQueue, (DeviceHandle, uint32_t, uint32_t, QueueHandle*))                                \
  X(int32_t, vkQueueSubmit, (QueueHandle, uint32_t, const SubmitInfo*, Fence))                               \
  X(int32_t, vkAllocateMemory, (DeviceHandle, const MemoryAllocateInfo*, const void*, DeviceMemory*))        \
  X(void, vkFreeMemory, (DeviceHandle, DeviceMemory, const void*))                                           \
  X(int32_t, vkMapMemory, (DeviceHandle, DeviceMemory, uint64_t, uint64_t, uint32_t, void**))                \
  X(int32_t, vkCreateBuffer, (DeviceHandle, const BufferCreateInfo*, const void*, BufferHandle*))            \
  X(void, vkDestroyBuffer, (DeviceHandle, BufferHandle, const void*))                                        \
  X(void, vkGetBufferMemoryRequirements, (DeviceHandle, BufferHandle, MemoryRequirements*))                  \
  X(int32_t, vkBindBufferMemory, (DeviceHandle, BufferHandle, DeviceMemory, uint64_t))                       \
  X(int32_t, vkCreateShaderModule, (DeviceHandle, const ShaderModuleCreateInfo*, const void*, ShaderModule*)) \
  X(void, vkDestroyShaderModule, (DeviceHandle, ShaderModule, const void*))                                  \
  X(int32_t, vkCreatePipelineCache, (DeviceHandle, const PipelineCacheCreateInfo*, const void*, PipelineCache*)) \
  X(void, vkDestroyPipelineCache, (DeviceHandle, PipelineCache, const void*))                                \
  X(int32_t, vkGetPipelineCacheData, (DeviceHandle, PipelineCache, size_t*, void*))                          \
  X(int32_t, vkCreateComputePipelines, (DeviceHandle, PipelineCache, uint32_t, const ComputePipelineCreateInfo*, const void*, Pipeline*)) \
  X(void, vkDestroyPipeline, (DeviceHandle, Pipeline, const void*))                                          \
  X(int32_t, vkCreatePipelineLayout, (DeviceHandle, const PipelineLayoutCreateInfo*, const void*, PipelineLayout*)) \
  X(void, vkDestroyPipelineLayout, (DeviceHandle, PipelineLayout, const void*))                              \
  X(int32_t, vkCreateDescriptorSetLayout, (DeviceHandle, const DescriptorSetLayoutCreateInfo*, const void*, DescriptorSetLayout*)) \
  X(void, vkDestroyDescriptorSetLayout, (DeviceHandle, DescriptorSetLayout, const void*))                    \
  X(int32_t, vkCreateDescriptorPool, (DeviceHandle, const DescriptorPoolCreateInfo*, const void*, DescriptorPool*)) \
  X(void, vkDestroyDescriptorPool, (DeviceHandle, DescriptorPool, const void*))                              \
  X(int32_t, vkAllocateDescriptorSets, (DeviceHandle, const DescriptorSetAllocateInfo*, DescriptorSet*))     \
  X(void, vkUpdateDescriptorSets, (DeviceHandle, uint32_t, const WriteDescriptorSet*, uint32_t, const void*)) \
  X(int32_t, vkCreateCommandPool, (DeviceHandle, const CommandPoolCreateInfo*, const void*, CommandPool*))   \
  X(void, vkDestroyCommandPool, (DeviceHandle, CommandPool, const void*))                                    \
  X(int32_t, vkAllocateCommandBuffers, (DeviceHandle, const CommandBufferAllocateInfo*, CommandBuffer*))     \
  X(int32_t, vkBeginCommandBuffer, (CommandBuffer, const CommandBufferBeginInfo*))                           \
  X(int32_t, vkResetCommandBuffer, (CommandBuffer, uint32_t))                                                \
  X(int32_t, vkEndCommandBuffer, (CommandBuffer))                                                            \
  X(void, vkCmdPipelineBarrier, (CommandBuffer, uint32_t, uint32_t, uint32_t, uint32_t, const MemoryBarrier*, uint32_t, const void*, uint32_t, const void*)) \
  X(void, vkCmdBindPipeline, (CommandBuffer, int32_t, Pipeline))                                             \
  X(void, vkCmdBindDescriptorSets, (CommandBuffer, int32_t, PipelineLayout, uint32_t, uint32_t, const DescriptorSet*, uint32_t, const uint32_t*)) \
  X(void, vkCmdPushConstants, (CommandBuffer, PipelineLayout, uint32_t, uint32_t, uint32_t, const void*))    \
  X(void, vkCmdDispatch, (CommandBuffer, uint32_t, uint32_t, uint32_t))                                      \
  X(void, vkCmdCopyBuffer, (CommandBuffer, BufferHandle, BufferHandle, uint32_t, const BufferCopy*))         \
  X(void, vkCmdFillBuffer, (CommandBuffer, BufferHandle, uint64_t, uint64_t, uint32_t))                      \
  X(int32_t, vkCreateQueryPool, (DeviceHandle, const QueryPoolCreateInfo*, const void*, QueryPool*))         \
  X(void, vkDestroyQueryPool, (DeviceHandle, QueryPool, const void*))                                        \
  X(void, vkCmdResetQueryPool, (CommandBuffer, QueryPool, uint32_t, uint32_t))                               \
  X(void, vkCmdWriteTimestamp, (CommandBuffer, uint32_t, QueryPool, uint32_t))                               \
  X(int32_t, vkGetQueryPoolResults, (DeviceHandle, QueryPool, uint32_t, uint32_t, size_t, void*, uint64_t, uint32_t)) \
  X(int32_t, vkCreateSemaphore, (DeviceHandle, const SemaphoreCreateInfo*, const void*, Semaphore*))         \
  X(void, vkDestroySemaphore, (DeviceHandle, Semaphore, const void*))                                        \
  X(int32_t, vkGetSemaphoreCounterValue, (DeviceHandle, Semaphore, uint64_t*))                               \
  X(int32_t, vkWaitSemaphores, (DeviceHandle, const SemaphoreWaitInfo*, uint64_t))

// Null without their features.
#define QUERN_VULKAN_OPTIONAL_DEVICE_SYMBOLS(X)                                                              \
  X(uint64_t, vkGetBufferDeviceAddress, (DeviceHandle, const BufferDeviceAddressInfo*))                      \
  X(int32_t, vkGetMemoryFd, (DeviceHandle, const MemoryGetFdInfo*, int32_t*))                                \
  X(int32_t, vkGetCalibratedTimestamps, (DeviceHandle, uint32_t, const CalibratedTimestampInfo*, uint64_t*, uint64_t*))
// clang-format on

namespace quern::vulkan {

struct InstanceFunctions {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  QUERN_VULKAN_INSTANCE_SYMBOLS(X)
  QUERN_VULKAN_OPTIONAL_INSTANCE_SYMBOLS(X)
#undef X
  // Returns the name of the first missing required function; null: none is missing.
  const char* load(GetInstanceProcAddr find, Instance instance);
};

struct DeviceFunctions {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  QUERN_VULKAN_DEVICE_SYMBOLS(X)
  QUERN_VULKAN_OPTIONAL_DEVICE_SYMBOLS(X)
#undef X
  const char* load(const InstanceFunctions& instance, DeviceHandle device);  // the same for a device
};

}  // namespace quern::vulkan
