// The table of WebGPU functions for a browser: each is imported from JavaScript (web/webgpu.js), which has
// the same numbers and offsets. Structures that are passed by value arrive there as addresses.
#include <cstddef>

#include "driver/webgpu/api.hpp"

namespace quern::webgpu {

#define X(name, result, parameters) \
  __attribute__((import_module("webgpu"), import_name(#name))) result quern_webgpu_##name parameters;
#define O(name, result, parameters)
QUERN_WEBGPU_FUNCTIONS(X, X, O)
#undef O
X(InstanceWaitAny, uint32_t, (Handle, size_t, FutureWait*, uint64_t))
X(InstanceEnumerateAdapters, size_t, (Handle, const void*, Handle*))
#undef X

// web/webgpu.js reads and writes these.
static_assert(sizeof(Text) == 8 && sizeof(CallbackInfo) == 20 && offsetof(CallbackInfo, callback) == 8);
static_assert(offsetof(DeviceDescriptor, feature_count) == 12 && offsetof(DeviceDescriptor, limits) == 20 &&
              offsetof(DeviceDescriptor, lost) == 36 && offsetof(DeviceDescriptor, error) == 56);
static_assert(offsetof(ShaderSource, code) == 8);
static_assert(offsetof(BufferDescriptor, usage) == 16 && offsetof(BufferDescriptor, size) == 24);
static_assert(offsetof(ListDescriptor, count) == 12 && offsetof(ListDescriptor, entries) == 16);
static_assert(offsetof(PipelineLayoutDescriptor, count) == 12 &&
              offsetof(PipelineLayoutDescriptor, groups) == 16);
static_assert(sizeof(GroupEntry) == 40 && offsetof(GroupEntry, buffer) == 8 &&
              offsetof(GroupEntry, offset) == 16);
static_assert(offsetof(GroupDescriptor, layout) == 12 && offsetof(GroupDescriptor, entries) == 20);
static_assert(sizeof(Constant) == 24 && offsetof(Constant, value) == 16);
static_assert(offsetof(PipelineDescriptor, layout) == 12 && offsetof(PipelineDescriptor, module) == 20 &&
              offsetof(PipelineDescriptor, entry) == 24 && offsetof(PipelineDescriptor, constants) == 36);
static_assert(offsetof(PassDescriptor, timestamps) == 12);
static_assert(offsetof(QuerySetDescriptor, count) == 16);
static_assert(sizeof(FutureWait) == 16 && offsetof(FutureWait, is_completed) == 8);
static_assert(offsetof(AdapterInfo, vendor) == 4 && offsetof(AdapterInfo, backend) == 36 &&
              offsetof(AdapterInfo, tail) == 52);

Result<Api> Api::load() {
  Api api;
#define X(name, result, parameters) api.name = quern_webgpu_##name;
#define O(name, result, parameters)
  QUERN_WEBGPU_FUNCTIONS(X, X, O)
#undef O
#undef X
  api.InstanceWaitAny = quern_webgpu_InstanceWaitAny;
  api.InstanceEnumerateAdapters = quern_webgpu_InstanceEnumerateAdapters;
  api.library = "the browser";
  return api;
}

}  // namespace quern::webgpu
