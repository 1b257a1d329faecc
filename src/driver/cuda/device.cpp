#include "driver/cuda/device.hpp"

#include <chrono>
#include <vector>

#include "base/environment.hpp"
#include "driver/cuda/messages.hpp"
#include "driver/support/messages.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

int Device::attribute(Attribute which) const { return read_attribute(*api_, id_, which); }

Result<std::unique_ptr<driver::Device>> Device::open(std::shared_ptr<const Api> api, DeviceId id,
                                                     driver::DeviceInfo info,
                                                     std::shared_ptr<Compiler> compiler, Context native,
                                                     driver::KeepAlive keep_alive) {
  constexpr int kProhibited = 2;
  QUERN_TRY_ASSIGN(const bool is_synchronous, base::env_flag("QUERN_SYNC", false));
  std::unique_ptr<Device> device(new Device(std::move(api), id, std::move(info)));
  if (device->attribute(Attribute::kComputeMode) == kProhibited)
    return Error(ErrorKind::unsupported, message::kProhibited(device->info_.name));
  device->is_synchronous_ = is_synchronous;
  device->compiler_ = std::move(compiler);
  device->keep_alive_ = std::move(keep_alive);
  QUERN_TRY(device->start(native));
  return std::unique_ptr<driver::Device>(std::move(device));
}

// A kernel of this process may have corrupted the primary context; it is then reset. Other users of the
// context have lost it already.
Result<> Device::start(Context native) {
  const Api& a = *api_;
  const auto begin = [&] {
    context_ = native;
    int32_t code = native != nullptr ? 0 : a.context_retain(&context_, id_);
    if (code == 0) code = a.context_use(context_);
    if (code == 0) code = a.stream_create(&own_stream_, kStreamNonBlocking, 0);
    return code;
  };
  int32_t code = begin();
  if (is_sticky(*a.vendor, code) && a.context_reset != nullptr && native == nullptr) {
    (void)a.context_reset(id_);
    context_ = nullptr;
    code = begin();
  }
  if (code != 0) {
    Error error = failed(a, context_ == nullptr ? "context_retain" : "stream_create", code);
    if (is_sticky(*a.vendor, code)) is_lost_ = true;
    return error;
  }
  if (a.has_pools() && attribute(Attribute::kPools) != 0) {
    PoolProperties properties;
    properties.device = id_;
    uint64_t keep = UINT64_MAX;  // the pool keeps free memory until memory runs out
    QUERN_CU(a, pool_create(&pool_, &properties));
    QUERN_CU(a, pool_set(pool_, kPoolReleaseThreshold, &keep));
  }
  return start_clock();
}

Device::~Device() {
  if (context_ == nullptr || is_lost()) return;  // everything was lost with the context
  (void)api_->context_use(context_);
  if (clock_ != nullptr) (void)api_->event_destroy(clock_);
  if (own_stream_ != nullptr) {
    (void)api_->stream_synchronize(own_stream_);
    (void)api_->stream_destroy(own_stream_);
  }
  if (pool_ != nullptr) (void)api_->pool_destroy(pool_);
  // The context stays until the process ends, as with the CUDA runtime: the driver then destroys it twice as
  // fast, and opening the device again is immediate.
}

Result<> Device::use() {
  if (is_lost_.load(std::memory_order_relaxed)) [[unlikely]] {
    const std::lock_guard lock(lost_mutex_);
    return Error(ErrorKind::device_lost, driver::message::kLost(info_.name, lost_))
        .add_hint(std::string(message::kUseSession));
  }
  QUERN_DO(nullptr, context_use(context_));
  return {};
}

// Records an event between two readings of the host's clock.
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

std::string Device::in_flight(const Stream* stream) {
  const std::lock_guard lock(streams_mutex_);
  std::vector<const Stream*> busy;
  for (const Stream* q : streams_) {
    if (q->last != nullptr && (q->launches != 0 || q == stream)) busy.push_back(q);
  }
  if (stream != nullptr && stream->last != nullptr && stream->launches <= 1) busy = {stream};
  if (busy.empty()) return {};
  if (busy.size() == 1 && busy[0]->launches <= 1) return ", in kernel '" + *busy[0]->last + "'";
  std::string names;
  uint64_t count = 0;
  for (const Stream* q : busy) {
    names += (names.empty() ? "'" : ", '") + *q->last + "'";
    count += q->launches;
  }
  return ", in one of the " + std::to_string(count) +
         " kernels since the last synchronization, the last of which " +
         (busy.size() == 1 ? "is " : "on each stream are ") + names;
}

// A sticky error is reported with the kernel; every later call fails with it.
Error Device::fail(std::string_view call, int32_t code, const Stream* stream) {
  Error error = failed(*api_, call, code);
  if (!is_sticky(*api_->vendor, code)) return error;
  const std::string where = in_flight(stream);
  const std::string what = describe_error(*api_, code) + where;
  const std::lock_guard lock(lost_mutex_);
  if (is_lost_.exchange(true))
    return Error(ErrorKind::device_lost, driver::message::kLost(info_.name, lost_));
  lost_ = what;
  const bool is_one_of_several = where.find("one of") != std::string::npos;
  return Error(ErrorKind::device_lost, driver::message::kLost(info_.name, what))
      .add_hint(is_one_of_several ? std::string(message::kFindKernel) : error.hint());
}

}  // namespace quern::cuda
