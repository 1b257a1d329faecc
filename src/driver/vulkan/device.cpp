#include "driver/vulkan/device.hpp"

#include <algorithm>

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

Result<std::unique_ptr<driver::Device>> Device::open(std::shared_ptr<InstanceApi> instance,
                                                     PhysicalDevice physical, Abilities abilities,
                                                     driver::DeviceInfo info) {
  std::unique_ptr<Device> device(new Device(std::move(instance), std::move(abilities), std::move(info)));
  QUERN_TRY(device->create(physical));
  return std::unique_ptr<driver::Device>(std::move(device));
}

Result<> Device::create(PhysicalDevice physical) {
  constexpr uint32_t kMostQueues = 8;
  const uint32_t count = std::min(has_.queues, kMostQueues);
  const std::vector<float> priorities(count, 1.0f);
  DeviceQueueCreateInfo queues;
  queues.family = has_.family;
  queues.count = count;
  queues.priorities = priorities.data();
  has_.core.next = has_.chain();
  DeviceCreateInfo info;
  info.next = &has_.core;
  info.queue_count = 1;
  info.queues = &queues;
  info.extension_count = static_cast<uint32_t>(has_.extensions.size());
  info.extensions = has_.extensions.data();
  QUERN_VK(*instance_, vkCreateDevice(physical, &info, nullptr, &device_));
  QUERN_TRY_ASSIGN(api_, DeviceApi::load(*instance_, device_));
  if (api_.vkGetSemaphoreCounterValue == nullptr || api_.vkWaitSemaphores == nullptr ||
      (has_addresses() && api_.vkGetBufferDeviceAddress == nullptr))
    return Error(ErrorKind::kUnsupported, info_.name + " lacks functions of the features it names")
        .add_hint("update your GPU's Vulkan driver");
  for (uint32_t i = 0; i < count; ++i)
    api_.vkGetDeviceQueue(device_, has_.family, i, &queues_.emplace_back().handle);
  device_pool_ = std::make_unique<Pool>(api_, device_);
  host_pool_ = std::make_unique<Pool>(api_, device_);
  choose_memory();
  QUERN_TRY_ASSIGN(own_queue_, create_queue({}));
  QUERN_TRY_ASSIGN(nothing_, allocate(1, driver::MemoryKind::kDevice));
  if (info_.features.has(driver::Feature::kTimestamps)) QUERN_TRY(calibrate());
  return {};
}

Device::~Device() {
  if (device_ == nullptr) return;
  if (api_.vkDeviceWaitIdle != nullptr) (void)api_.vkDeviceWaitIdle(device_);
  own_queue_.reset();
  nothing_.reset();
  for (const QueryPool pool : query_pools_) api_.vkDestroyQueryPool(device_, pool, nullptr);
  host_pool_.reset();
  device_pool_.reset();
  if (api_.vkDestroyDevice != nullptr) api_.vkDestroyDevice(device_, nullptr);
}

Result<> Device::alive() const {
  if (lost_) return Error(ErrorKind::kDeviceLost, info_.name + " was lost");
  return {};
}

Result<> Device::note(Result<> result) {
  if (!result.ok() && result.error().kind() == ErrorKind::kDeviceLost) lost_ = true;
  return result;
}

}  // namespace quern::vulkan
