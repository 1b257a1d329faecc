// The host time of a launch on a WebGPU device (launch_cost.hpp). By hand: encode a pass with one dispatch
// and submit it, with calls of the same library.
#include "driver/webgpu/driver.hpp"
#include "driver/webgpu/gpu.hpp"
#include "launch_cost.hpp"

namespace {

using namespace quern;          // NOLINT(google-build-using-namespace)
using namespace quern::webgpu;  // NOLINT(google-build-using-namespace)
using namespace quern::bench;   // NOLINT(google-build-using-namespace)

constexpr std::string_view kByHand = R"(
@group(0) @binding(0) var<storage, read_write> x: array<i32>;
@compute @workgroup_size(256) fn k(@builtin(local_invocation_id) id: vec3<u32>) { x[id.x] = x[id.x] * 3i + 1i; }
)";

// As the emitter writes it: `n` and the offset of `x` are arguments.
constexpr const char* kByDriver = R"(override quern_block_x: u32 = 64u;
override quern_block_y: u32 = 1u;
override quern_block_z: u32 = 1u;
@group(1) @binding(0) var<uniform> quern_arguments: array<vec4<u32>, 2>;
@group(0) @binding(0) var<storage, read_write> x: array<i32>;
@compute @workgroup_size(quern_block_x, quern_block_y, quern_block_z)
fn k(@builtin(local_invocation_id) id: vec3<u32>) {
  let at = quern_arguments[0].y / 4u + id.x;
  if (id.x < quern_arguments[0].x) { x[at] = x[at] * 3i + 1i; }
}
)";

template <typename T>
T taken(Result<T> result, const char* what) {
  need(result.ok(), what);
  return std::move(*result);
}

class ByHand {
 public:
  explicit ByHand(const Adapter& adapter) : gpu_(taken(Gpu::open(adapter), "wgpuAdapterRequestDevice")) {
    const Api& api = **gpu_;
    x_ = taken(gpu_->create_buffer(kNumbers * 4, kStorage | kCopySource | kCopyTarget),
               "wgpuDeviceCreateBuffer");
    staging_ = taken(gpu_->create_buffer(kNumbers * 4, kMapRead | kCopyTarget), "wgpuDeviceCreateBuffer");
    const std::vector<int32_t> ones(kNumbers, 1);
    need(gpu_->write(x_.get(), 0, ones.data(), ones.size() * 4).ok(), "wgpuQueueWriteBuffer");
    const auto& at = api.layout->layout_entry;
    Record entry(at.bytes);
    entry.put(at.visibility, uint64_t{4}).put(at.type, api.layout->binding_type.storage);
    const ListDescriptor list{nullptr, {}, 1, entry.data()};
    group_layout_ = made("wgpuDeviceCreateBindGroupLayout", api.BindGroupLayoutRelease,
                         [&] { return api.DeviceCreateBindGroupLayout(gpu_->device(), &list); });
    const Handle groups[] = {group_layout_.get()};
    const PipelineLayoutDescriptor layout{nullptr, {}, 1, groups, 0};
    layout_ = made("wgpuDeviceCreatePipelineLayout", api.PipelineLayoutRelease,
                   [&] { return api.DeviceCreatePipelineLayout(gpu_->device(), &layout); });
    ShaderSource source;
    source.code = text_of(kByHand);
    const Descriptor module{&source.chain, {}};
    module_ = made("wgpuDeviceCreateShaderModule", api.ShaderModuleRelease,
                   [&] { return api.DeviceCreateShaderModule(gpu_->device(), &module); });
    PipelineDescriptor pipeline;
    pipeline.layout = layout_.get();
    pipeline.module = module_.get();
    pipeline.entry = text_of("k");
    pipeline_ = made("wgpuDeviceCreateComputePipeline", api.ComputePipelineRelease,
                     [&] { return api.DeviceCreateComputePipeline(gpu_->device(), &pipeline); });
    const GroupEntry bound{nullptr, 0, x_.get(), 0, kNumbers * 4};
    const GroupDescriptor group{nullptr, {}, group_layout_.get(), 1, &bound};
    group_ = made("wgpuDeviceCreateBindGroup", api.BindGroupRelease,
                  [&] { return api.DeviceCreateBindGroup(gpu_->device(), &group); });
  }

