// The part of WebGPU's C interface that the tests use, as in wgpu-native 29. Declared here, so that no header
// is needed to build; the structures of this interface change between versions, so only that version is
// accepted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::test::webgpu {

inline constexpr uint32_t kVersion = 29;  // the highest byte of wgpuGetVersion

struct Text {
  const char* data = nullptr;
  size_t length = SIZE_MAX;
};

using Handle = struct Opaque*;

struct Future {
  uint64_t id;
};

struct Chain {
  Chain* next = nullptr;
  uint32_t type = 0;
};

struct CallbackInfo {
  Chain* next = nullptr;
  uint32_t mode = 0;
  void* callback = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};

struct ErrorCallbackInfo {
  Chain* next = nullptr;
  void* callback = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};

struct Limits {
  Chain* next = nullptr;
  uint32_t textures[4] = {};
  uint32_t bind_groups = 0;
  uint32_t bind_groups_and_vertices = 0;
  uint32_t bindings = 0;
  uint32_t dynamic_uniforms = 0;
  uint32_t dynamic_storages = 0;
  uint32_t sampled_textures = 0;
  uint32_t samplers = 0;
  uint32_t storage_buffers = 0;
  uint32_t storage_textures = 0;
  uint32_t uniform_buffers = 0;
  uint64_t uniform_size = 0;
  uint64_t storage_size = 0;
  uint32_t uniform_align = 0;
  uint32_t storage_align = 0;
  uint32_t vertex_buffers = 0;
  uint64_t buffer_size = 0;
  uint32_t vertex_attributes = 0;
  uint32_t vertex_stride = 0;
  uint32_t between_stages = 0;
  uint32_t color_attachments = 0;
  uint32_t color_bytes = 0;
  uint32_t workgroup_bytes = 0;
  uint32_t workgroup_threads = 0;
  uint32_t workgroup_size[3] = {};
  uint32_t workgroups = 0;
  uint32_t immediates = 0;
};

struct DeviceDescriptor {
  Chain* next = nullptr;
  Text label;
  size_t feature_count = 0;
  const uint32_t* features = nullptr;
  const Limits* limits = nullptr;
  struct {
    Chain* next = nullptr;
    Text label;
  } queue;
  CallbackInfo lost;
  ErrorCallbackInfo error;
};

struct ShaderSource {
  Chain chain;
  Text code;
};
inline constexpr uint32_t kShaderSource = 2;

struct Descriptor {  // of a shader module, an encoder, a command buffer
  Chain* next = nullptr;
  Text label;
};

struct BufferDescriptor {
  Chain* next = nullptr;
  Text label;
  uint64_t usage = 0;
  uint64_t size = 0;
  uint32_t mapped = 0;
};
enum Usage : uint64_t { kMapRead = 1, kCopySource = 4, kCopyTarget = 8, kUniform = 0x40, kStorage = 0x80 };

struct LayoutEntry {
  Chain* next = nullptr;
  uint32_t binding = 0;
  uint64_t visibility = 4;  // compute
  uint32_t array_size = 0;
  struct {
    Chain* next = nullptr;
    uint32_t type = 0;
    uint32_t is_dynamic = 0;
    uint64_t least = 0;
  } buffer;
  struct {
    Chain* next = nullptr;
    uint32_t type = 0;
  } sampler;
  struct {
    Chain* next = nullptr;
    uint32_t values[3] = {};
  } texture;
  struct {
    Chain* next = nullptr;
    uint32_t values[3] = {};
  } storage_texture;
};
enum BindingType : uint32_t { kUniformBinding = 2, kStorageBinding = 3, kReadOnlyBinding = 4 };

struct LayoutDescriptor {  // of a bind group's layout, and of a pipeline's
  Chain* next = nullptr;
  Text label;
  size_t count = 0;
  const void* entries = nullptr;
  uint32_t immediates = 0;  // pipelines
};

struct GroupEntry {
  Chain* next = nullptr;
  uint32_t binding = 0;
  Handle buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;
  Handle sampler = nullptr;
  Handle texture = nullptr;
};

struct GroupDescriptor {
  Chain* next = nullptr;
  Text label;
  Handle layout = nullptr;
  size_t count = 0;
  const GroupEntry* entries = nullptr;
};

