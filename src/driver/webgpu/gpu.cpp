#include "driver/webgpu/gpu.hpp"

#include <chrono>

#include "driver/webgpu/messages.hpp"

namespace quern::webgpu {

using base::Error;
using base::ErrorKind;

namespace {

// wgpu-native ends the process for the last filter; its internal errors go to on_error().
constexpr uint32_t kFilters[] = {kFilterValidation, kFilterOutOfMemory, kFilterInternal};

std::span<const uint32_t> filters_of(const Api& api) {
  return std::span(kFilters).first(api.is_wgpu() ? 2 : 3);
}

Gpu& gpu_of(void* user) { return *static_cast<Gpu*>(user); }

}  // namespace

Gpu::Gpu(const Adapter& adapter) : api_(adapter.instance->api), instance_(adapter.instance) {
  loss_->set_name(adapter.info.name);
}

Result<std::shared_ptr<Gpu>> Gpu::open(const Adapter& adapter) {
  std::shared_ptr<Gpu> gpu(new Gpu(adapter));
  DeviceDescriptor descriptor;
  descriptor.feature_count = adapter.abilities.requested.size();
  descriptor.features = adapter.abilities.requested.data();
  descriptor.limits = adapter.limits_record.data();
  descriptor.lost.callback = callback_address(&Gpu::on_lost);
  descriptor.lost.first = gpu.get();
  descriptor.error.callback = callback_address(&Gpu::on_error);
  descriptor.error.first = gpu.get();
  const auto answer =
      gpu->instance_->ask(callback_address(&Answer::on_handle), [&](const CallbackInfo& info) {
        return gpu->api_.AdapterRequestDevice(adapter.handle.get(), &descriptor, info);
      });
  if (!answer->has_succeeded() || answer->handle == nullptr)
    return failed("wgpuAdapterRequestDevice", kUnknown, answer->problem());
  gpu->device_ = answer->handle;
  gpu->queue_ = gpu->api_.DeviceGetQueue(gpu->device_);
  if (gpu->queue_ == nullptr) return failed("wgpuDeviceGetQueue", kUnknown, "no object was returned");
  return gpu;
}

Gpu::~Gpu() {
  is_closing_ = true;
  if (queue_ != nullptr) api_.QueueRelease(queue_);
  if (device_ == nullptr) return;
  api_.DeviceDestroy(device_);
  poll();  // remaining callbacks
  api_.DeviceRelease(device_);
  api_.InstanceProcessEvents(instance_->handle);
}

// --- callbacks ---

void Gpu::on_lost(const Handle*, uint32_t reason, Text message, void* user, void*) {
  Gpu& gpu = gpu_of(user);
  if (gpu.is_closing_ || reason == kLostCancelled) return;
  const std::string text = string_of(message);
  (void)gpu.loss_->lose(text.empty() ? "the WebGPU library reports no reason" : text);
  gpu.completed_.notify_all();
}

void Gpu::on_error(const Handle*, uint32_t type, Text message, void* user, void*) {
  Gpu& gpu = gpu_of(user);
  const std::lock_guard lock(gpu.error_mutex_);
  if (gpu.error_type_ != kNoError) return;
  gpu.error_type_ = type;
  gpu.error_ = string_of(message);
}

void Gpu::on_done(uint32_t status, Text, void* user, void* id) { on_done_early(status, user, id); }
void Gpu::on_done_early(uint32_t status, void* user, void* id) {
  gpu_of(user).complete(reinterpret_cast<uintptr_t>(id), status == kSuccess);
}

CallbackInfo Gpu::expect(const std::shared_ptr<Signal>& signal, void* callback) {
  const std::lock_guard lock(signals_mutex_);
  const uint64_t id = next_signal_++;
  signals_.emplace(id, signal);
  CallbackInfo info;
  info.callback = callback;
  info.first = this;
  info.second = reinterpret_cast<void*>(static_cast<uintptr_t>(id));
  return info;
}

void Gpu::complete(uint64_t id, bool has_succeeded) {
  {
    const std::lock_guard lock(signals_mutex_);
    const auto found = signals_.find(id);
    if (found == signals_.end()) return;
    found->second->has_succeeded = has_succeeded;
    found->second->is_done.store(true, std::memory_order_release);
    signals_.erase(found);
  }
  completed_.notify_all();
}

// --- errors ---

// A library may end the process if a scope is popped that was not pushed.
Result<> Gpu::push_scopes(std::string_view call) {
  QUERN_TRY(take_error(call));
  for (const uint32_t filter : filters_of(api_)) {
    api_.DevicePushErrorScope(device_, filter);
    if (auto pushed = take_error("wgpuDevicePushErrorScope"); !pushed.ok()) {
      (void)pop_scopes(call);
      return pushed;
    }
    ++scopes_;
  }
  return {};
}

Result<> Gpu::pop_scopes(std::string_view call) {
  std::shared_ptr<const Answer> first;
  for (; scopes_ != 0; --scopes_) {
    const auto caught = instance_->ask(callback_address(&Answer::on_error), [&](const CallbackInfo& info) {
      return api_.DevicePopErrorScope(device_, info);
    });
    const bool has_error = !caught->is_done || caught->value > kNoError;
    if (has_error && first == nullptr) first = caught;
  }
  QUERN_TRY(loss_->alive());
  if (first != nullptr && !first->is_done)
    return failed("wgpuDevicePopErrorScope", kUnknown, first->problem());
  if (first != nullptr && first->value == kLostError) return loss_->lose(first->message);
  if (first != nullptr) return failed(call, first->value, first->message);
  return take_error(call);
}

// Without error scopes, for objects of each launch: their errors go to on_error().
Result<Owned> Gpu::checked(std::string_view call, Owned made) {
  QUERN_TRY(take_error(call));
  if (made.get() == nullptr) return failed(call, kUnknown, "no object was returned");
  return made;
}

Result<> Gpu::take_error(std::string_view call) {
  const std::lock_guard lock(error_mutex_);
  QUERN_TRY(loss_->alive());
  const uint32_t type = std::exchange(error_type_, kNoError);
  if (type == kNoError) return {};
  const std::string message = std::exchange(error_, {});
  if (type == kLostError) return loss_->lose(message);
  return failed(call, type, message);
}

// --- work ---

Result<Owned> Gpu::create_buffer(uint64_t bytes, uint64_t usage) {
  BufferDescriptor descriptor;
  descriptor.usage = usage;
  descriptor.size = bytes;
  return QUERN_WEBGPU_CREATE(this, Buffer, descriptor);
}

Result<Owned> Gpu::create_module(std::string_view text) {
  constexpr uint64_t kNoChecks = 0;  // neither of buffers' bounds nor of loops' rounds, as on other drivers
  ShaderSource source;
  source.code = text_of(text);
  Descriptor descriptor;
  descriptor.next = &source.chain;
  const auto make = [&](Handle device, const Descriptor* of_text) {
    return api_.DeviceCreateShaderModuleTrusted != nullptr
               ? api_.DeviceCreateShaderModuleTrusted(device, of_text, kNoChecks)
               : api_.DeviceCreateShaderModule(device, of_text);
  };
  return create("wgpuDeviceCreateShaderModule", make, api_.ShaderModuleRelease, descriptor);
}

Result<Owned> Gpu::create_group_layout(std::span<const uint32_t> types, bool is_dynamic) {
  constexpr uint64_t kCompute = 4;
  const auto& at = api_.layout->layout_entry;
  Record entries(types.size() * at.bytes);
  for (uint32_t b = 0; b < types.size(); ++b) {
    const size_t base = b * at.bytes;
    entries.put(base + at.binding, b)
        .put(base + at.visibility, kCompute)
        .put(base + at.type, types[b])
        .put(base + at.is_dynamic, uint32_t{is_dynamic ? 1u : 0u});
  }
  const ListDescriptor descriptor{nullptr, {}, types.size(), entries.data()};
  return QUERN_WEBGPU_CREATE(this, BindGroupLayout, descriptor);
}

Result<Owned> Gpu::create_group(Handle layout, std::span<const GroupEntry> entries) {
  const GroupDescriptor descriptor{nullptr, {}, layout, entries.size(), entries.data()};
  return QUERN_WEBGPU_CREATE(this, BindGroup, descriptor);
}

Result<Owned> Gpu::create_layout(std::span<const Handle> groups, uint64_t immediate_bytes) {
  const PipelineLayoutDescriptor descriptor{
      nullptr, {}, groups.size(), groups.data(), static_cast<uint32_t>(immediate_bytes)};
  return QUERN_WEBGPU_CREATE(this, PipelineLayout, descriptor);
}

Result<Owned> Gpu::create_pipeline(Handle layout, Handle module, std::string_view entry,
                                   std::span<const Constant> constants) {
  const PipelineDescriptor descriptor{
      nullptr, {}, layout, nullptr, module, text_of(entry), constants.size(), constants.data()};
  return QUERN_WEBGPU_CREATE(this, ComputePipeline, descriptor);
}

Result<> Gpu::submit(Handle commands) {
  QUERN_TRY(loss_->alive());
  const size_t count = commands != nullptr ? 1 : 0;
  if (api_.QueueSubmitForIndex != nullptr) {
    submission_ = api_.QueueSubmitForIndex(queue_, count, &commands);
    if (submission_ == 0) return failed("wgpuQueueSubmitForIndex", kUnknown, "no index was returned");
  } else {
    api_.QueueSubmit(queue_, count, &commands);
  }
  has_pending_writes_ = false;
  return take_error("wgpuQueueSubmit");
}

Result<> Gpu::write(Handle to, uint64_t offset, const void* from, uint64_t bytes) {
  QUERN_TRY(loss_->alive());
  api_.QueueWriteBuffer(queue_, to, offset, from, bytes);
  has_pending_writes_ = true;
  return take_error("wgpuQueueWriteBuffer");
}

Result<std::shared_ptr<Signal>> Gpu::on_work_done() {
  if (has_pending_writes_) QUERN_TRY(submit(nullptr));
  auto signal = std::make_shared<Signal>();
  signal->submission = submission_;
  void* const callback = api_.layout->work_done_has_message ? callback_address(&Gpu::on_done)
                                                            : callback_address(&Gpu::on_done_early);
  signal->future = api_.QueueOnSubmittedWorkDone(queue_, expect(signal, callback));
  return signal;
}

std::shared_ptr<Signal> Gpu::map(Handle buffer, uint64_t bytes) {
  auto signal = std::make_shared<Signal>();
  signal->submission = submission_;
  signal->future =
      api_.BufferMapAsync(buffer, kMapForReading, 0, bytes, expect(signal, callback_address(&Gpu::on_done)));
  return signal;
}

void Gpu::poll() {
  if (api_.is_wgpu()) {
    (void)api_.DevicePoll(device_, 0, nullptr);
  } else {
    api_.InstanceProcessEvents(instance_->handle);
  }
}

// The library sleeps. Another thread may be about to call the callback when it returns: that is short.
Result<> Gpu::wait(const Signal& signal) {
  constexpr std::chrono::milliseconds kCallback{1};
  while (!signal.is_done.load(std::memory_order_acquire)) {
    QUERN_TRY(loss_->alive());
    if (api_.is_wgpu()) {
      (void)api_.DevicePoll(device_, 1, signal.submission != 0 ? &signal.submission : nullptr);
    } else if (!instance_->wait_for(signal.future)) {
      poll();
    }
    std::unique_lock lock(signals_mutex_);
    if (!signal.is_done) (void)completed_.wait_for(lock, kCallback);
  }
  QUERN_TRY(loss_->alive());
  if (signal.has_succeeded) return {};
  return Error(ErrorKind::internal, message::kCancelled());
}

}  // namespace quern::webgpu
