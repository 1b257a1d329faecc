#include "target_wgsl/webgpu_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace quern::test {

using namespace webgpu;  // NOLINT(google-build-using-namespace): names of one interface

namespace {

constexpr std::string_view kHint =
    "pip install wgpu brings it, or QUERN_WEBGPU_LIBRARY names libwgpu_native.so";

struct AdapterOptions {
  Chain* next = nullptr;
  uint32_t level = 2;  // core
  uint32_t power = 0;
  uint32_t fallback = 0;
  uint32_t backend = 6;  // Vulkan
  Handle surface = nullptr;
};

Text text_of(const std::string& s) { return {s.data(), s.size()}; }

std::string string_of(Text t) {
  if (t.data == nullptr) return {};
  return t.length == SIZE_MAX ? std::string(t.data) : std::string(t.data, t.length);
}

void got_handle(uint32_t status, Handle handle, Text message, void* to, void* problem) {
  *static_cast<Handle*>(to) = status == 1 ? handle : nullptr;
  if (status != 1) *static_cast<std::string*>(problem) = string_of(message);
}

void got_error(const Handle*, uint32_t, Text message, void* to, void*) {
  *static_cast<std::string*>(to) += string_of(message) + "\n";
}

void was_mapped(uint32_t status, Text, void* to, void*) { *static_cast<uint32_t*>(to) = status; }

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

// The location of Python's package `wgpu`.
void add_python_libraries(std::vector<std::string>& out) {
  namespace fs = std::filesystem;
  std::vector<fs::path> roots = {"/usr/lib", "/usr/local/lib"};
  if (const char* home = std::getenv("HOME")) {
    roots.emplace_back(fs::path(home) / ".local/lib");
    std::error_code none;
    for (const auto& version : fs::directory_iterator(fs::path(home) / ".pyenv/versions", none))
      roots.push_back(version.path() / "lib");
  }
  for (const fs::path& root : roots) {
    std::error_code none;
    for (const auto& python : fs::directory_iterator(root, none)) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const fs::path file = python.path() / packages / "wgpu/resources/libwgpu_native-release.so";
        if (fs::exists(file, none)) out.push_back(file.string());
      }
    }
  }
}

}  // namespace

WebgpuDevice* WebgpuDevice::get(std::string& why_not) {
  static WebgpuDevice device;
  static const std::string problem = device.open();
  why_not = problem;
  return problem.empty() ? &device : nullptr;
}

