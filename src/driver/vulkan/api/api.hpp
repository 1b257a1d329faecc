// The Vulkan API: instances, created by the system's loader or, if it finds no device, by the drivers that it
// would load (ICDs); the functions of a device; and errors.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "driver/support/loss.hpp"
#include "driver/vulkan/api/functions.hpp"

namespace quern::vulkan {

template <typename T = void>
using Result = base::Result<T>;

// Messages of the validation layer (QUERN_VALIDATE=1) that have not been taken yet.
class Messages {
 public:
  void add(std::string text);
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

// Whether Vulkan may be called. The validation layer frees its data in an exit handler that every
// vkCreateInstance registers (1.4.309). A static object older than the newest instance is destroyed after
// that, and must not call Vulkan any more.
bool is_callable();
// Call after vkCreateInstance: is_callable() is false as soon as the exit handlers of that call run.
void watch_exit();

// One Vulkan instance, destroyed with the last device that uses it.
struct InstanceApi : InstanceFunctions {
  std::string library;
  uint32_t version = 0;
  Instance instance = nullptr;
  DebugMessenger messenger = {};
  Messages messages;
  bool is_validated = false;
  bool is_foreign = false;  // another library destroys it

  InstanceApi() = default;
  InstanceApi(const InstanceApi&) = delete;
  InstanceApi& operator=(const InstanceApi&) = delete;
  ~InstanceApi();

  Result<std::vector<PhysicalDevice>> devices() const;
};

// All instances with devices: one if there is a loader.
Result<std::vector<std::shared_ptr<InstanceApi>>> find_instances();
// The functions of an instance that another library created through the system's loader.
Result<std::shared_ptr<InstanceApi>> adopt_instance(Instance instance);

struct DeviceApi : DeviceFunctions {
  std::shared_ptr<driver::Loss> loss = std::make_shared<driver::Loss>();  // shared by all users of the device
};

// The error of a call that returned `code`, which is negative: "vkQueueSubmit failed with VK_…".
base::Error failed(std::string_view call, int32_t code);
bool is_known(int32_t code);  // in the table that failed() uses
inline base::Error failed(const InstanceApi&, std::string_view call, int32_t code) {
  return failed(call, code);
}
base::Error failed(const DeviceApi& api, std::string_view call, int32_t code);  // records a loss

}  // namespace quern::vulkan

// QUERN_VK(api, vkEndCommandBuffer(commands)): returns the error of the call from the enclosing function.
#define QUERN_VK(api, call)                                                          \
  do {                                                                               \
    if (const int32_t quern_vk_ = (api).call; quern_vk_ < 0) {                       \
      const std::string_view quern_text_ = #call;                                    \
      return failed((api), quern_text_.substr(0, quern_text_.find('(')), quern_vk_); \
    }                                                                                \
  } while (false)
