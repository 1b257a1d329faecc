#include "driver/cuda/device.hpp"

#include <chrono>

#include "base/environment.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

int Device::attribute(Attribute which) const { return read_attribute(*api_, id_, which); }

Result<std::unique_ptr<driver::Device>> Device::open(std::shared_ptr<const Api> api, DeviceId id,
                                                     driver::DeviceInfo info) {
  constexpr int kProhibited = 2;
  QUERN_TRY_ASSIGN(const bool is_synchronous, base::env_flag("QUERN_SYNC", false));
  std::unique_ptr<Device> device(new Device(std::move(api), id, std::move(info)));
  const Api& a = *device->api_;
  if (device->attribute(Attribute::kComputeMode) == kProhibited)
    return Error(ErrorKind::kUnsupported, device->info_.name + " is in compute mode 'prohibited'")
        .add_hint("an administrator may allow it: nvidia-smi -c 0");
  device->is_synchronous_ = is_synchronous;
  QUERN_CU(a, context_retain(&device->context_, id));
  QUERN_TRY(device->use());
  QUERN_CU(a, stream_create(&device->own_stream_, kStreamNonBlocking, 0));
  if (a.has_pools() && device->attribute(Attribute::kPools) != 0) {
    PoolProperties properties;
    properties.device = id;
    uint64_t keep = UINT64_MAX;  // what is free stays with the pool until memory runs out
    QUERN_CU(a, pool_create(&device->pool_, &properties));
    QUERN_CU(a, pool_set(device->pool_, kPoolReleaseThreshold, &keep));
  }
  QUERN_TRY(device->start_clock());
  return std::unique_ptr<driver::Device>(std::move(device));
}

Device::~Device() {
  if (context_ == nullptr) return;
  (void)api_->context_use(context_);
  if (clock_ != nullptr) (void)api_->event_destroy(clock_);
  if (own_stream_ != nullptr) {
    (void)api_->stream_synchronize(own_stream_);
    (void)api_->stream_destroy(own_stream_);
  }
  if (pool_ != nullptr) (void)api_->pool_destroy(pool_);
  (void)api_->context_release(id_);
}

Result<> Device::use() {
  if (is_lost_.load(std::memory_order_relaxed)) [[unlikely]] {
    const std::lock_guard lock(lost_mutex_);
    return Error(ErrorKind::kDeviceLost, info_.name + " is lost: " + lost_)
        .add_hint("the process must start again to use this device");
  }
  QUERN_DO(nullptr, context_use(context_));
  return {};
}

// An event between two looks at the host's clock.
Result<> Device::start_clock() {
  const auto now = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  QUERN_DO(nullptr, event_create(&clock_, 0));
  for (int i = 0; i < 2; ++i) {  // the first one is slow
    const int64_t before = now();
    QUERN_DO(nullptr, event_record(clock_, own_stream_));
    QUERN_DO(nullptr, event_synchronize(clock_));
    clock_ns_ = static_cast<double>(before) + static_cast<double>(now() - before) / 2;
  }
  return {};
}

// An error that stays is told with the kernel; from then on it is the answer to every call.
Error Device::fail(std::string_view call, int32_t code, const Queue* queue) {
  Error error = failed(*api_, call, code);
  if (!is_sticky(code)) return error;
  std::string what = describe_error(*api_, code);
  if (queue != nullptr && queue->last != nullptr) {
    what += queue->launches <= 1
                ? ", in kernel '" + *queue->last + "'"
                : ", in one of the " + std::to_string(queue->launches) +
                      " kernels since the last wait, the last of which is '" + *queue->last + "'";
  }
  const std::lock_guard lock(lost_mutex_);
  if (is_lost_.exchange(true)) return Error(ErrorKind::kDeviceLost, info_.name + " is lost: " + lost_);
  lost_ = what;
  Error told(ErrorKind::kDeviceLost, info_.name + " is lost: " + what);
  if (queue != nullptr && queue->launches > 1) {
    told.add_hint("QUERN_SYNC=1 waits for each launch and names the kernel");
  } else if (!error.hint().empty()) {
    told.add_hint(error.hint());
  }
  return told;
}

}  // namespace quern::cuda