std::string WebgpuDevice::find_library() {
  std::vector<std::string> names;
  if (const char* given = std::getenv("QUERN_WEBGPU_LIBRARY")) names.emplace_back(given);
  names.insert(names.end(), {"libwgpu_native.so", "libwgpu_native-release.so"});
  add_python_libraries(names);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  auto library = base::SharedLibrary::open(candidates, kHint);
  if (!library.ok()) return library.error().to_string();
  library_.emplace(std::move(*library));
#define X(name, result, parameters) \
  if (auto loaded = library_->load("wgpu" #name, api_.name); !loaded.ok()) return loaded.error().to_string();
  QUERN_WEBGPU_FUNCTIONS(X)
#undef X
  const uint32_t version = api_.GetVersion() >> 24;
  if (version != kVersion)
    return "wgpu-native is of version " + std::to_string(version) + "; the tests know " +
           std::to_string(kVersion);
  return {};
}

std::string WebgpuDevice::open() {
  if (std::string problem = find_library(); !problem.empty()) return problem;
  instance_ = api_.CreateInstance(nullptr);
  std::string problem = "there is no adapter";
  const AdapterOptions options;
  api_.InstanceRequestAdapter(instance_, &options,
                              {nullptr, kSpontaneous, address(&got_handle), &adapter_, &problem});
  if (adapter_ == nullptr) return problem;
  api_.AdapterGetLimits(adapter_, &limits_);
  limits_.next = nullptr;
  DeviceDescriptor descriptor;
  descriptor.limits = &limits_;
  constexpr uint32_t kSubgroups = 0x00030021;
  has_subgroups_ = api_.AdapterHasFeature(adapter_, kSubgroups) != 0;
  descriptor.feature_count = has_subgroups_ ? 1 : 0;
  descriptor.features = &kSubgroups;
  descriptor.lost.mode = kSpontaneous;
  descriptor.error.callback = address(&got_error);
  descriptor.error.first = &errors_;
  api_.AdapterRequestDevice(adapter_, &descriptor,
                            {nullptr, kSpontaneous, address(&got_handle), &device_, &problem});
  if (device_ == nullptr) return problem;
  queue_ = api_.DeviceGetQueue(device_);
  return {};
}

std::string WebgpuDevice::take_errors() { return std::exchange(errors_, {}); }

Handle WebgpuDevice::make_module(const std::string& text) {
  ShaderSource source{{nullptr, kShaderSource}, text_of(text)};
  Descriptor descriptor;
  descriptor.next = &source.chain;
  return api_.DeviceCreateShaderModule(device_, &descriptor);
}

// naga supports subgroup operations but not yet the directive that enables them
// (github.com/gfx-rs/wgpu/issues/5555).
std::string WebgpuDevice::validate(const std::string& text) {
  constexpr std::string_view kEnable = "enable subgroups;\n";
  const Handle module = make_module(text.starts_with(kEnable) ? text.substr(kEnable.size()) : text);
  std::string said = take_errors();
  if (module != nullptr) api_.ShaderModuleRelease(module);
  return said;
}

Handle WebgpuDevice::make_buffer(uint64_t usage, std::span<const std::byte> bytes) {
  BufferDescriptor descriptor;
  descriptor.usage = usage;
  descriptor.size = std::max<uint64_t>((bytes.size() + 3) / 4 * 4, 4);
  const Handle buffer = api_.DeviceCreateBuffer(device_, &descriptor);
  if ((usage & kMapRead) != 0) return buffer;
  std::vector<std::byte> whole(bytes.begin(), bytes.end());
  whole.resize(descriptor.size);
  api_.QueueWriteBuffer(queue_, buffer, 0, whole.data(), whole.size());
  return buffer;
}

Handle WebgpuDevice::make_layout(const std::vector<LayoutEntry>& entries) {
  LayoutDescriptor descriptor;
  descriptor.count = entries.size();
  descriptor.entries = entries.data();
  return api_.DeviceCreateBindGroupLayout(device_, &descriptor);
}

Handle WebgpuDevice::make_group(Handle layout, const std::vector<GroupEntry>& entries) {
  GroupDescriptor descriptor;
  descriptor.layout = layout;
  descriptor.count = entries.size();
  descriptor.entries = entries.data();
  return api_.DeviceCreateBindGroup(device_, &descriptor);
}

Handle WebgpuDevice::make_pipeline(const WebgpuLaunch& launch, Handle module, Handle layout) {
  static const std::string kNames[] = {"quern_block_x", "quern_block_y", "quern_block_z",
                                       "quern_shared_words"};
  std::vector<Constant> constants;
  for (size_t k = 0; k < 3; ++k)
    constants.push_back({nullptr, text_of(kNames[k]), static_cast<double>(launch.block[k])});
  if (launch.shared_words)
    constants.push_back({nullptr, text_of(kNames[3]), static_cast<double>(*launch.shared_words)});
  PipelineDescriptor descriptor;
  descriptor.layout = layout;
  descriptor.compute.module = module;
  descriptor.compute.entry = text_of(launch.entry);
  descriptor.compute.count = constants.size();
  descriptor.compute.constants = constants.data();
  return api_.DeviceCreateComputePipeline(device_, &descriptor);
}

void WebgpuDevice::read_back(WebgpuBuffer& buffer) {
  const uint64_t size = std::max<uint64_t>((buffer.bytes.size() + 3) / 4 * 4, 4);
  const Handle staging = make_buffer(kMapRead | kCopyTarget, std::vector<std::byte>(size));
  const Descriptor plain;
  const Handle encoder = api_.DeviceCreateCommandEncoder(device_, &plain);
  api_.CommandEncoderCopyBufferToBuffer(encoder, buffer.handle, 0, staging, 0, size);
  const Handle commands = api_.CommandEncoderFinish(encoder, &plain);
  api_.QueueSubmit(queue_, 1, &commands);
  uint32_t status = 0;
  api_.BufferMapAsync(staging, kMapForReading, 0, size,
                      {nullptr, kSpontaneous, address(&was_mapped), &status, nullptr});
  api_.DevicePoll(device_, 1, nullptr);
  if (status == 1) {
    std::memcpy(buffer.bytes.data(), api_.BufferGetConstMappedRange(staging, 0, size), buffer.bytes.size());
    api_.BufferUnmap(staging);
  } else {
    errors_ += "a buffer could not be read back\n";
  }
  api_.BufferRelease(staging);
  api_.CommandBufferRelease(commands);
  api_.CommandEncoderRelease(encoder);
}

std::string WebgpuDevice::run(WebgpuLaunch& launch) {
  const Handle module = make_module(launch.text);
  if (std::string said = take_errors(); !said.empty()) return said;
  std::vector<LayoutEntry> entries, own;
  std::vector<GroupEntry> bound, arguments;
  for (uint32_t k = 0; k < launch.buffers.size(); ++k) {
    WebgpuBuffer& b = launch.buffers[k];
    b.handle = make_buffer(kStorage | kCopySource | kCopyTarget, b.bytes);
    LayoutEntry& e = entries.emplace_back();
    e.binding = k;
    e.buffer.type = b.is_read_only ? kReadOnlyBinding : kStorageBinding;
    const uint64_t size = std::max<uint64_t>((b.bytes.size() + 3) / 4 * 4, 4);
    bound.push_back({nullptr, k, b.handle, 0, size});
  }
  const Handle block = make_buffer(kUniform | kCopyTarget, launch.arguments);
  own.emplace_back().buffer.type = kUniformBinding;
  arguments.push_back({nullptr, 0, block, 0, std::max<uint64_t>(launch.arguments.size(), 4)});
  const Handle layouts[] = {make_layout(entries), make_layout(own)};
  const Handle groups[] = {make_group(layouts[0], bound), make_group(layouts[1], arguments)};
  LayoutDescriptor whole;
  whole.count = 2;
  whole.entries = layouts;
  const Handle layout = api_.DeviceCreatePipelineLayout(device_, &whole);
  const Handle pipeline = make_pipeline(launch, module, layout);
  if (std::string said = take_errors(); !said.empty())
    return said;  // in a failed test the objects are leaked
  const Descriptor plain;
  const PassDescriptor pass_plain;
  const Handle encoder = api_.DeviceCreateCommandEncoder(device_, &plain);
  const Handle pass = api_.CommandEncoderBeginComputePass(encoder, &pass_plain);
  api_.ComputePassEncoderSetPipeline(pass, pipeline);
  for (uint32_t k = 0; k < 2; ++k) api_.ComputePassEncoderSetBindGroup(pass, k, groups[k], 0, nullptr);
  api_.ComputePassEncoderDispatchWorkgroups(pass, launch.grid[0], launch.grid[1], launch.grid[2]);
  api_.ComputePassEncoderEnd(pass);
  const Handle commands = api_.CommandEncoderFinish(encoder, &plain);
  api_.QueueSubmit(queue_, 1, &commands);
  api_.DevicePoll(device_, 1, nullptr);
  for (WebgpuBuffer& b : launch.buffers) {
    read_back(b);
    api_.BufferRelease(b.handle);
  }
  api_.CommandBufferRelease(commands);
  api_.ComputePassEncoderRelease(pass);
  api_.CommandEncoderRelease(encoder);
  api_.ComputePipelineRelease(pipeline);
  api_.PipelineLayoutRelease(layout);
  for (size_t k = 0; k < 2; ++k) {
    api_.BindGroupRelease(groups[k]);
    api_.BindGroupLayoutRelease(layouts[k]);
  }
  api_.BufferRelease(block);
  api_.ShaderModuleRelease(module);
  return take_errors();
}

}  // namespace quern::test
