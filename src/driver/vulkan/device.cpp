#include "driver/vulkan/device.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "driver/support/identity.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

// Empty: nothing is kept.
std::string cache_file(const Abilities& has) {
  const std::string folder = base::cache_folder();
  if (folder.empty() || !base::make_folders(folder).ok()) return {};
  return base::join_path(folder, "vulkan_" + driver::hex_of(has.properties.cache_uuid) + ".pipelines");
}

}  // namespace

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
  const bool copies_elsewhere = has_.copies_apart && has_.copy_family != has_.family;
  const std::vector<float> priorities(count, 1.0f);
  DeviceQueueCreateInfo queues[2];
  queues[0].family = has_.family;
  queues[0].count = count;
  queues[1].family = has_.copy_family;
  queues[1].count = 1;
  for (DeviceQueueCreateInfo& q : queues) q.priorities = priorities.data();
  has_.core.next = has_.chain();
  DeviceCreateInfo info;
  info.next = &has_.core;
  info.queue_count = copies_elsewhere ? 2 : 1;
  info.queues = queues;
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
  if (copies_elsewhere) api_.vkGetDeviceQueue(device_, has_.copy_family, 0, &queues_.emplace_back().handle);
  if (has_.copies_apart) copy_queue_ = &queues_.back();
  choose_memory();
  open_cache();
  QUERN_TRY(make_own_queue());
  QUERN_TRY_ASSIGN(nothing_, allocate(1, driver::MemoryKind::kDevice));
  if (info_.features.has(driver::Feature::kTimestamps)) QUERN_TRY(calibrate());
  return {};
}

Device::~Device() {
  if (device_ == nullptr) return;
  if (api_.vkDeviceWaitIdle != nullptr) (void)api_.vkDeviceWaitIdle(device_);
  drop_own_queue();
  nothing_.reset();
  keep_cache();
  query_pools_.clear();
  host_pool_.reset();
  device_pool_.reset();
  if (api_.vkDestroyDevice != nullptr) api_.vkDestroyDevice(device_, nullptr);
}

// Pipelines that were made before, by any program of this user. The driver knows its own from others'.
void Device::open_cache() {
  constexpr uint64_t kMostBytes = 256 << 20;
  std::string kept;
  if (const std::string file = cache_file(has_); !file.empty())
    kept = base::read_file(file, kMostBytes).value_or("");
  PipelineCacheCreateInfo info;
  info.bytes = cache_bytes_ = kept.size();
  info.data = kept.data();
  // Without one everything works, and is compiled each time.
  if (auto made = QUERN_VK_MAKE(PipelineCache, info); made.ok()) cache_ = std::move(*made);
}

void Device::keep_cache() {
  const Owned<PipelineCache> cache = std::move(cache_);
  const std::string file = cache_file(has_);
  size_t size = 0;
  if (cache.get() == PipelineCache{} || file.empty() || *api_.lost ||
      api_.vkGetPipelineCacheData(device_, cache.get(), &size, nullptr) < 0 || size <= cache_bytes_)
    return;
  std::string all(size, '\0');
  if (api_.vkGetPipelineCacheData(device_, cache.get(), &size, all.data()) >= 0)
    (void)base::write_file(file, std::string_view(all).substr(0, size)).ok();  // the next one does without
}

Result<> Device::alive() const {
  if (*api_.lost) return Error(ErrorKind::kDeviceLost, info_.name + " was lost");
  return {};
}

}  // namespace quern::vulkan
