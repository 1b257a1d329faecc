// A wrapper around Mesa's Vulkan driver for CPUs that behaves differently, as set by the variable
// QUERN_FAKE_VULKAN:
//   old         the device supports only Vulkan 1.0
//   old-driver  so does the driver itself
//   no-compute  none of its queues supports compute
//   copies      it has an additional transfer-only queue
//   lost        the device is lost while the variable has this value
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#include "driver/vulkan/api/structs.hpp"

namespace quern::vulkan {
namespace {

constexpr uint32_t kCopyFamily = 1;
constexpr int32_t kUnknown = -13;

bool is(std::string_view what) {
  const char* const asked = std::getenv("QUERN_FAKE_VULKAN");
  return asked != nullptr && what == asked;
}

void* library() {
  static void* const opened = ::dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
  return opened;
}

Instance the_instance = nullptr;
DeviceHandle the_device = nullptr;
std::mutex mutex;
std::set<uint64_t> copy_pools;
std::set<CommandBuffer> copy_buffers;

VoidFunction real_address(const char* name) {
  using Find = VoidFunction (*)(Instance, const char*);
  static const auto find = reinterpret_cast<Find>(::dlsym(library(), "vk_icdGetInstanceProcAddr"));
  return find(the_instance, name);
}

VoidFunction real_device_address(const char* name) {
  using Find = VoidFunction (*)(DeviceHandle, const char*);
  return reinterpret_cast<Find>(real_address("vkGetDeviceProcAddr"))(the_device, name);
}

// The wrapped driver's function of that name.
#define REAL(name) reinterpret_cast<decltype(&name)>(real_address(#name))
#define REAL_OF_DEVICE(name) reinterpret_cast<decltype(&name)>(real_device_address(#name))

int32_t vkCreateInstance(const InstanceCreateInfo* info, const void* allocator, Instance* to) {
  the_instance = nullptr;
  const int32_t code = REAL(vkCreateInstance)(info, allocator, to);
  the_instance = *to;
  return code;
}

void vkGetPhysicalDeviceProperties2(PhysicalDevice device, PhysicalDeviceProperties2* to) {
  REAL(vkGetPhysicalDeviceProperties2)(device, to);
  if (is("old")) to->api_version = version(1, 0);
}

void vkGetPhysicalDeviceQueueFamilyProperties(PhysicalDevice device, uint32_t* count,
                                              QueueFamilyProperties* to) {
  const uint32_t room = *count;
  REAL(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, to);
  if (to != nullptr && is("no-compute")) to[0].flags &= ~uint32_t{kQueueCompute};
  if (!is("copies")) return;
  if (to != nullptr && room > kCopyFamily) to[kCopyFamily] = {kQueueTransfer, 1, 0, {1, 1, 1}};
  *count = kCopyFamily + 1;
}

int32_t vkCreateDevice(PhysicalDevice physical, const DeviceCreateInfo* info, const void* allocator,
                       DeviceHandle* to) {
  DeviceCreateInfo changed = *info;
  changed.queue_count = 1;
  const int32_t code = REAL(vkCreateDevice)(physical, &changed, allocator, to);
  the_device = *to;
  return code;
}

void vkGetDeviceQueue(DeviceHandle device, uint32_t, uint32_t, QueueHandle* to) {
  REAL_OF_DEVICE(vkGetDeviceQueue)(device, 0, 0, to);
}

int32_t vkCreateBuffer(DeviceHandle device, const BufferCreateInfo* info, const void* allocator,
                       BufferHandle* to) {
  BufferCreateInfo changed = *info;
  if (is("copies") && info->sharing != kSharingConcurrent) return kUnknown;  // both families use it
  changed.sharing = 0;
  changed.family_count = 0;
  return REAL_OF_DEVICE(vkCreateBuffer)(device, &changed, allocator, to);
}

int32_t vkCreateCommandPool(DeviceHandle device, const CommandPoolCreateInfo* info, const void* allocator,
                            CommandPool* to) {
  CommandPoolCreateInfo changed = *info;
  changed.family = 0;
  const int32_t code = REAL_OF_DEVICE(vkCreateCommandPool)(device, &changed, allocator, to);
  const std::lock_guard lock(mutex);
  if (info->family == kCopyFamily) copy_pools.insert(static_cast<uint64_t>(*to));
  return code;
}

int32_t vkAllocateCommandBuffers(DeviceHandle device, const CommandBufferAllocateInfo* info,
                                 CommandBuffer* to) {
  const int32_t code = REAL_OF_DEVICE(vkAllocateCommandBuffers)(device, info, to);
  const std::lock_guard lock(mutex);
  if (copy_pools.count(static_cast<uint64_t>(info->pool)) != 0) copy_buffers.insert(*to);
  return code;
}

// Commands that a transfer-only queue does not support end the program.
void vkCmdPipelineBarrier(CommandBuffer commands, uint32_t from, uint32_t to, uint32_t flags, uint32_t count,
                          const MemoryBarrier* barriers, uint32_t buffers, const void* buffer_barriers,
                          uint32_t images, const void* image_barriers) {
  {
    const std::lock_guard lock(mutex);
    if (copy_buffers.count(commands) != 0 && ((from | to) & kPipeCompute) != 0) std::abort();
  }
  REAL_OF_DEVICE(vkCmdPipelineBarrier)
  (commands, from, to, flags, count, barriers, buffers, buffer_barriers, images, image_barriers);
}

void vkCmdDispatch(CommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  {
    const std::lock_guard lock(mutex);
    if (copy_buffers.count(commands) != 0) std::abort();
  }
  REAL_OF_DEVICE(vkCmdDispatch)(commands, x, y, z);
}

int32_t vkQueueSubmit(QueueHandle queue, uint32_t count, const SubmitInfo* infos, Fence fence) {
  return is("lost") ? int32_t{kDeviceLost} : REAL_OF_DEVICE(vkQueueSubmit)(queue, count, infos, fence);
}

VoidFunction find_device_function(DeviceHandle device, const char* name);
VoidFunction find_function(Instance, const char* name);

VoidFunction changed(std::string_view name) {
#define CHANGED(function) \
  if (name == #function) return reinterpret_cast<VoidFunction>(function)
  CHANGED(vkCreateInstance);
  CHANGED(vkGetPhysicalDeviceProperties2);
  CHANGED(vkGetPhysicalDeviceQueueFamilyProperties);
  CHANGED(vkCreateDevice);
  CHANGED(vkGetDeviceQueue);
  CHANGED(vkCreateBuffer);
  CHANGED(vkCreateCommandPool);
  CHANGED(vkAllocateCommandBuffers);
  CHANGED(vkCmdPipelineBarrier);
  CHANGED(vkCmdDispatch);
  CHANGED(vkQueueSubmit);
#undef CHANGED
  if (name == "vkGetDeviceProcAddr") return reinterpret_cast<VoidFunction>(find_device_function);
  return nullptr;
}

VoidFunction find_device_function(DeviceHandle device, const char* name) {
  the_device = device;
  if (const VoidFunction own = changed(name)) return own;
  return real_device_address(name);
}

VoidFunction find_function(Instance, const char* name) {
  if (is("old-driver") && std::string_view(name) == "vkEnumerateInstanceVersion") return nullptr;
  if (const VoidFunction own = changed(name)) return own;
  return real_address(name);
}

}  // namespace
}  // namespace quern::vulkan

extern "C" {

[[gnu::visibility("default")]] quern::vulkan::VoidFunction vk_icdGetInstanceProcAddr(
    quern::vulkan::Instance instance, const char* name) {
  if (quern::vulkan::library() == nullptr) return nullptr;
  return quern::vulkan::find_function(instance, name);
}

[[gnu::visibility("default")]] int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  if (quern::vulkan::library() == nullptr) return quern::vulkan::kIncompatibleDriver;
  const auto real = reinterpret_cast<int32_t (*)(uint32_t*)>(
      ::dlsym(quern::vulkan::library(), "vk_icdNegotiateLoaderICDInterfaceVersion"));
  return real(version);
}

}  // extern "C"