struct Constant {
  Chain* next = nullptr;
  Text key;
  double value = 0;
};

struct PipelineDescriptor {
  Chain* next = nullptr;
  Text label;
  Handle layout = nullptr;
  struct {
    Chain* next = nullptr;
    Handle module = nullptr;
    Text entry;
    size_t count = 0;
    const Constant* constants = nullptr;
  } compute;
};

struct PassDescriptor {
  Chain* next = nullptr;
  Text label;
  const void* timestamps = nullptr;
};

inline constexpr uint32_t kSpontaneous = 3;  // a callback may come at any time
inline constexpr uint64_t kMapForReading = 1;

// clang-format off
#define QUERN_WEBGPU_FUNCTIONS(X)                                                                          \
  X(GetVersion, uint32_t, (void))                                                                          \
  X(CreateInstance, Handle, (const void*))                                                                 \
  X(InstanceRequestAdapter, Future, (Handle, const void*, CallbackInfo))                                   \
  X(AdapterRequestDevice, Future, (Handle, const DeviceDescriptor*, CallbackInfo))                         \
  X(AdapterGetLimits, uint32_t, (Handle, Limits*))                                                         \
  X(AdapterHasFeature, uint32_t, (Handle, uint32_t))                                                       \
  X(DeviceGetQueue, Handle, (Handle))                                                                      \
  X(DeviceCreateShaderModule, Handle, (Handle, const Descriptor*))                                         \
  X(DeviceCreateBuffer, Handle, (Handle, const BufferDescriptor*))                                         \
  X(DeviceCreateBindGroupLayout, Handle, (Handle, const LayoutDescriptor*))                                \
  X(DeviceCreateBindGroup, Handle, (Handle, const GroupDescriptor*))                                       \
  X(DeviceCreatePipelineLayout, Handle, (Handle, const LayoutDescriptor*))                                 \
  X(DeviceCreateComputePipeline, Handle, (Handle, const PipelineDescriptor*))                              \
  X(DeviceCreateCommandEncoder, Handle, (Handle, const Descriptor*))                                       \
  X(DevicePoll, uint32_t, (Handle, uint32_t, const void*))                                                 \
  X(CommandEncoderBeginComputePass, Handle, (Handle, const PassDescriptor*))                               \
  X(CommandEncoderCopyBufferToBuffer, void, (Handle, Handle, uint64_t, Handle, uint64_t, uint64_t))        \
  X(CommandEncoderFinish, Handle, (Handle, const Descriptor*))                                             \
  X(ComputePassEncoderSetPipeline, void, (Handle, Handle))                                                 \
  X(ComputePassEncoderSetBindGroup, void, (Handle, uint32_t, Handle, size_t, const uint32_t*))             \
  X(ComputePassEncoderDispatchWorkgroups, void, (Handle, uint32_t, uint32_t, uint32_t))                    \
  X(ComputePassEncoderEnd, void, (Handle))                                                                 \
  X(QueueSubmit, void, (Handle, size_t, const Handle*))                                                    \
  X(QueueWriteBuffer, void, (Handle, Handle, uint64_t, const void*, size_t))                               \
  X(BufferMapAsync, Future, (Handle, uint64_t, size_t, size_t, CallbackInfo))                              \
  X(BufferGetConstMappedRange, const void*, (Handle, size_t, size_t))                                      \
  X(BufferUnmap, void, (Handle))                                                                           \
  X(BufferRelease, void, (Handle))                                                                         \
  X(BindGroupRelease, void, (Handle))                                                                      \
  X(BindGroupLayoutRelease, void, (Handle))                                                                \
  X(PipelineLayoutRelease, void, (Handle))                                                                 \
  X(ComputePipelineRelease, void, (Handle))                                                                \
  X(ShaderModuleRelease, void, (Handle))                                                                   \
  X(ComputePassEncoderRelease, void, (Handle))                                                             \
  X(CommandEncoderRelease, void, (Handle))                                                                 \
  X(CommandBufferRelease, void, (Handle))
// clang-format on

struct Api {
#define X(name, result, parameters) result(*name) parameters = nullptr;
  QUERN_WEBGPU_FUNCTIONS(X)
#undef X
};

}  // namespace quern::test::webgpu
