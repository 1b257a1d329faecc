// Native handles out and in, and memory shared between processes: by CUDA IPC, by file descriptors of memory
// that is mapped by hand, and memory of Vulkan.
#include "driver/interface/interop.hpp"

#include <cstring>

#include <fcntl.h>

#include "base/round_up.hpp"
#include "base/text.hpp"
#include "driver/cuda/device.hpp"
#include "driver/cuda/messages.hpp"

namespace quern::cuda {

namespace {

using base::Error;
using base::ErrorKind;
using driver::ShareKind;

constexpr int kPosixDescriptor = 1;      // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr uint32_t kLazyPeerAccess = 1;  // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
constexpr uint64_t kIpcBlock = 2 << 20;  // the driver shares whole blocks of this size

Stream& as_stream(driver::Stream& stream) { return static_cast<Stream&>(stream); }

std::string supported_kinds(const Api& api) {
  std::vector<std::string_view> kinds;
  if (api.has_ipc()) kinds.emplace_back("cuda_ipc");
  if (api.has_physical_memory()) kinds.emplace_back("cuda_fd");
  if (api.has_external_memory()) kinds.emplace_back("vulkan_fd (import)");
  return kinds.empty() ? "none" : base::join(kinds, ", ");
}

}  // namespace

Result<driver::AnyDevice> Device::native_device() {
  if (api_->vendor->is_cuda())
    return driver::AnyDevice(interop::cuda::Device{reinterpret_cast<CUctx_st*>(context_), id_});
  return driver::AnyDevice(interop::hip::Device{reinterpret_cast<ihipCtx_t*>(context_), id_});
}

Result<driver::AnyBuffer> Device::native_buffer(driver::Place place) {
  const Address address = place.buffer->address + place.offset;
  if (api_->vendor->is_cuda()) return driver::AnyBuffer(interop::cuda::Buffer{address});
  return driver::AnyBuffer(interop::hip::Buffer{address});
}

// Other libraries submit work to the stream of the calling thread's context.
Result<driver::AnyStream> Device::native_stream(driver::Stream& stream) {
  QUERN_TRY(use());
  const StreamId id = as_stream(stream).id;
  if (api_->vendor->is_cuda())
    return driver::AnyStream(interop::cuda::Stream{reinterpret_cast<CUstream_st*>(id)});
  return driver::AnyStream(interop::hip::Stream{reinterpret_cast<ihipStream_t*>(id)});
}

Result<driver::AnyEvent> Device::native_event(driver::Event& event) {
  const EventId id = static_cast<Event&>(event).id;
  if (api_->vendor->is_cuda())
    return driver::AnyEvent(interop::cuda::Event{reinterpret_cast<CUevent_st*>(id)});
  return driver::AnyEvent(interop::hip::Event{reinterpret_cast<ihipEvent_t*>(id)});
}

Result<std::unique_ptr<driver::Buffer>> Device::adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY(use());
  Address address = 0;
  if (const auto* const host = std::get_if<interop::host::Buffer>(&handle)) {
    QUERN_TRY_ASSIGN(auto lent, import_host_memory(static_cast<std::byte*>(host->pointer), bytes));
    lent->kind = driver::MemoryKind::mapped;
    static_cast<Buffer&>(*lent).keep_alive = std::move(keep_alive);
    return lent;
  }
  const auto* const cuda = std::get_if<interop::cuda::Buffer>(&handle);
  const auto* const hip = std::get_if<interop::hip::Buffer>(&handle);
  if (cuda != nullptr && api_->vendor->is_cuda()) address = cuda->pointer;
  if (hip != nullptr && !api_->vendor->is_cuda()) address = hip->pointer;
  if (address == 0 && (api_->vendor->is_cuda() ? cuda == nullptr : hip == nullptr))
    return driver::wrong_api("adopting memory", api_->vendor->driver);
  int type = 0, ordinal = id_;
  if (address == 0 || api_->pointer_attribute(&type, kPointerMemoryType, address) != 0)
    return Error(ErrorKind::invalid_use, message::kAdoptUnknownAddress(base::format(
                                             "0x%llx", static_cast<unsigned long long>(address))));
  const bool is_host = type == kMemoryTypeHost;
  if (!is_host && api_->pointer_attribute(&ordinal, kPointerOrdinal, address) == 0 && ordinal != id_)
    return Error(ErrorKind::invalid_use,
                 message::kAdoptOtherDevice(std::to_string(ordinal), std::to_string(id_)));
  auto buffer = std::make_unique<Buffer>(*this);
  buffer->address = address;
  buffer->bytes = bytes;
  buffer->keep_alive = std::move(keep_alive);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<std::unique_ptr<driver::Stream>> Device::adopt_stream(const driver::AnyStream& handle,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY(use());
  const auto* const cuda = std::get_if<interop::cuda::Stream>(&handle);
  const auto* const hip = std::get_if<interop::hip::Stream>(&handle);
  const bool is_cuda = api_->vendor->is_cuda();
  if (is_cuda ? cuda == nullptr : hip == nullptr)
    return driver::wrong_api("adopting a stream", api_->vendor->driver);
  auto stream = std::make_unique<Stream>(*this);
  stream->is_adopted = true;
  stream->id = is_cuda ? reinterpret_cast<StreamId>(cuda->stream) : reinterpret_cast<StreamId>(hip->stream);
  const int32_t code = api_->stream_query(stream->id);
  if (code != kSuccess && code != kNotReady) return fail("stream_query", code);
  stream->keep_alive = std::move(keep_alive);
  return std::unique_ptr<driver::Stream>(std::move(stream));
}

Result<> Device::wait_native(driver::Stream& stream, const driver::AnyEvent& event) {
  QUERN_TRY(use());
  const auto* const cuda = std::get_if<interop::cuda::Event>(&event);
  const auto* const hip = std::get_if<interop::hip::Event>(&event);
  const bool is_cuda = api_->vendor->is_cuda();
  if (is_cuda ? cuda == nullptr : hip == nullptr)
    return driver::wrong_api("waiting for a native event", api_->vendor->driver);
  const auto id = is_cuda ? reinterpret_cast<EventId>(cuda->event) : reinterpret_cast<EventId>(hip->event);
  QUERN_DO(&as_stream(stream), stream_wait(as_stream(stream).id, id, 0));
  return {};
}

// Physical memory, which exists, at an address of this process.
Result<> Device::map_physical(Buffer& buffer) {
  const uint64_t bytes = buffer.shared.allocation_bytes;
  Address address = 0;
  QUERN_DO(nullptr, range_reserve(&address, bytes, 0, 0, 0));
  int32_t code = api_->range_map(address, bytes, 0, buffer.physical, 0);
  if (code != 0) {
    (void)api_->range_free(address, bytes);
    return fail("range_map", code);
  }
  buffer.address = address;
  PoolAccess access;
  access.device = id_;
  QUERN_DO(nullptr, range_allow(address, bytes, &access, 1));
  return {};
}

void Device::release_shared(Buffer& buffer) const {
  const uint64_t bytes = buffer.shared.allocation_bytes;
  if (buffer.shared.kind == ShareKind::cuda_ipc) (void)api_->ipc_close(buffer.address);
  if (buffer.shared.kind == ShareKind::cuda_fd) {
    if (buffer.address != 0) {
      (void)api_->range_unmap(buffer.address, bytes);
      (void)api_->range_free(buffer.address, bytes);
    }
    (void)api_->physical_release(buffer.physical);
  }
  if (buffer.external != nullptr) {
    if (buffer.address != 0) (void)api_->free(buffer.address);
    (void)api_->external_destroy(buffer.external);
  }
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate_shared(uint64_t bytes, ShareKind kind) {
  QUERN_TRY(use());
  auto buffer = std::make_unique<Buffer>(*this);
  buffer->bytes = buffer->shared.bytes = bytes;
  if ((kind == ShareKind::automatic || kind == ShareKind::cuda_ipc) && api_->has_ipc()) {
    buffer->shared.kind = ShareKind::cuda_ipc;
    buffer->shared.allocation_bytes = base::round_up(bytes, kIpcBlock);
    QUERN_DO(nullptr, allocate(&buffer->address, buffer->shared.allocation_bytes));
    buffer->owner = Buffer::Owner::kDevice;
    return std::unique_ptr<driver::Buffer>(std::move(buffer));
  }
  if ((kind != ShareKind::automatic && kind != ShareKind::cuda_fd) || !api_->has_physical_memory())
    return driver::wrong_share_kind(kind, supported_kinds(*api_));
  PhysicalProperties properties;
  properties.device = id_;
  size_t granularity = 0;
  QUERN_DO(nullptr, physical_granularity(&granularity, &properties, 0));
  buffer->shared.kind = ShareKind::cuda_fd;
  buffer->shared.allocation_bytes = base::round_up(bytes, granularity);
  QUERN_DO(nullptr, physical_create(&buffer->physical, buffer->shared.allocation_bytes, &properties, 0));
  buffer->owner = Buffer::Owner::kShared;
  QUERN_TRY(map_physical(*buffer));
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<driver::SharedMemory> Device::export_memory(driver::Buffer& buffer) {
  QUERN_TRY(use());
  const auto& own = static_cast<const Buffer&>(buffer);
  driver::SharedMemory::Description about = own.shared;
  if (about.kind == ShareKind::cuda_ipc && own.owner == Buffer::Owner::kDevice) {
    IpcHandle handle;
    QUERN_DO(nullptr, ipc_get(&handle, own.address));
    static_assert(sizeof handle.bytes == sizeof about.ipc);
    std::memcpy(about.ipc.data(), handle.bytes, sizeof handle.bytes);
    return driver::SharedMemory(about);
  }
  if (about.kind != ShareKind::cuda_fd) return Interop::export_memory(buffer);
  int descriptor = -1;
  QUERN_DO(nullptr, physical_export(&descriptor, own.physical, kPosixDescriptor, 0));
  return driver::SharedMemory(about, descriptor);
}

// The import takes the descriptor, so it gets a copy.
Result<> Device::import_external(Buffer& buffer, const driver::SharedMemory& memory) {
  driver::SharedMemory copy({}, ::fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 0));
  ExternalMemory external;
  external.descriptor = copy.descriptor();
  external.bytes = buffer.shared.allocation_bytes;
  QUERN_DO(nullptr, external_import(&buffer.external, &external));
  (void)copy.release();  // NOLINT(bugprone-unused-return-value)
  buffer.owner = Buffer::Owner::kShared;
  ExternalRange range;
  range.bytes = buffer.bytes;
  QUERN_DO(nullptr, external_map(&buffer.address, buffer.external, &range));
  return {};
}

Result<std::unique_ptr<driver::Buffer>> Device::import_memory(const driver::SharedMemory& memory) {
  QUERN_TRY(use());
  const auto& about = memory.description();
  auto buffer = std::make_unique<Buffer>(*this);
  buffer->shared = about;
  buffer->bytes = about.bytes;
  if (about.kind == ShareKind::cuda_ipc && api_->has_ipc()) {
    IpcHandle handle;
    std::memcpy(handle.bytes, about.ipc.data(), sizeof handle.bytes);
    QUERN_DO(nullptr, ipc_open(&buffer->address, handle, kLazyPeerAccess));
    buffer->owner = Buffer::Owner::kShared;
  } else if (about.kind == ShareKind::cuda_fd && api_->has_physical_memory()) {
    void* const descriptor = reinterpret_cast<void*>(
        static_cast<intptr_t>(memory.descriptor()));  // NOLINT(performance-no-int-to-ptr)
    QUERN_DO(nullptr, physical_import(&buffer->physical, descriptor, kPosixDescriptor));
    buffer->owner = Buffer::Owner::kShared;
    QUERN_TRY(map_physical(*buffer));
  } else if (about.kind == ShareKind::vulkan_fd && api_->has_external_memory()) {
    QUERN_TRY(import_external(*buffer, memory));
  } else {
    return driver::wrong_share_kind(about.kind, supported_kinds(*api_));
  }
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

}  // namespace quern::cuda
