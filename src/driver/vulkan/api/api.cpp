#include "driver/vulkan/api/api.hpp"

#include <atomic>
#include <cstdlib>
#include <utility>

namespace quern::vulkan {

namespace {
std::atomic<bool> is_exiting = false;
}  // namespace

bool is_callable() { return !is_exiting.load(std::memory_order_relaxed); }

// Exit handlers run in reverse order: this one before those of the libraries.
void watch_exit() {
  std::atexit([] { is_exiting = true; });
}

void Messages::add(std::string text) {
  const std::lock_guard lock(mutex_);
  texts_.push_back(std::move(text));
}

std::vector<std::string> Messages::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(texts_, {});
}

InstanceApi::~InstanceApi() {
  if (!is_callable() || is_foreign) return;
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

base::Error failed(const DeviceApi& api, std::string_view call, int32_t code) {
  base::Error error = failed(call, code);
  if (code == kDeviceLost) (void)api.loss->lose(error.message());
  return error;
}

}  // namespace quern::vulkan
