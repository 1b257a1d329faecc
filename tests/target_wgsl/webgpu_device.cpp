#include "target_wgsl/webgpu_device.hpp"

#include <algorithm>
#include <cstring>

namespace quern::test {

using namespace webgpu;  // NOLINT(google-build-using-namespace): names of one interface

namespace {

uint64_t size_of(std::span<const std::byte> bytes) {
  return std::max<uint64_t>((bytes.size() + 3) / 4 * 4, 4);
}

std::string text_of_error(const Result<>& result) {
  return result.ok() ? std::string() : result.error().to_string();
}

}  // namespace

WebgpuDevice* WebgpuDevice::get(std::string& why_not) {
  static WebgpuDevice device;
  static const std::string problem = text_of_error(device.open());
  why_not = problem;
  return problem.empty() ? &device : nullptr;
}

Result<> WebgpuDevice::open() {
  QUERN_TRY_ASSIGN(Api api, Api::load());
  QUERN_TRY_ASSIGN(const auto instance, Instance::create(std::move(api)));
  QUERN_TRY_ASSIGN(const std::vector<Adapter> adapters, find_adapters(instance));
  has_subgroups_ = adapters.front().abilities.has_subgroups;
  QUERN_TRY_ASSIGN(gpu_, Gpu::open(adapters.front()));
  return {};
}

Result<Owned> WebgpuDevice::make_module(const std::string& text) {
  ShaderSource source;
  source.code = text_of(text);
  Descriptor descriptor;
  descriptor.next = &source.chain;
  return QUERN_WEBGPU_CREATE(gpu_, ShaderModule, descriptor);
}

// naga supports subgroup operations but not yet the directive that enables them
// (github.com/gfx-rs/wgpu/issues/5555).
std::string WebgpuDevice::validate(const std::string& text) {
  constexpr std::string_view kEnable = "enable subgroups;\n";
  const bool is_cut = (*gpu_)->is_wgpu() && text.starts_with(kEnable);
  const std::lock_guard lock(gpu_->mutex);
  const auto module = make_module(is_cut ? text.substr(kEnable.size()) : text);
  return module.ok() ? std::string() : module.error().to_string();
}

Result<Owned> WebgpuDevice::make_buffer(uint64_t usage, std::span<const std::byte> bytes) {
  QUERN_TRY_ASSIGN(Owned buffer, gpu_->create_buffer(size_of(bytes), usage));
  std::vector<std::byte> whole(bytes.begin(), bytes.end());
  whole.resize(size_of(bytes));
  QUERN_TRY(gpu_->write(buffer.get(), 0, whole.data(), whole.size()));
  return buffer;
}

Result<Owned> WebgpuDevice::make_pipeline(const WebgpuLaunch& launch, Handle module, Handle layout) {
  constexpr std::string_view kNames[] = {"quern_block_x", "quern_block_y", "quern_block_z"};
  std::vector<Constant> constants;
  for (size_t k = 0; k < 3; ++k)
    constants.push_back({nullptr, text_of(kNames[k]), static_cast<double>(launch.block[k])});
  if (launch.shared_words) {
    constants.push_back({nullptr, text_of("quern_shared_words"), static_cast<double>(*launch.shared_words)});
  }
  return gpu_->create_pipeline(layout, module, launch.entry, constants);
}

Result<> WebgpuDevice::read_back(const Owned& buffer, std::span<std::byte> to) {
  const Api& api = **gpu_;
  const Descriptor plain;
  Owned staging;
  std::shared_ptr<Signal> mapped;
  {
    const std::lock_guard lock(gpu_->mutex);
    QUERN_TRY_ASSIGN(staging, gpu_->create_buffer(size_of(to), kMapRead | kCopyTarget));
    const Owned encoder(api.DeviceCreateCommandEncoder(gpu_->device(), &plain), {api.CommandEncoderRelease});
    api.CommandEncoderCopyBufferToBuffer(encoder.get(), buffer.get(), 0, staging.get(), 0, size_of(to));
    const Owned commands(api.CommandEncoderFinish(encoder.get(), &plain), {api.CommandBufferRelease});
    QUERN_TRY(gpu_->submit(commands.get()));
    mapped = gpu_->map(staging.get(), size_of(to));
  }
  QUERN_TRY(gpu_->wait(*mapped));
  std::memcpy(to.data(), api.BufferGetConstMappedRange(staging.get(), 0, size_of(to)), to.size());
  api.BufferUnmap(staging.get());
  return {};
}

std::string WebgpuDevice::run(WebgpuLaunch& launch) { return text_of_error(try_run(launch)); }

Result<> WebgpuDevice::try_run(WebgpuLaunch& launch) {
  const Api& api = **gpu_;
  const auto& type = api.layout->binding_type;
  std::vector<Owned> buffers;
  {
    const std::lock_guard lock(gpu_->mutex);
    QUERN_TRY_ASSIGN(const Owned module, make_module(launch.text));
    std::vector<uint32_t> types;
    std::vector<GroupEntry> bound;
    for (const WebgpuBuffer& b : launch.buffers) {
      QUERN_TRY_ASSIGN(buffers.emplace_back(), make_buffer(kStorage | kCopySource | kCopyTarget, b.bytes));
      bound.push_back(
          {nullptr, static_cast<uint32_t>(types.size()), buffers.back().get(), 0, size_of(b.bytes)});
      types.push_back(b.is_read_only ? type.read_only : type.storage);
    }
    QUERN_TRY_ASSIGN(const Owned block, make_buffer(kUniform | kCopyTarget, launch.arguments));
    const GroupEntry arguments{nullptr, 0, block.get(), 0, size_of(launch.arguments)};
    QUERN_TRY_ASSIGN(const Owned group_layout, gpu_->create_group_layout(types));
    QUERN_TRY_ASSIGN(const Owned own_layout, gpu_->create_group_layout({&type.uniform, 1}));
    QUERN_TRY_ASSIGN(const Owned group, gpu_->create_group(group_layout.get(), bound));
    QUERN_TRY_ASSIGN(const Owned own, gpu_->create_group(own_layout.get(), {&arguments, 1}));
    const Handle layouts[] = {group_layout.get(), own_layout.get()};
    QUERN_TRY_ASSIGN(const Owned layout, gpu_->create_layout(layouts, 0));
    QUERN_TRY_ASSIGN(const Owned pipeline, make_pipeline(launch, module.get(), layout.get()));
    const Descriptor plain;
    const PassDescriptor pass_plain;
    const Owned encoder(api.DeviceCreateCommandEncoder(gpu_->device(), &plain), {api.CommandEncoderRelease});
    const Owned pass(api.CommandEncoderBeginComputePass(encoder.get(), &pass_plain),
                     {api.ComputePassEncoderRelease});
    api.ComputePassEncoderSetPipeline(pass.get(), pipeline.get());
    api.ComputePassEncoderSetBindGroup(pass.get(), 0, group.get(), 0, nullptr);
    api.ComputePassEncoderSetBindGroup(pass.get(), 1, own.get(), 0, nullptr);
    api.ComputePassEncoderDispatchWorkgroups(pass.get(), launch.grid[0], launch.grid[1], launch.grid[2]);
    api.ComputePassEncoderEnd(pass.get());
    const Owned commands(api.CommandEncoderFinish(encoder.get(), &plain), {api.CommandBufferRelease});
    QUERN_TRY(gpu_->take_error("wgpuCommandEncoderFinish"));
    QUERN_TRY(gpu_->submit(commands.get()));
  }
  for (size_t k = 0; k < buffers.size(); ++k) QUERN_TRY(read_back(buffers[k], launch.buffers[k].bytes));
  return {};
}

}  // namespace quern::test
