// The functions of webgpu.h that the driver calls, as a table. Natively it is filled from a shared library:
// wgpu-native, Dawn, or any other that exports them. Another table with the standard layout serves too, for
// example one whose functions call a browser.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "driver/webgpu/layout.hpp"
#include "driver/webgpu/structs.hpp"

namespace quern::webgpu {

template <typename T = void>
using Result = base::Result<T>;

// X(name, result, parameters): required. C(…): required, takes a CallbackInfo (Layout::callback_suffix).
// O(…): may be missing. wgpu-native has all optional functions, others have InstanceWaitAny.
// clang-format off
#define QUERN_WEBGPU_FUNCTIONS(X, C, O)                                                                     \
  X(CreateInstance, Handle, (const void*))                                                                  \
  X(InstanceRelease, void, (Handle))                                                                        \
  C(InstanceRequestAdapter, Future, (Handle, const void*, CallbackInfo))                                    \
  X(InstanceProcessEvents, void, (Handle))                                                                  \
  O(InstanceWaitAny, uint32_t, (Handle, size_t, FutureWait*, uint64_t))                                     \
  O(InstanceEnumerateAdapters, size_t, (Handle, const void*, Handle*))                                      \
  C(AdapterRequestDevice, Future, (Handle, const DeviceDescriptor*, CallbackInfo))                          \
  X(AdapterGetLimits, uint32_t, (Handle, void*))                                                            \
  X(AdapterGetInfo, uint32_t, (Handle, AdapterInfo*))                                                       \
  X(AdapterInfoFreeMembers, void, (AdapterInfo))                                                            \
  X(AdapterHasFeature, uint32_t, (Handle, uint32_t))                                                        \
  X(AdapterRelease, void, (Handle))                                                                         \
  X(DeviceGetQueue, Handle, (Handle))                                                                       \
  X(DevicePushErrorScope, void, (Handle, uint32_t))                                                         \
  C(DevicePopErrorScope, Future, (Handle, CallbackInfo))                                                    \
  X(DeviceCreateShaderModule, Handle, (Handle, const Descriptor*))                                          \
  O(DeviceCreateShaderModuleTrusted, Handle, (Handle, const Descriptor*, uint64_t))                         \
  X(DeviceCreateBuffer, Handle, (Handle, const BufferDescriptor*))                                          \
  X(DeviceCreateBindGroupLayout, Handle, (Handle, const ListDescriptor*))                                   \
  X(DeviceCreateBindGroup, Handle, (Handle, const GroupDescriptor*))                                        \
  X(DeviceCreatePipelineLayout, Handle, (Handle, const PipelineLayoutDescriptor*))                          \
  X(DeviceCreateComputePipeline, Handle, (Handle, const PipelineDescriptor*))                               \
  X(DeviceCreateQuerySet, Handle, (Handle, const QuerySetDescriptor*))                                      \
  X(DeviceCreateCommandEncoder, Handle, (Handle, const Descriptor*))                                        \
  X(DeviceDestroy, void, (Handle))                                                                          \
  X(DeviceRelease, void, (Handle))                                                                          \
  O(DevicePoll, uint32_t, (Handle, uint32_t, const uint64_t*))                                              \
  X(CommandEncoderBeginComputePass, Handle, (Handle, const PassDescriptor*))                                \
  X(CommandEncoderCopyBufferToBuffer, void, (Handle, Handle, uint64_t, Handle, uint64_t, uint64_t))         \
  X(CommandEncoderClearBuffer, void, (Handle, Handle, uint64_t, uint64_t))                                  \
  X(CommandEncoderResolveQuerySet, void, (Handle, Handle, uint32_t, uint32_t, Handle, uint64_t))            \
  X(CommandEncoderFinish, Handle, (Handle, const Descriptor*))                                              \
  X(ComputePassEncoderSetPipeline, void, (Handle, Handle))                                                  \
  X(ComputePassEncoderSetBindGroup, void, (Handle, uint32_t, Handle, size_t, const uint32_t*))              \
  O(ComputePassEncoderSetImmediates, void, (Handle, uint32_t, const void*, size_t))                         \
  X(ComputePassEncoderDispatchWorkgroups, void, (Handle, uint32_t, uint32_t, uint32_t))                     \
  X(ComputePassEncoderEnd, void, (Handle))                                                                  \
  X(QueueSubmit, void, (Handle, size_t, const Handle*))                                                     \
  O(QueueSubmitForIndex, uint64_t, (Handle, size_t, const Handle*))                                         \
  O(QueueGetTimestampPeriod, float, (Handle))                                                               \
  X(QueueWriteBuffer, void, (Handle, Handle, uint64_t, const void*, size_t))                                \
  C(QueueOnSubmittedWorkDone, Future, (Handle, CallbackInfo))                                               \
  C(BufferMapAsync, Future, (Handle, uint64_t, size_t, size_t, CallbackInfo))                               \
  X(BufferGetConstMappedRange, const void*, (Handle, size_t, size_t))                                       \
  X(BufferUnmap, void, (Handle))                                                                            \
  X(BufferDestroy, void, (Handle))                                                                          \
  X(BufferRelease, void, (Handle))                                                                          \
  X(BindGroupRelease, void, (Handle))                                                                       \
  X(BindGroupLayoutRelease, void, (Handle))                                                                 \
  X(PipelineLayoutRelease, void, (Handle))                                                                  \
  X(ComputePipelineRelease, void, (Handle))                                                                 \
  X(ShaderModuleRelease, void, (Handle))                                                                    \
  X(QuerySetRelease, void, (Handle))                                                                        \
  X(QueueRelease, void, (Handle))                                                                           \
  X(ComputePassEncoderRelease, void, (Handle))                                                              \
  X(CommandEncoderRelease, void, (Handle))                                                                  \
  X(CommandBufferRelease, void, (Handle))                                                                   \
  O(GetVersion, uint32_t, ())
// clang-format on

struct Api {
#define X(name, result, parameters) result(*name) parameters = nullptr;
  QUERN_WEBGPU_FUNCTIONS(X, X, X)
#undef X
  const Layout* layout = &kStandardLayout;
  std::string library;

  /// Loads the library that QUERN_WEBGPU_LIBRARY names, or else the first known one.
  static Result<Api> load();

  /// wgpu-native waits by polling; its InstanceWaitAny ends the process.
  bool is_wgpu() const { return DevicePoll != nullptr; }
  /// "wgpu-native 29.0.1.1", or the library's name.
  std::string describe() const;
};

std::string string_of(Text text);
inline Text text_of(std::string_view text) { return {text.data(), text.size()}; }
template <typename Function>
void* callback_address(Function* function) {
  return reinterpret_cast<void*>(function);
}

base::Error failed(std::string_view call, uint32_t type, const std::string& message);
bool is_known(uint32_t type);  // to the table that failed() uses

}  // namespace quern::webgpu