  double round_us() {
    const double start = thread_us();
    for (uint32_t i = 0; i < kLaunches; ++i) launch();
    const double each = (thread_us() - start) / kLaunches;
    need(gpu_->submit(nullptr).ok(), "wgpuQueueSubmit");
    const auto done = taken(gpu_->on_work_done(), "wgpuQueueOnSubmittedWorkDone");
    need(gpu_->wait(*done).ok(), "waiting");
    return each;
  }

  int32_t result() {
    const Api& api = **gpu_;
    const Descriptor plain;
    const Handle encoder = api.DeviceCreateCommandEncoder(gpu_->device(), &plain);
    api.CommandEncoderCopyBufferToBuffer(encoder, x_.get(), 0, staging_.get(), 0, kNumbers * 4);
    const Handle commands = api.CommandEncoderFinish(encoder, &plain);
    need(gpu_->submit(commands).ok(), "wgpuQueueSubmit");
    const auto mapped = gpu_->map(staging_.get(), kNumbers * 4);
    need(gpu_->wait(*mapped).ok(), "wgpuBufferMapAsync");
    const auto* const numbers =
        static_cast<const int32_t*>(api.BufferGetConstMappedRange(staging_.get(), 0, kNumbers * 4));
    const int32_t last = numbers[kNumbers - 1];
    api.BufferUnmap(staging_.get());
    api.CommandBufferRelease(commands);
    api.CommandEncoderRelease(encoder);
    return last;
  }

 private:
  template <typename Make>
  Owned made(const char* call, void (*release)(Handle), const Make& make) {
    return taken(gpu_->create(call, release, make), call);
  }

  void launch() {
    const Api& api = **gpu_;
    const Descriptor plain;
    const PassDescriptor plain_pass;
    const Handle encoder = api.DeviceCreateCommandEncoder(gpu_->device(), &plain);
    const Handle pass = api.CommandEncoderBeginComputePass(encoder, &plain_pass);
    api.ComputePassEncoderSetPipeline(pass, pipeline_.get());
    api.ComputePassEncoderSetBindGroup(pass, 0, group_.get(), 0, nullptr);
    api.ComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    api.ComputePassEncoderEnd(pass);
    api.ComputePassEncoderRelease(pass);
    const Handle commands = api.CommandEncoderFinish(encoder, &plain);
    api.QueueSubmit(gpu_->queue(), 1, &commands);
    api.CommandBufferRelease(commands);
    api.CommandEncoderRelease(encoder);
  }

  std::shared_ptr<Gpu> gpu_;
  Owned x_, staging_, group_layout_, layout_, module_, pipeline_, group_;
};

}  // namespace

int main() {
  auto api = Api::load();
  auto instance =
      api.ok() ? Instance::create(std::move(*api)) : Result<std::shared_ptr<Instance>>(api.error());
  auto adapters = instance.ok() ? find_adapters(*instance) : Result<std::vector<Adapter>>(instance.error());
  if (!adapters.ok()) {
    std::printf("%s\n", adapters.error().to_string().c_str());
    return 0;
  }
  ByHand hand(adapters->front());
  driver::Code code;
  code.kind = driver::CodeKind::kWgsl;
  code.name = "launch.wgsl";
  code.bytes = kByDriver;
  driver::KernelInfo info;
  info.name = info.entry = "k";
  info.params.resize(2);
  info.params[0].is_pointer = true;
  info.params[0].bytes = info.params[0].align = 8;
  info.params[1].bytes = info.params[1].align = 4;
  code.kernels = {info};
  ByDriver driver(make_driver(), 0, code, "k");
  return compare_launches(hand, driver);
}
