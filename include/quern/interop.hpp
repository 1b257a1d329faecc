/// @file
/// Interoperability with other APIs: native handles out and in, memory and streams of other libraries, memory
/// shared between processes. Not included by quern.hpp.
///
/// @code
/// namespace interop = quern::interop;
/// CUstream stream = interop::get<interop::cuda::Stream>(gpu.stream()).stream;         // a handle out
/// auto tensor = interop::adopt<float>(gpu, interop::cuda::Buffer{pointer}, count);    // memory in
/// auto queue = interop::adopt(gpu, interop::cuda::Stream{other});                     // a stream in
/// @endcode
///
/// A handle names its API by its type (interop/handles.hpp). A request that a driver cannot meet throws Error
/// with kind `unsupported`; a handle of another API than the device's, or of another device, throws
/// `invalid_use`. Handles of a Session's device are not available: the device may be replaced. All functions
/// are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "quern/access.hpp"
#include "quern/device.hpp"
#include "quern/interop/handles.hpp"
#include "quern/interop/shared_range.hpp"

namespace quern::interop {

namespace detail {

template <typename Handle, typename Any>
inline constexpr bool kIsOne = false;
template <typename Handle, typename... Each>
inline constexpr bool kIsOne<Handle, std::variant<Each...>> = (std::is_same_v<Handle, Each> || ...) &&
                                                              !std::is_same_v<Handle, std::monostate>;

QUERN_API AnyDevice native(const quern::Device& device);
QUERN_API AnyBuffer native(const quern::detail::Bytes& bytes, bool wants_host);
QUERN_API AnyStream native(const quern::Stream& stream);
QUERN_API AnyEvent native(const quern::Event& event);
[[noreturn]] QUERN_API void refuse_api(std::size_t index);

template <typename Handle, typename Any>
Handle pick(const Any& any) {
  if (const Handle* const found = std::get_if<Handle>(&any)) return *found;
  refuse_api(any.index());
}

using Owned = std::pair<quern::detail::OwnedMemory, quern::detail::Bytes>;
QUERN_API Owned adopt_bytes(const quern::Device& device, const AnyBuffer& handle, std::uint64_t count,
                            std::size_t element, KeepAlive keep_alive, std::string_view label);
QUERN_API quern::Stream adopt_stream(const quern::Device& device, const AnyStream& handle,
                                     KeepAlive keep_alive);
QUERN_API void wait_for(const quern::Stream& stream, const AnyEvent& event);
QUERN_API quern::Device open_native(const AnyDevice& handle, KeepAlive keep_alive);
QUERN_API Owned allocate_shared_bytes(const quern::Device& device, std::uint64_t count, std::size_t element,
                                      ShareKind kind, std::string_view label);
QUERN_API SharedMemory export_bytes(const quern::detail::Bytes& bytes);
QUERN_API Owned import_bytes(const quern::Device& device, const SharedMemory& memory, std::size_t element,
                             std::string_view label);
QUERN_API SharedRange share_bytes(const quern::detail::Bytes& bytes);
QUERN_API std::uint64_t address_of(const quern::detail::Bytes& bytes);

// A typed buffer.
template <typename T>
quern::Buffer<T> buffer(Owned owned) {
  return quern::detail::Access::buffer<T>(std::move(owned.first), owned.second);
}

}  // namespace detail

template <typename Handle>
concept DeviceHandle = detail::kIsOne<Handle, detail::AnyDevice>;
template <typename Handle>
concept BufferHandle = detail::kIsOne<Handle, detail::AnyBuffer>;
template <typename Handle>
concept StreamHandle = detail::kIsOne<Handle, detail::AnyStream>;
template <typename Handle>
concept EventHandle = detail::kIsOne<Handle, detail::AnyEvent>;

/// The address of the slice's first element in kernels. Valid as long as the buffer. Throws `unsupported` on
/// devices without the feature "addresses".
template <typename T>
std::uint64_t device_address(const Slice<T>& slice) {
  return detail::address_of(slice.bytes());
}

/// @name Handles out
/// The handle stays Quern's: do not destroy it. It is valid as long as the object. Work of other libraries on
/// the same memory must be ordered against Quern's, by events or by one common stream.
/// @{

/// The native device or context.
template <DeviceHandle Handle>
Handle get(const Device& device) {
  return detail::pick<Handle>(detail::native(device));
}
/// `get<host::Buffer>` throws `unsupported` where Slice::host() is empty.
template <BufferHandle Handle, typename T>
Handle get(const Slice<T>& slice) {
  return detail::pick<Handle>(detail::native(slice.bytes(), std::is_same_v<Handle, host::Buffer>));
}
/// The native stream or queue. On `cuda` and `hip`, the device's context becomes current on this thread, as
/// other libraries require it.
template <StreamHandle Handle>
Handle get(const Stream& stream) {
  return detail::pick<Handle>(detail::native(stream));
}
/// The event must have been recorded. An event of Vulkan is a point of the stream's timeline semaphore.
template <EventHandle Handle>
Handle get(const Event& event) {
  return detail::pick<Handle>(detail::native(event));
}
/// @}

/// A KeepAlive that calls `function` when it is released.
template <typename F>
KeepAlive on_release(F function) {
  return KeepAlive(static_cast<const void*>(""),
                   [function = std::move(function)](const void*) mutable { function(); });
}

/// Makes a buffer of `count` elements from memory that another library allocated.
///
/// The memory stays the other library's: destroying the buffer does not free it. `keep_alive` is released
/// when neither the buffer nor work in flight uses the memory any more; without one, keep the memory until
/// the device has completed all work that uses it. The memory does not count towards MemoryLimit, and
/// `label` appears in error messages.
template <::quern::detail::Plain T, BufferHandle Handle>
Buffer<T> adopt(const Device& device, const Handle& handle, std::size_t count,
                const KeepAlive& keep_alive = {}, std::string_view label = {}) {
  return detail::buffer<T>(detail::adopt_bytes(device, handle, count, sizeof(T), keep_alive, label));
}

/// Makes a stream from a stream or queue of another library. Work that Quern submits to it runs in order with
/// the other library's. Destroying the stream waits for all work on it, including the other library's, and
/// does not destroy the native stream. Keep the returned stream while you use the native one.
template <StreamHandle Handle>
Stream adopt(const Device& device, const Handle& handle, const KeepAlive& keep_alive = {}) {
  return detail::adopt_stream(device, handle, keep_alive);
}

/// Makes later work of `stream` wait for an event of another library. Does not block. The event must stay
/// valid until the stream has passed it.
template <EventHandle Handle>
void wait(const Stream& stream, const Handle& event) {
  detail::wait_for(stream, event);
}

/// Opens a device on a native device or context that another library created. It stays the other library's;
/// `keep_alive` is released when the device is closed.
template <DeviceHandle Handle>
Device open(const Handle& handle, const KeepAlive& keep_alive = {}) {
  return detail::open_native(handle, keep_alive);
}

/// @name Memory shared between processes
/// @{

/// Allocates a buffer that can be exported. Its contents are undefined.
template <::quern::detail::Plain T>
Buffer<T> allocate_shared(const Device& device, std::size_t count, ShareKind kind = ShareKind::automatic,
                          std::string_view label = {}) {
  return detail::buffer<T>(detail::allocate_shared_bytes(device, count, sizeof(T), kind, label));
}
/// Exports a buffer of allocate_shared(). The memory lives as long as a process uses it, except with
/// `cuda_ipc`: there the exporting buffer must outlive the imported ones.
template <typename T>
SharedMemory export_memory(const Buffer<T>& buffer) {
  return detail::export_bytes(buffer.bytes());
}
/// Makes a buffer of memory that another process exported, on the same hardware and driver. Both buffers have
/// the same memory; the processes synchronize by other means. Throws `bad_input` if the size is not a
/// multiple of `sizeof(T)`. Thread-safe; `memory` may be imported several times.
template <::quern::detail::Plain T>
Buffer<T> import_memory(const Device& device, const SharedMemory& memory, std::string_view label = {}) {
  return detail::buffer<T>(detail::import_bytes(device, memory, sizeof(T), label));
}
/// The allocation that contains a slice of memory that was allocated in any way, for another process of the
/// same user. It may contain other buffers of this process too. Throws `unsupported` if the driver cannot
/// share it: `cuda` and `hip` share device memory up to 16 MiB per buffer, and more only if it comes from
/// allocate_shared(). Thread-safe.
template <typename T>
SharedRange share(const Slice<T>& slice) {
  return detail::share_bytes(slice.bytes());
}
/// Sends shared memory over a connected Unix-domain socket (with its file descriptor) and receives it there.
/// They block, and throw `io` on errors of the socket.
QUERN_API void send(int socket, const SharedMemory& memory);
/// Receives shared memory that send() sent.
QUERN_API SharedMemory receive(int socket);
/// @}

}  // namespace quern::interop
