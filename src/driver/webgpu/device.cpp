#include "driver/webgpu/device.hpp"

namespace quern::webgpu {

Device::Device(Adapter adapter, std::shared_ptr<Gpu> gpu)
    : limits_(adapter.limits), has_(adapter.abilities), info_(std::move(adapter.info)), gpu_(std::move(gpu)) {
  loss_ = gpu_->loss();
}

Result<std::unique_ptr<driver::Device>> Device::open(Adapter adapter) {
  QUERN_TRY_ASSIGN(auto gpu, Gpu::open(adapter));
  std::unique_ptr<Device> device(new Device(std::move(adapter), std::move(gpu)));
  QUERN_TRY(device->create());
  return std::unique_ptr<driver::Device>(std::move(device));
}

Result<> Device::create() {
  {
    const std::lock_guard lock(gpu_->mutex);
    const uint32_t uniform[] = {(*gpu_)->layout->binding_type.uniform};
    QUERN_TRY_ASSIGN(arguments_layout_, gpu_->create_group_layout(uniform, true));
    QUERN_TRY_ASSIGN(arguments_, gpu_->create_buffer(kArgumentBytes, kUniform | kCopyTarget));
    QUERN_TRY_ASSIGN(nothing_, make_buffer(64));
    if (has_.has_timestamps) {
      QUERN_TRY_ASSIGN(resolved_, gpu_->create_buffer(256, kQueryResolve | kCopySource));
    }
  }
  QUERN_TRY(make_own_stream());
  if (!has_.has_timestamps) return {};
  const double period = (*gpu_)->QueueGetTimestampPeriod != nullptr
                            ? static_cast<double>((*gpu_)->QueueGetTimestampPeriod(gpu_->queue()))
                            : 1.0;  // webgpu.h: nanoseconds
  if (!(period > 0)) return failed("wgpuQueueGetTimestampPeriod", kUnknown, "no period was returned");
  clock_.emplace([this] { return align_by_marks(); }, false, period);
  return {};
}

Device::~Device() {
  if (alive().ok() && sequence_ != 0) (void)finish(own_stream());
  drop_own_stream();
}

}  // namespace quern::webgpu
