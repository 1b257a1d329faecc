#include <algorithm>
#include <cmath>

#include "driver/cuda/device.hpp"
#include "driver/cuda/messages.hpp"

namespace quern::cuda {

using base::Error;
using base::ErrorKind;

namespace {

Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }
Event& as_event(driver::Event& event) { return static_cast<Event&>(event); }

}  // namespace

Stream::Stream(Device& device) : staging(*device.api_), device_(device) {
  const std::lock_guard lock(device.streams_mutex_);
  device.streams_.push_back(this);
}

Stream::~Stream() {
  {
    const std::lock_guard lock(device_.streams_mutex_);
    std::erase(device_.streams_, this);
  }
  if (device_.is_lost()) {
    staging.forget();
    return;
  }
  (void)device_.api_->context_use(device_.context_);
  if (id != nullptr && !is_adopted) (void)device_.api_->stream_destroy(id);
}

Event::~Event() {
  if (id == nullptr || device_.is_lost()) return;
  (void)device_.api_->context_use(device_.context_);
  (void)device_.api_->event_destroy(id);
}

Result<std::unique_ptr<driver::Stream>> Device::create_stream(const driver::StreamOptions& options) {
  QUERN_TRY(use());
  int least = 0, greatest = 0;  // smaller numbers have higher priority
  QUERN_DO(nullptr, stream_priorities(&least, &greatest));
  auto stream = std::make_unique<Stream>(*this);
  const int priority = std::clamp(-options.priority, greatest, least);
  QUERN_DO(nullptr, stream_create(&stream->id, kStreamNonBlocking, priority));
  return std::unique_ptr<driver::Stream>(std::move(stream));
}

// The error of a cooperative launch with too many blocks; the device knows the limit.
Error Device::too_large(const Kernel& kernel, const driver::Launch& launch) {
  int blocks = 0;
  const auto threads = static_cast<int>(launch.block.count());
  if (api_->occupancy(&blocks, kernel.id, threads, launch.shared_bytes) != 0) blocks = 0;
  return Error(ErrorKind::invalid_use,
               message::kTooManyBlocks(kernel.info.name, std::to_string(launch.grid.count()), info_.name,
                                       std::to_string(uint64_t(blocks) * info_.compute_units)));
}

Result<> Device::launch_clusters(Stream& stream, const Kernel& kernel, const driver::Launch& launch,
                                 void** arguments) {
  const driver::Dim3 &g = launch.grid, &b = launch.block, &c = launch.cluster;
  LaunchAttribute attributes[2];
  attributes[0].id = kAttributeCluster;
  attributes[0].value[0] = c.x;
  attributes[0].value[1] = c.y;
  attributes[0].value[2] = c.z;
  attributes[1].id = kAttributeCooperative;
  attributes[1].value[0] = 1;
  LaunchConfig config{{g.x, g.y, g.z}, {b.x, b.y, b.z}, static_cast<uint32_t>(launch.shared_bytes),
                      stream.id,       attributes,      launch.cooperative ? 2u : 1u};
  const int32_t code = api_->launch_with(&config, kernel.id, arguments, nullptr);
  if (code == kTooLarge) return too_large(kernel, launch);
  if (code != 0) return fail("launch_with", code, &stream);
  return {};
}

