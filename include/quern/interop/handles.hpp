/// @file
/// Native handles of other APIs as plain data: what interop.hpp takes and returns. No header of these APIs is
/// needed: the types are declared here under their own names, so that handles convert without casts
/// (`CUstream_st*` is `CUstream` and `cudaStream_t`, `VkBuffer_T*` is `VkBuffer`, `_cl_mem*` is `cl_mem`).
///
/// Every API has the same nouns: `Device`, `Buffer`, `Stream` and `Event`. A struct owns nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "quern/export.hpp"

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;
struct ihipCtx_t;
struct ihipEvent_t;
struct ihipStream_t;
struct VkBuffer_T;
struct VkDevice_T;
struct VkInstance_T;
struct VkPhysicalDevice_T;
struct VkQueue_T;
struct VkSemaphore_T;
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): as CL/cl.h declares them
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_event;
struct _cl_mem;
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace quern::interop {

/// The driver `cuda`.
namespace cuda {
/// A context. Quern uses the primary context of a device, as the CUDA runtime does.
struct Device {
  CUctx_st* context = nullptr;  ///< CUcontext. Null in open(): the primary context.
  int ordinal = 0;              ///< CUdevice.
};
/// Memory.
struct Buffer {
  std::uint64_t pointer = 0;  ///< CUdeviceptr.
};
/// A stream.
struct Stream {
  CUstream_st* stream = nullptr;  ///< CUstream or cudaStream_t. Null: the legacy default stream.
};
/// An event.
struct Event {
  CUevent_st* event = nullptr;  ///< CUevent or cudaEvent_t.
};
}  // namespace cuda

/// The driver `hip`.
namespace hip {
/// A context, as for CUDA.
struct Device {
  ihipCtx_t* context = nullptr;  ///< hipCtx_t. Null in open(): the primary context.
  int ordinal = 0;               ///< hipDevice_t.
};
/// Memory.
struct Buffer {
  std::uint64_t pointer = 0;  ///< hipDeviceptr_t as a number.
};
/// A stream.
struct Stream {
  ihipStream_t* stream = nullptr;  ///< hipStream_t. Null: the default stream.
};
/// An event.
struct Event {
  ihipEvent_t* event = nullptr;  ///< hipEvent_t.
};
}  // namespace hip

/// The driver `vulkan`.
namespace vulkan {
/// A logical device.
struct Device {
  VkInstance_T* instance = nullptr;               ///< VkInstance.
  VkPhysicalDevice_T* physical_device = nullptr;  ///< VkPhysicalDevice.
  VkDevice_T* device = nullptr;                   ///< VkDevice.
  std::uint32_t queue_family = 0;                 ///< Family of the queues that compute.
  VkQueue_T* queue = nullptr;                     ///< Only for open(): the queue that Quern submits to.
  std::mutex* mutex = nullptr;                    ///< Only for open(): as Stream::mutex.
  const void* create_info = nullptr;              ///< Only for open(): the `VkDeviceCreateInfo` of `device`.
};
/// Memory. A buffer to adopt needs the usages storage buffer, transfer source and transfer destination; on
/// devices with the feature "addresses" also shader device address, and memory that was allocated with
/// `VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT`.
struct Buffer {
  VkBuffer_T* buffer = nullptr;  ///< VkBuffer.
  std::uint64_t offset = 0;      ///< In bytes.
};
/// A queue.
struct Stream {
  VkQueue_T* queue = nullptr;      ///< VkQueue.
  std::uint32_t queue_family = 0;  ///< Its family.
  /// Vulkan requires that submissions to a queue do not overlap. Quern locks this mutex for each submission.
  /// Null: the program guarantees it otherwise.
  std::mutex* mutex = nullptr;
};
/// A point of a timeline semaphore.
struct Event {
  VkSemaphore_T* semaphore = nullptr;  ///< VkSemaphore of type timeline.
  std::uint64_t value = 0;             ///< The event is reached when the semaphore has at least this value.
};
}  // namespace vulkan

/// The driver `opencl`.
namespace opencl {
/// A context and one of its devices.
struct Device {
  _cl_context* context = nullptr;   ///< cl_context.
  _cl_device_id* device = nullptr;  ///< cl_device_id.
};
/// Memory: a buffer object, or a pointer on devices with shared virtual or unified shared memory.
struct Buffer {
  _cl_mem* mem = nullptr;  ///< cl_mem; null if `svm` is set.
  void* svm = nullptr;     ///< Pointer of clSVMAlloc or cl_intel_unified_shared_memory.
  std::size_t offset = 0;  ///< In bytes, with `mem`.
};
/// A command queue. It must execute in order.
struct Stream {
  _cl_command_queue* queue = nullptr;  ///< cl_command_queue.
};
/// An event.
struct Event {
  _cl_event* event = nullptr;  ///< cl_event.
};
}  // namespace opencl

/// The drivers `opengl` and `gles`.
namespace opengl {
/// A context of EGL.
struct Device {
  void* display = nullptr;  ///< EGLDisplay.
  void* context = nullptr;  ///< EGLContext.
  bool is_es = false;       ///< Whether it is a context of OpenGL ES.
  /// Whether it was created with `EGL_LOSE_CONTEXT_ON_RESET`. EGL requires the same of contexts that share
  /// objects. Not needed for open().
  bool loses_context_on_reset = false;
};
/// Memory: a buffer object of a context that shares objects with Quern's.
struct Buffer {
  std::uint32_t name = 0;    ///< As glGenBuffers returns it.
  std::uint64_t offset = 0;  ///< In bytes.
};
}  // namespace opengl

/// Memory of the host.
namespace host {
/// Memory.
struct Buffer {
  void* pointer = nullptr;  ///< In this process.
};
}  // namespace host

/// Keeps something alive: it is released when neither the program nor work in flight uses the adopted object
/// any more. That may happen on any thread. See on_release().
using KeepAlive = std::shared_ptr<const void>;

/// How memory is shared between processes.
enum class ShareKind {
  automatic,  ///< The first of the following that the device supports.
  memfd,      ///< A file descriptor of memfd_create. Driver `cpu`.
  vulkan_fd,  ///< A file descriptor of VK_KHR_external_memory_fd. Driver `vulkan`; `cuda` can import it.
  cuda_ipc,   ///< A handle of 64 bytes of cuIpcGetMemHandle. Drivers `cuda` and `hip`.
  cuda_fd,    ///< A file descriptor of cuMemExportToShareableHandle. Driver `cuda`.
};

/// Memory that another process can import: what export_memory() returns and import_memory() takes. Owns its
/// file descriptor. Move-only.
class QUERN_API SharedMemory {
 public:
  /// Everything but the file descriptor. May be sent to another process as bytes.
  struct Description {
    /// How the memory is shared.
    ShareKind kind = ShareKind::automatic;
    std::uint64_t bytes = 0;                 ///< Size of the buffer.
    std::uint64_t allocation_bytes = 0;      ///< Size of the memory that it is the beginning of.
    std::array<unsigned char, 64> ipc = {};  ///< With cuda_ipc.
  };

  /// No memory.
  SharedMemory() = default;
  /// Takes ownership of `descriptor`; -1: there is none.
  explicit SharedMemory(const Description& description, int descriptor = -1)
      : description_(description), descriptor_(descriptor) {}
  /// Takes over the file descriptor.
  SharedMemory(SharedMemory&& other) noexcept
      : description_(other.description_), descriptor_(std::exchange(other.descriptor_, -1)) {}
  /// Exchanges both.
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(description_, other.description_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~SharedMemory();  ///< Closes the file descriptor.
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Everything but the file descriptor.
  const Description& description() const { return description_; }
  int descriptor() const { return descriptor_; }            ///< -1: there is none.
  int release() { return std::exchange(descriptor_, -1); }  ///< Gives the descriptor to the caller.

 private:
  Description description_;
  int descriptor_ = -1;
};

namespace detail {
// Of any API; which one depends on the driver.
using AnyDevice =
    std::variant<std::monostate, cuda::Device, hip::Device, vulkan::Device, opencl::Device, opengl::Device>;
using AnyBuffer = std::variant<std::monostate, cuda::Buffer, hip::Buffer, vulkan::Buffer, opencl::Buffer,
                               opengl::Buffer, host::Buffer>;
using AnyStream = std::variant<std::monostate, cuda::Stream, hip::Stream, vulkan::Stream, opencl::Stream>;
using AnyEvent = std::variant<std::monostate, cuda::Event, hip::Event, vulkan::Event, opencl::Event>;
}  // namespace detail

}  // namespace quern::interop
