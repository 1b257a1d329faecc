// The structures of webgpu.h that have the same layout in every supported library. Those that differ are
// described in layout.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::webgpu {

using Handle = struct Opaque*;

struct Text {
  const char* data = nullptr;
  size_t length = SIZE_MAX;  // SIZE_MAX: up to the terminating zero
};

struct Future {
  uint64_t id = 0;
};

struct Chain {
  const Chain* next = nullptr;
  uint32_t type = 0;
};

struct CallbackInfo {
  const Chain* next = nullptr;
  uint32_t mode = 3;  // the callback may be called at any time
  void* callback = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};

struct ErrorCallbackInfo {
  const Chain* next = nullptr;
  void* callback = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};

struct Descriptor {  // of a shader module, a command encoder, a command buffer, a queue
  const Chain* next = nullptr;
  Text label;
};

struct DeviceDescriptor {
  const Chain* next = nullptr;
  Text label;
  size_t feature_count = 0;
  const uint32_t* features = nullptr;
  const void* limits = nullptr;
  Descriptor queue;
  CallbackInfo lost;
  ErrorCallbackInfo error;
};

struct ShaderSource {
  Chain chain{nullptr, 2};
  Text code;
};

struct BufferDescriptor {
  const Chain* next = nullptr;
  Text label;
  uint64_t usage = 0;
  uint64_t size = 0;
  uint32_t is_mapped = 0;
};

struct ListDescriptor {  // of a bind group's layout
  const Chain* next = nullptr;
  Text label;
  size_t count = 0;
  const void* entries = nullptr;
};

struct PipelineLayoutDescriptor {
  const Chain* next = nullptr;
  Text label;
  size_t count = 0;
  const Handle* groups = nullptr;
  uint32_t immediate_bytes = 0;
};

struct GroupEntry {
  const Chain* next = nullptr;
  uint32_t binding = 0;
  Handle buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;
  Handle sampler = nullptr;
  Handle texture = nullptr;
};

struct GroupDescriptor {
  const Chain* next = nullptr;
  Text label;
  Handle layout = nullptr;
  size_t count = 0;
  const GroupEntry* entries = nullptr;
};

struct Constant {
  const Chain* next = nullptr;
  Text key;
  double value = 0;
};

struct PipelineDescriptor {
  const Chain* next = nullptr;
  Text label;
  Handle layout = nullptr;
  const Chain* stage_next = nullptr;
  Handle module = nullptr;
  Text entry;
  size_t constant_count = 0;
  const Constant* constants = nullptr;
};

struct PassDescriptor {
  const Chain* next = nullptr;
  Text label;
  const void* timestamps = nullptr;
};

struct QuerySetDescriptor {
  const Chain* next = nullptr;
  Text label;
  uint32_t type = 2;  // timestamps
  uint32_t count = 0;
};

struct FutureWait {
  Future future;
  uint32_t is_completed = 0;
};

struct AdapterInfo {  // `tail` differs between versions
  Chain* next = nullptr;
  Text vendor, architecture, device, description;
  uint32_t backend = 0;
  uint32_t type = 0;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t tail[4] = {};
};

struct SubgroupProperties {  // chained to AdapterInfo by older libraries
  Chain chain{nullptr, 10};
  uint32_t min = 0, max = 0;
};

enum Usage : uint64_t {
  kMapRead = 1,
  kCopySource = 4,
  kCopyTarget = 8,
  kUniform = 0x40,
  kStorage = 0x80,
  kQueryResolve = 0x200
};
enum Status : uint32_t { kSuccess = 1 };
enum ErrorType : uint32_t { kNoError = 1, kValidation, kOutOfMemory, kInternal, kUnknown, kLostError };
enum ErrorFilter : uint32_t { kFilterValidation = 1, kFilterOutOfMemory, kFilterInternal };
enum LostReason : uint32_t { kLostUnknown = 1, kLostDestroyed, kLostCancelled, kLostFailedCreation };
enum Backend : uint32_t { kAnyBackend = 0, kOpenGlEs = 8 };
enum FeatureLevel : uint32_t { kCompatibility = 1, kCore = 2 };
inline constexpr uint64_t kMapForReading = 1;
inline constexpr uint32_t kQueryUnused = 0xffffffff;

}  // namespace quern::webgpu
