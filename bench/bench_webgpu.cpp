// The host time of a launch on a WebGPU device (launch_cost.hpp). By hand: encode a pass with one dispatch
// and submit it, with calls of the same library. Then the bandwidth of copy kernels, compared with our Vulkan
// driver on the same device. usage: bench_webgpu [INDEX]
#include <array>
#include <bit>

#include "driver/webgpu/driver.hpp"
#include "driver/webgpu/gpu.hpp"
#include "launch_cost.hpp"
#include "quern/inline.hpp"

namespace {

// NOLINTBEGIN(google-build-using-namespace): what kernels see
QUERN_KERNEL(copy_one, (int n, const float* a, float* c), {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i];
})
QUERN_KERNEL(copy_four, (int n, const float4* a, float4* c), {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i];
})
// NOLINTEND(google-build-using-namespace)

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
    group_layout_ =
        taken(QUERN_WEBGPU_CREATE(gpu_, BindGroupLayout, list), "wgpuDeviceCreateBindGroupLayout");
    const Handle groups[] = {group_layout_.get()};
    const PipelineLayoutDescriptor layout{nullptr, {}, 1, groups, 0};
    layout_ = taken(QUERN_WEBGPU_CREATE(gpu_, PipelineLayout, layout), "wgpuDeviceCreatePipelineLayout");
    ShaderSource source;
    source.code = text_of(kByHand);
    const Descriptor module{&source.chain, {}};
    module_ = taken(QUERN_WEBGPU_CREATE(gpu_, ShaderModule, module), "wgpuDeviceCreateShaderModule");
    PipelineDescriptor pipeline;
    pipeline.layout = layout_.get();
    pipeline.module = module_.get();
    pipeline.entry = text_of("k");
    pipeline_ =
        taken(QUERN_WEBGPU_CREATE(gpu_, ComputePipeline, pipeline), "wgpuDeviceCreateComputePipeline");
    const GroupEntry bound{nullptr, 0, x_.get(), 0, kNumbers * 4};
    const GroupDescriptor group{nullptr, {}, group_layout_.get(), 1, &bound};
    group_ = taken(QUERN_WEBGPU_CREATE(gpu_, BindGroup, group), "wgpuDeviceCreateBindGroup");
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

// GB/s of a copy kernel. Each byte is read and written.
template <typename T, typename K>
double copy_rate(quern::Device& device, const K& kernel, const T& value) {
  constexpr int kRepeats = 20, kTries = 5;
  const size_t bytes = device.info().kind == quern::DeviceKind::cpu ? 16 << 20 : 256 << 20;
  const int n = static_cast<int>(bytes / sizeof(T));
  auto a = device.upload(std::vector<T>(static_cast<size_t>(n), value));
  auto c = device.allocate<T>(static_cast<size_t>(n));
  const quern::LaunchConfig config = quern::grid(16384, 256);  // WebGPU allows 65,535 blocks
  double best = 1e30;
  for (int round = 0; round < kTries; ++round) {
    device.launch(kernel, config, n, a, c);
    device.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRepeats; ++i) device.launch(kernel, config, n, a, c);
    device.synchronize();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const std::vector<T> got = c.download();
  using Words = std::array<uint32_t, sizeof(T) / 4>;
  need(std::bit_cast<Words>(got.back()) == std::bit_cast<Words>(value), "copying");
  return 2.0 * kRepeats * static_cast<double>(bytes) / best / 1e9;
}

// The Vulkan driver's device with this name; empty: there is none.
quern::Device vulkan_twin(const std::string& name) {
  for (const quern::DeviceInfo& info : quern::devices()) {
    if (info.driver == "vulkan" && info.name.starts_with(name)) return quern::open(info.id());
  }
  return {};
}

void compare_copies(uint32_t index) {
  quern::Device ours = quern::open("webgpu:" + std::to_string(index));
  quern::Device twin = vulkan_twin(ours.name());
  if (!twin) {
    std::printf("no Vulkan device is named '%s': copies are not compared\n", ours.name().c_str());
    return;
  }
  quern::bench::ThrottleNote throttling(ours.info());
  const auto print = [](const char* what, double webgpu, double vulkan) {
    std::printf("%s %8.1f GB/s by webgpu, %8.1f GB/s by vulkan: %.0f %%%s\n", what, webgpu, vulkan,
                100 * webgpu / vulkan, webgpu < 0.9 * vulkan ? "  (goal: at least 90 %)" : "");
  };
  print("copy of float ", copy_rate(ours, copy_one, 2.0f), copy_rate(twin, copy_one, 2.0f));
  const quern::kernel::float4 four{1, 2, 3, 4};
  print("copy of float4", copy_rate(ours, copy_four, four), copy_rate(twin, copy_four, four));
  throttling.print();
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t index = argc > 1 ? static_cast<uint32_t>(std::atoi(argv[1])) : 0;
  auto api = Api::load();
  auto instance =
      api.ok() ? Instance::create(std::move(*api)) : Result<std::shared_ptr<Instance>>(api.error());
  auto adapters = instance.ok() ? find_adapters(*instance) : Result<std::vector<Adapter>>(instance.error());
  if (!adapters.ok()) {
    std::printf("%s\n", adapters.error().to_string().c_str());
    return 0;
  }
  need(index < adapters->size(), "finding the adapter");
  ByHand hand((*adapters)[index]);
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
  ByDriver driver(make_driver(), index, code, "k");
  const int code_of_launches = compare_launches(hand, driver);
  compare_copies(index);
  return code_of_launches;
}
