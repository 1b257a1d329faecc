#include "driver/vulkan/device.hpp"

#include <algorithm>

#include "driver/support/identity.hpp"
#include "driver/vulkan/messages.hpp"

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
  const bool copies_elsewhere = has_.copies_apart && has_.copy_family != has_.family;
  const std::vector<float> priorities(count, 1.0f);
  const DeviceQueueCreateInfo queues[] = {
      {.family = has_.family, .count = count, .priorities = priorities.data()},
      {.family = has_.copy_family, .count = 1, .priorities = priorities.data()}};
  has_.core.next = has_.chain();
  const DeviceCreateInfo info{.next = &has_.core,
                              .queue_count = copies_elsewhere ? 2u : 1u,
                              .queues = queues,
                              .extension_count = static_cast<uint32_t>(has_.extensions.size()),
                              .extensions = has_.extensions.data()};
  QUERN_VK(*instance_, vkCreateDevice(physical, &info, nullptr, &device_));
  physical_ = physical;
  QUERN_TRY(load_functions());
  for (uint32_t i = 0; i < count; ++i)
    api_.vkGetDeviceQueue(device_, has_.family, i, &queues_.emplace_back().handle);
  if (copies_elsewhere) api_.vkGetDeviceQueue(device_, has_.copy_family, 0, &queues_.emplace_back().handle);
  if (has_.copies_apart) copy_queue_ = &queues_.back();
  return start();
}

Result<> Device::load_functions() {
  loss_ = api_.loss;
  loss_->set_name(info_.name);
  const char* missing = api_.load(*instance_, device_);
  if (has_addresses() && api_.vkGetBufferDeviceAddress == nullptr) missing = "vkGetBufferDeviceAddress";
  if (missing == nullptr) return {};
  return Error(ErrorKind::unsupported, message::kNoDeviceFunction(info_.name, missing));
}

// With its queues; the device exists.
Result<> Device::start() {
  choose_memory();
  open_cache();
  QUERN_TRY(make_own_stream());
  QUERN_TRY_ASSIGN(nothing_, allocate(1, driver::MemoryKind::device));
  if (!info_.features.has(driver::Feature::timestamps)) return {};
  clock_.emplace([this] { return calibrate(); }, can_calibrate(), has_.properties.limits.timestamp_period,
                 has_.timestamp_bits);
  return clock_->align();
}

Device::~Device() {
  if (device_ == nullptr) return;
  const bool calls = is_callable();
  // Another library may be submitting to its queues; ours are waited for one by one.
  if (calls && !is_foreign_ && api_.vkDeviceWaitIdle != nullptr) (void)api_.vkDeviceWaitIdle(device_);
  drop_own_stream();
  nothing_.reset();
  if (calls) keep_cache();
  queries_.clear();
  copies_.clear();
  free_timelines_.clear();
  host_pool_.reset();
  device_pool_.reset();
  if (calls && !is_foreign_ && api_.vkDestroyDevice != nullptr) api_.vkDestroyDevice(device_, nullptr);
}

// The pipeline cache, shared by all programs of this user. The driver recognizes its own data.
void Device::open_cache() {
  const std::string kept = store_.find(cache_key()).value_or("");
  cache_bytes_ = kept.size();
  const PipelineCacheCreateInfo info{.bytes = kept.size(), .data = kept.data()};
  // Optional: without it everything is compiled each time.
  if (auto made = QUERN_VK_MAKE(PipelineCache, info); made.ok()) cache_ = std::move(*made);
}

void Device::keep_cache() {
  const Owned<PipelineCache> cache = std::move(cache_);
  size_t size = 0;
  if (cache.get() == PipelineCache{} || !alive().ok() ||
      api_.vkGetPipelineCacheData(device_, cache.get(), &size, nullptr) < 0 || size <= cache_bytes_)
    return;
  std::string all(size, '\0');
  if (api_.vkGetPipelineCacheData(device_, cache.get(), &size, all.data()) >= 0)
    store_.put(cache_key(), "pipelines of " + info_.name, std::string_view(all).substr(0, size));
}

std::string Device::cache_key() const { return "vulkan_" + driver::hex_of(has_.properties.cache_uuid); }

}  // namespace quern::vulkan
