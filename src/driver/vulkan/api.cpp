#include "driver/vulkan/api.hpp"

#include <utility>

#include "driver/support/native_code.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

void Messages::add(std::string text) {
  const std::lock_guard lock(mutex_);
  texts_.push_back(std::move(text));
}

std::vector<std::string> Messages::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(texts_, {});
}

InstanceApi::~InstanceApi() {
  if (messenger != DebugMessenger{}) vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  if (instance != nullptr && vkDestroyInstance != nullptr) vkDestroyInstance(instance, nullptr);
}

Result<std::vector<PhysicalDevice>> InstanceApi::devices() const {
  uint32_t count = 0;
  QUERN_VK(*this, vkEnumeratePhysicalDevices(instance, &count, nullptr));
  std::vector<PhysicalDevice> all(count);
  QUERN_VK(*this, vkEnumeratePhysicalDevices(instance, &count, all.data()));
  all.resize(count);
  return all;
}

Result<DeviceApi> DeviceApi::load(const InstanceApi& instance, DeviceHandle device) {
  DeviceApi api;
  const auto find = [&](const char* name) { return instance.vkGetDeviceProcAddr(device, name); };
#define X(result, name, parameters)                                      \
  if (const VoidFunction f = find(#name); f != nullptr) {                \
    api.name = reinterpret_cast<decltype(api.name)>(f);                  \
  } else {                                                               \
    return Error(ErrorKind::kNotFound, "the device has no '" #name "'"); \
  }
  QUERN_VULKAN_DEVICE_SYMBOLS(X)
#undef X
#define X(result, name, suffix, parameters)                            \
  for (const char* const known : {#name, #name #suffix}) {             \
    if (const VoidFunction f = find(known); f != nullptr && !api.name) \
      api.name = reinterpret_cast<decltype(api.name)>(f);              \
  }
  QUERN_VULKAN_YOUNG_SYMBOLS(X)
#undef X
  return api;
}

namespace {

constexpr driver::NativeCode kCodes[] = {
    {-1, "VK_ERROR_OUT_OF_HOST_MEMORY", ErrorKind::kOutOfMemory},
    {-2, "VK_ERROR_OUT_OF_DEVICE_MEMORY", ErrorKind::kOutOfMemory},
    {-3, "VK_ERROR_INITIALIZATION_FAILED", ErrorKind::kUnsupported},
    {-4, "VK_ERROR_DEVICE_LOST", ErrorKind::kDeviceLost},
    {-5, "VK_ERROR_MEMORY_MAP_FAILED", ErrorKind::kOutOfMemory},
    {-6, "VK_ERROR_LAYER_NOT_PRESENT", ErrorKind::kNotFound},
    {-7, "VK_ERROR_EXTENSION_NOT_PRESENT", ErrorKind::kUnsupported},
    {-8, "VK_ERROR_FEATURE_NOT_PRESENT", ErrorKind::kUnsupported},
    {-9, "VK_ERROR_INCOMPATIBLE_DRIVER", ErrorKind::kNotFound},
    {-10, "VK_ERROR_TOO_MANY_OBJECTS", ErrorKind::kOutOfMemory},
    {-12, "VK_ERROR_FRAGMENTED_POOL", ErrorKind::kOutOfMemory},
    {-13, "VK_ERROR_UNKNOWN", ErrorKind::kInternal},
    {-1000011001, "VK_ERROR_VALIDATION_FAILED_EXT", ErrorKind::kInternal},
    {-1000012000, "VK_ERROR_INVALID_SHADER_NV", ErrorKind::kCompile},
    {-1000069000, "VK_ERROR_OUT_OF_POOL_MEMORY", ErrorKind::kOutOfMemory},
    {-1000161000, "VK_ERROR_FRAGMENTATION", ErrorKind::kOutOfMemory},
    {-1000174001, "VK_ERROR_NOT_PERMITTED", ErrorKind::kUnsupported},
};

}  // namespace

Error failed(std::string_view call, int32_t code) { return driver::failed(kCodes, call, code); }

Error failed(const DeviceApi& api, std::string_view call, int32_t code) {
  if (code == kDeviceLost) *api.lost = true;
  return failed(call, code);
}

}  // namespace quern::vulkan
