// The functions of Vulkan that are used, and the ways to them: the system's loader, or, where there is none
// that finds a device, the drivers it would load (ICDs), opened directly.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "driver/vulkan/structs.hpp"

namespace quern::vulkan {

template <typename T = void>
using Result = base::Result<T>;

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

// Null without the extensions they come from.
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
  X(void, vkDestroySemaphore, (DeviceHandle, Semaphore, const void*))

// Younger than Vulkan 1.1: under their own names, or those of the extensions they come from.
#define QUERN_VULKAN_YOUNG_SYMBOLS(X)                                                                        \
  X(int32_t, vkGetSemaphoreCounterValue, KHR, (DeviceHandle, Semaphore, uint64_t*))                          \
  X(int32_t, vkWaitSemaphores, KHR, (DeviceHandle, const SemaphoreWaitInfo*, uint64_t))                      \
  X(uint64_t, vkGetBufferDeviceAddress, KHR, (DeviceHandle, const BufferDeviceAddressInfo*))                 \
  X(int32_t, vkGetCalibratedTimestamps, EXT, (DeviceHandle, uint32_t, const CalibratedTimestampInfo*, uint64_t*, uint64_t*))
// clang-format on

// What the validation layer finds (QUERN_VALIDATE=1), until someone takes it.
class Messages {
 public:
  void add(std::string text);
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

// One instance of Vulkan, behind the loader or one driver. It goes with the last device that holds it.
struct InstanceApi {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  QUERN_VULKAN_INSTANCE_SYMBOLS(X)
  QUERN_VULKAN_OPTIONAL_INSTANCE_SYMBOLS(X)
#undef X
  std::string library;
  uint32_t version = 0;
  Instance instance = nullptr;
  DebugMessenger messenger = {};
  Messages messages;
  bool is_validated = false;

  InstanceApi() = default;
  InstanceApi(const InstanceApi&) = delete;
  InstanceApi& operator=(const InstanceApi&) = delete;
  ~InstanceApi();

  Result<std::vector<PhysicalDevice>> devices() const;
};

// All that have devices: one where there is a loader.
Result<std::vector<std::shared_ptr<InstanceApi>>> find_instances();

struct DeviceApi {
#define X(result, name, parameters) result(*name) parameters = nullptr;
  QUERN_VULKAN_DEVICE_SYMBOLS(X)
#undef X
#define X(result, name, suffix, parameters) result(*name) parameters = nullptr;
  QUERN_VULKAN_YOUNG_SYMBOLS(X)
#undef X

  // Whether a call has said that the device is gone; all that ask it share this.
  std::shared_ptr<std::atomic<bool>> lost = std::make_shared<std::atomic<bool>>(false);

  static Result<DeviceApi> load(const InstanceApi& instance, DeviceHandle device);
};

// The error of a call that returned `code`, which is negative: "vkQueueSubmit fails with VK_…".
base::Error failed(std::string_view call, int32_t code);
bool is_known(int32_t code);  // to the table that failed() looks at
inline base::Error failed(const InstanceApi&, std::string_view call, int32_t code) {
  return failed(call, code);
}
base::Error failed(const DeviceApi& api, std::string_view call, int32_t code);  // notes a loss

}  // namespace quern::vulkan

// QUERN_VK(api, vkEndCommandBuffer(commands)): returns the error of the call from the enclosing function.
#define QUERN_VK(api, call)                                                          \
  do {                                                                               \
    if (const int32_t quern_vk_ = (api).call; quern_vk_ < 0) {                       \
      const std::string_view quern_text_ = #call;                                    \
      return failed((api), quern_text_.substr(0, quern_text_.find('(')), quern_vk_); \
    }                                                                                \
  } while (false)