Result<> Device::launch(driver::Stream& stream, driver::Kernel& kernel, const driver::Launch& launch) {
  constexpr size_t kMost = 128;
  Stream& q = as_stream(stream);
  auto& k = static_cast<Kernel&>(kernel);
  Address addresses[kMost];
  void* pointers[kMost];
  const size_t count = launch.arguments.size();
  if (count > kMost)
    return Error(ErrorKind::unsupported,
                 message::kTooManyArguments(k.info.name, std::to_string(count), std::to_string(kMost)));
  for (size_t i = 0; i < count; ++i) {
    const driver::Argument& a = launch.arguments[i];
    if (k.info.params[i].is_pointer) {
      addresses[i] = a.place.buffer != nullptr ? a.place.buffer->address + a.place.offset : 0;
      pointers[i] = &addresses[i];
    } else {
      pointers[i] = const_cast<void*>(a.value);  // NOLINT(cppcoreguidelines-pro-type-const-cast): read only
    }
  }
  QUERN_TRY(use());
  q.last.store(k.label, std::memory_order_relaxed);
  q.launches.store(q.launches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const driver::Dim3 &g = launch.grid, &b = launch.block;
  const auto shared = static_cast<uint32_t>(launch.shared_bytes);
  if (launch.cluster.count() > 1) {
    QUERN_TRY(launch_clusters(q, k, launch, pointers));
  } else if (launch.cooperative) {
    const int32_t code = api_->launch_cooperative(k.id, g.x, g.y, g.z, b.x, b.y, b.z, shared, q.id, pointers);
    if (code == kTooLarge) return too_large(k, launch);
    if (code != 0) return fail("launch_cooperative", code, &q);
  } else {
    QUERN_DO(&q, launch(k.id, g.x, g.y, g.z, b.x, b.y, b.z, shared, q.id, pointers, nullptr));
  }
  return is_synchronous_ ? synchronize(stream) : Result<>();
}

Result<std::unique_ptr<driver::Event>> Device::create_event() {
  QUERN_TRY(use());
  auto event = std::make_unique<Event>(*this);
  QUERN_DO(nullptr, event_create(&event->id, 0));
  return std::unique_ptr<driver::Event>(std::move(event));
}

Result<> Device::record(driver::Stream& stream, driver::Event& event) {
  QUERN_TRY(use());
  Stream& q = as_stream(stream);
  QUERN_DO(&q, event_record(as_event(event).id, q.id));
  as_event(event).is_recorded = true;
  return {};
}

Result<> Device::wait(driver::Stream& stream, driver::Event& event) {
  QUERN_TRY(use());
  QUERN_DO(&as_stream(stream), stream_wait(as_stream(stream).id, as_event(event).id, 0));
  return {};
}

Result<bool> Device::reached(driver::Event& event) {
  QUERN_TRY(use());
  const int32_t code = api_->event_query(as_event(event).id);
  if (code == kSuccess || code == kNotReady) return code == kSuccess;
  return fail("event_query", code);
}

Result<> Device::wait(driver::Event& event) {
  QUERN_TRY(use());
  QUERN_DO(nullptr, event_synchronize(as_event(event).id));
  return {};
}

Result<> Device::synchronize(driver::Stream& stream) {
  QUERN_TRY(use());
  Stream& q = as_stream(stream);
  QUERN_DO(&q, stream_synchronize(q.id));
  q.launches = 0;
  return {};
}

// Event times are milliseconds since a reference event, as float: the reference is renewed before the
// resolution gets too coarse.
Result<uint64_t> Device::time(driver::Event& event) {
  constexpr float kFarMilliseconds = 4000;
  const Event& e = as_event(event);
  if (!e.is_recorded) return Error(ErrorKind::invalid_use, message::kEventNotRecorded());
  QUERN_TRY(use());
  QUERN_DO(nullptr, event_synchronize(e.id));
  const std::lock_guard lock(clock_mutex_);
  float ms = 0;
  QUERN_DO(nullptr, event_elapsed(&ms, clock_, e.id));
  if (std::fabs(ms) > kFarMilliseconds) {
    EventId now = nullptr;
    QUERN_DO(nullptr, event_create(&now, 0));
    float between = 0;
    int32_t code = api_->event_record(now, own_stream_);
    if (code == 0) code = api_->event_synchronize(now);
    if (code == 0) code = api_->event_elapsed(&between, clock_, now);
    std::swap(now, code == 0 ? clock_ : now);
    (void)api_->event_destroy(now);
    if (code != 0) return fail("event_elapsed", code);
    clock_ns_ += static_cast<double>(between) * 1e6;
    QUERN_DO(nullptr, event_elapsed(&ms, clock_, e.id));
  }
  return static_cast<uint64_t>(clock_ns_ + static_cast<double>(ms) * 1e6);
}

Result<> Device::call(driver::Stream& stream, std::function<void()> function) {
  if (api_->stream_call == nullptr) return driver::Device::call(stream, std::move(function));
  QUERN_TRY(use());
  Stream& q = as_stream(stream);
  if (const int32_t code = q.calls.add(*api_, q.id, std::move(function)); code != 0)
    return fail("stream_call", code, &q);
  return {};
}

}  // namespace quern::cuda
