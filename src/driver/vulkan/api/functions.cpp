#include "driver/vulkan/api/functions.hpp"

#include <string>

namespace quern::vulkan {

namespace {

// By its own name, or by that of its extension.
template <typename Find, typename Function>
void load(const Find& find, const std::string& name, Function*& to) {
  for (const char* const suffix : {"", "KHR", "EXT"}) {
    if (to == nullptr) to = reinterpret_cast<Function*>(find((name + suffix).c_str()));
  }
}

}  // namespace

#define QUERN_LOAD(result, name, parameters) vulkan::load(by_name, #name, name);
#define QUERN_NEED(result, name, parameters) \
  if (name == nullptr) return #name;

const char* InstanceFunctions::load(GetInstanceProcAddr find, Instance instance) {
  const auto by_name = [&](const char* name) { return find(instance, name); };
  QUERN_VULKAN_INSTANCE_SYMBOLS(QUERN_LOAD)
  QUERN_VULKAN_OPTIONAL_INSTANCE_SYMBOLS(QUERN_LOAD)
  QUERN_VULKAN_INSTANCE_SYMBOLS(QUERN_NEED)
  return nullptr;
}

const char* DeviceFunctions::load(const InstanceFunctions& instance, DeviceHandle device) {
  const auto by_name = [&](const char* name) { return instance.vkGetDeviceProcAddr(device, name); };
  QUERN_VULKAN_DEVICE_SYMBOLS(QUERN_LOAD)
  QUERN_VULKAN_OPTIONAL_DEVICE_SYMBOLS(QUERN_LOAD)
  QUERN_VULKAN_DEVICE_SYMBOLS(QUERN_NEED)
  return nullptr;
}

}  // namespace quern::vulkan
