// Metal through the Objective-C runtime: no Objective-C compiler and no framework at build time. libobjc and
// Metal.framework are opened when the driver starts. A message is a call of objc_msgSend, cast to the
// method's signature, so the compiler passes structures (MTLSize) as the platform's ABI requires. Only x86_64
// returns structures through a separate entry point, objc_msgSend_stret.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.hpp"

namespace quern::metal {

template <typename T = void>
using Result = base::Result<T>;

struct ObjcObject;
struct ObjcSelector;
using Id = ObjcObject*;
using Selector = ObjcSelector*;

// The selectors that the driver sends: name in code, and text.
// clang-format off
#define QUERN_METAL_SELECTORS(X)                                                        \
  X(New, "new")                                                                         \
  X(RespondsToSelector, "respondsToSelector:")                                          \
  X(StringWithUtf8, "stringWithUTF8String:")                                            \
  X(Utf8, "UTF8String")                                                                 \
  X(LocalizedDescription, "localizedDescription")                                       \
  X(Code, "code")                                                                       \
  X(Domain, "domain")                                                                   \
  X(Count, "count")                                                                     \
  X(ObjectAtIndex, "objectAtIndex:")                                                    \
  X(ProcessInfo, "processInfo")                                                         \
  X(SystemVersion, "operatingSystemVersion")                                            \
  /* MTLDevice */                                                                       \
  X(Name, "name")                                                                       \
  X(RegistryId, "registryID")                                                           \
  X(HasUnifiedMemory, "hasUnifiedMemory")                                               \
  X(IsLowPower, "isLowPower")                                                           \
  X(IsRemovable, "isRemovable")                                                         \
  X(WorkingSetSize, "recommendedMaxWorkingSetSize")                                     \
  X(AllocatedSize, "currentAllocatedSize")                                              \
  X(MaxBufferLength, "maxBufferLength")                                                 \
  X(MaxThreadgroupMemory, "maxThreadgroupMemoryLength")                                 \
  X(MaxThreads, "maxThreadsPerThreadgroup")                                             \
  X(SupportsFamily, "supportsFamily:")                                                  \
  X(SampleTimestamps, "sampleTimestamps:gpuTimestamp:")                                 \
  X(NewQueue, "newCommandQueueWithMaxCommandBufferCount:")                              \
  X(NewBuffer, "newBufferWithLength:options:")                                          \
  X(NewSharedEvent, "newSharedEvent")                                                   \
  X(NewLibrary, "newLibraryWithSource:options:error:")                                  \
  X(NewPipeline, "newComputePipelineStateWithFunction:error:")                          \
  /* MTLCompileOptions, MTLLibrary, MTLComputePipelineState */                          \
  X(SetFastMath, "setFastMathEnabled:")                                                 \
  X(SetMathMode, "setMathMode:")                                                        \
  X(SetLanguageVersion, "setLanguageVersion:")                                          \
  X(NewFunction, "newFunctionWithName:")                                                \
  X(MaxTotalThreads, "maxTotalThreadsPerThreadgroup")                                   \
  /* MTLComputePipelineDescriptor, MTLBinaryArchive */                                  \
  X(FileUrl, "fileURLWithPath:")                                                        \
  X(ArrayWithObject, "arrayWithObject:")                                                \
  X(SetUrl, "setUrl:")                                                                  \
  X(NewArchive, "newBinaryArchiveWithDescriptor:error:")                                \
  X(SetComputeFunction, "setComputeFunction:")                                          \
  X(SetBinaryArchives, "setBinaryArchives:")                                            \
  X(AddFunctions, "addComputePipelineFunctionsWithDescriptor:error:")                   \
  X(Serialize, "serializeToURL:error:")                                                 \
  X(NewDescribedPipeline, "newComputePipelineStateWithDescriptor:options:reflection:error:") \
  X(ExecutionWidth, "threadExecutionWidth")                                             \
  /* MTLBuffer, MTLSharedEvent */                                                       \
  X(Contents, "contents")                                                               \
  X(GpuAddress, "gpuAddress")                                                           \
  X(WaitSignaled, "waitUntilSignaledValue:timeoutMS:")                                  \
  X(SetSignaledValue, "setSignaledValue:")                                              \
  X(SignaledValue, "signaledValue")                                                     \
  /* MTLCommandQueue, MTLCommandBuffer */                                               \
  X(CommandBuffer, "commandBuffer")                                                     \
  X(ComputeEncoder, "computeCommandEncoder")                                            \
  X(BlitEncoder, "blitCommandEncoder")                                                  \
  X(EncodeWait, "encodeWaitForEvent:value:")                                            \
  X(EncodeSignal, "encodeSignalEvent:value:")                                           \
  X(Commit, "commit")                                                                   \
  X(WaitUntilCompleted, "waitUntilCompleted")                                           \
  X(Status, "status")                                                                   \
  X(Error, "error")                                                                     \
  X(GpuEndTime, "GPUEndTime")                                                           \
  /* encoders */                                                                        \
  X(SetPipeline, "setComputePipelineState:")                                            \
  X(SetBuffer, "setBuffer:offset:atIndex:")                                             \
  X(SetBytes, "setBytes:length:atIndex:")                                               \
  X(SetThreadgroupMemory, "setThreadgroupMemoryLength:atIndex:")                        \
  X(UseResources, "useResources:count:usage:")                                          \
  X(Dispatch, "dispatchThreadgroups:threadsPerThreadgroup:")                            \
  X(CopyBuffer, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:")         \
  X(FillBuffer, "fillBuffer:range:value:")                                              \
  X(EndEncoding, "endEncoding")

#define QUERN_METAL_SYMBOLS(X)                                                          \
  X(objc_getClass, Id, (const char*))                                                   \
  X(sel_registerName, Selector, (const char*))                                          \
  X(objc_msgSend, void, ())                                                             \
  X(objc_retain, Id, (Id))                                                              \
  X(objc_release, void, (Id))                                                           \
  X(objc_autoreleasePoolPush, void*, ())                                                \
  X(objc_autoreleasePoolPop, void, (void*))
// clang-format on

enum class Sel : uint8_t {
#define X(id, text) k##id,
  QUERN_METAL_SELECTORS(X)
#undef X
      kLast
};

struct Size {  // MTLSize
  uint64_t width = 1, height = 1, depth = 1;
};
struct Range {  // NSRange
  uint64_t location = 0, length = 0;
};
struct SystemVersion {  // NSOperatingSystemVersion
  int64_t major = 0, minor = 0, patch = 0;
};

// Values of Metal's enumerations.
inline constexpr uint64_t kStorageShared = 0, kStoragePrivate = 2 << 4;  // MTLResourceOptions
inline constexpr uint64_t kStatusCompleted = 4, kStatusError = 5;        // MTLCommandBufferStatus
inline constexpr uint64_t kUsageReadWrite = 3;                           // MTLResourceUsage
inline constexpr int64_t kErrorOutOfMemory = 8;                          // MTLCommandBufferError
inline constexpr int64_t kFamilyApple7 = 1007, kFamilyMetal3 = 5001;     // MTLGPUFamily
inline constexpr int64_t kMathSafe = 0, kMathFast = 2;                   // MTLMathMode
inline constexpr uint64_t kFailOnArchiveMiss = 1 << 2;                   // MTLPipelineOption

class Api {
 public:
  static Result<Api> load();

#define X(name, result, parameters) result(*name) parameters = nullptr;
  QUERN_METAL_SYMBOLS(X)
#undef X
  void (*message_returning_struct)() = nullptr;  // x86_64
  Id (*copy_all_devices)() = nullptr;            // macOS
  Id (*create_default_device)() = nullptr;       // everywhere

  // Sends a message. A message to nil returns zero.
  template <typename To = void, typename... Arguments>
  To send(Id to, Sel selector, Arguments... arguments) const {
    auto entry = objc_msgSend;
#if defined(__x86_64__)
    if constexpr (std::is_class_v<To>) {
      if constexpr (sizeof(To) > 16) entry = message_returning_struct;
    }
#endif
    return reinterpret_cast<To (*)(Id, Selector, Arguments...)>(entry)(to, selector_of(selector),
                                                                       arguments...);
  }
  // A BOOL, which is a signed char on x86_64 and a bool elsewhere.
  template <typename... Arguments>
  bool ask(Id to, Sel selector, Arguments... arguments) const {
    return send<signed char>(to, selector, arguments...) != 0;
  }
  bool responds(Id to, Sel selector) const {
    return to != nullptr && ask(to, Sel::kRespondsToSelector, selector_of(selector));
  }

  Id string_of(const std::string& text) const;  // autoreleased
  std::string text_of(Id string) const;         // of an NSString; empty for nil
  // "the localized description (MTLLibraryErrorDomain 3)"; empty for nil.
  std::string error_text(Id error) const;
  // Release of macOS.
  SystemVersion system() const;

  std::string library;

 private:
  Selector selector_of(Sel s) const { return selectors_[static_cast<size_t>(s)]; }

  Selector selectors_[static_cast<size_t>(Sel::kLast)] = {};
};

// An autorelease pool: most messages return objects that belong to the pool of the calling thread. Every
// function of the driver interface that sends messages has one.
class Pool {
 public:
  explicit Pool(const Api& api) : api_(api), pool_(api.objc_autoreleasePoolPush()) {}
  ~Pool() { api_.objc_autoreleasePoolPop(pool_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  const Api& api_;
  void* pool_;
};

// Owns one reference to an object; null or a live object.
class Ref {
 public:
  Ref() = default;
  Ref(const Api& api, Id owned) : api_(&api), id_(owned) {}
  static Ref retain(const Api& api, Id id) { return {api, api.objc_retain(id)}; }
  Ref(const Ref& o) : api_(o.api_), id_(o.id_ != nullptr ? o.api_->objc_retain(o.id_) : nullptr) {}
  Ref(Ref&& o) noexcept : api_(o.api_), id_(std::exchange(o.id_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(api_, o.api_);
    std::swap(id_, o.id_);
    return *this;
  }
  ~Ref() {
    if (id_ != nullptr) api_->objc_release(id_);
  }
  Id get() const { return id_; }
  explicit operator bool() const { return id_ != nullptr; }

 private:
  const Api* api_ = nullptr;
  Id id_ = nullptr;
};

}  // namespace quern::metal
