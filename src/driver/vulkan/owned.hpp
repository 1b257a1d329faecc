// A handle that a device made, destroyed when it goes.
#pragma once

#include <utility>
#include <vector>

#include "driver/vulkan/structs.hpp"

namespace quern::vulkan {

template <typename Handle, typename Info>
using Create = int32_t (*)(DeviceHandle, const Info*, const void*, Handle*);
template <typename Handle>
using Destroy = void (*)(DeviceHandle, Handle, const void*);

template <typename Handle>
class Owned {
 public:
  Owned() = default;
  Owned(DeviceHandle device, Handle handle, Destroy<Handle> destroy)
      : device_(device), handle_(handle), destroy_(destroy) {}
  Owned(Owned&& o) noexcept
      : device_(o.device_), handle_(std::exchange(o.handle_, Handle{})), destroy_(o.destroy_) {}
  Owned& operator=(Owned&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(handle_, o.handle_);
    std::swap(destroy_, o.destroy_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) destroy_(device_, handle_, nullptr);
  }

  Handle get() const { return handle_; }

 private:
  DeviceHandle device_ = nullptr;
  Handle handle_ = {};
  Destroy<Handle> destroy_ = nullptr;
};

template <typename Handle>
std::vector<Handle> handles_of(const std::vector<Owned<Handle>>& owned) {
  std::vector<Handle> out;
  for (const Owned<Handle>& o : owned) out.push_back(o.get());
  return out;
}

}  // namespace quern::vulkan
