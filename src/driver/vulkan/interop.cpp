// Native handles out and in, and memory shared between processes.
#include "driver/interface/interop.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"
#include "driver/vulkan/device.hpp"
#include "driver/vulkan/messages.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;
using driver::ShareKind;

namespace {

// Handles that are pointers in Vulkan's header are numbers here.
template <typename Pointer, typename Handle>
Pointer as_pointer(Handle handle) {
  return reinterpret_cast<Pointer>(static_cast<uint64_t>(handle));  // NOLINT(performance-no-int-to-ptr)
}
template <typename Handle, typename Pointer>
Handle as_number(Pointer* pointer) {
  return static_cast<Handle>(reinterpret_cast<uint64_t>(pointer));
}

}  // namespace

Result<driver::AnyDevice> Device::native_device() {
  interop::vulkan::Device out;
  out.instance = reinterpret_cast<VkInstance_T*>(instance_->instance);
  out.physical_device = reinterpret_cast<VkPhysicalDevice_T*>(physical_);
  out.device = reinterpret_cast<VkDevice_T*>(device_);
  out.queue_family = has_.family;
  return driver::AnyDevice(out);
}

Result<driver::AnyBuffer> Device::native_buffer(driver::Place place) {
  const Piece& piece = piece_of(place);
  return driver::AnyBuffer(
      interop::vulkan::Buffer{as_pointer<VkBuffer_T*>(handle_of(piece)), piece.offset + place.offset});
}

Result<driver::AnyStream> Device::native_stream(driver::Stream& stream) {
  const NativeQueue& native = *as_stream(stream).work.native;
  return driver::AnyStream(
      interop::vulkan::Stream{reinterpret_cast<VkQueue_T*>(native.handle), has_.family, native.mutex});
}

Result<driver::AnyEvent> Device::native_event(driver::Event& event) {
  const auto mark = mark_of(event);
  if (mark == nullptr) return Error(ErrorKind::invalid_use, message::kEventNotRecorded());
  const Point& point = static_cast<const Mark&>(*mark).point;
  return driver::AnyEvent(
      interop::vulkan::Event{as_pointer<VkSemaphore_T*>(point.timeline->semaphore.get()), point.value});
}

std::unique_ptr<Buffer> Device::outside_buffer(std::unique_ptr<Memory> memory, uint64_t offset,
                                               uint64_t bytes) {
  auto buffer = std::make_unique<Buffer>();
  buffer->piece = OwnedPiece({memory.get(), offset, bytes}, {});
  buffer->outside = std::move(memory);
  buffer->bytes = bytes;
  buffer->address = buffer->piece.get().address();
  buffer->host_view = buffer->piece.get().host();
  return buffer;
}

Result<std::unique_ptr<driver::Buffer>> Device::adopt_buffer(const driver::AnyBuffer& handle, uint64_t bytes,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY(alive());
  const auto* const native = std::get_if<interop::vulkan::Buffer>(&handle);
  if (native == nullptr) return driver::wrong_api("adopting memory", "vulkan");
  if (native->buffer == nullptr) return Error(ErrorKind::invalid_use, message::kAdoptNullBuffer());
  const uint64_t alignment = has_addresses() ? 16 : has_.properties.limits.storage_alignment;
  if (native->offset % alignment != 0)
    return Error(ErrorKind::invalid_use, message::kAdoptAlignment(std::to_string(native->offset), info_.name,
                                                                  std::to_string(alignment)));
  auto memory = std::make_unique<Memory>();
  const auto own = as_number<BufferHandle>(native->buffer);
  MemoryRequirements needs{};
  api_.vkGetBufferMemoryRequirements(device_, own, &needs);
  if (native->offset > needs.bytes || bytes > needs.bytes - native->offset)
    return Error(ErrorKind::invalid_use,
                 message::kAdoptRange(std::to_string(bytes), std::to_string(native->offset),
                                      std::to_string(needs.bytes)));
  memory->buffer = Owned<BufferHandle>(own, {});
  if (has_addresses()) {
    const BufferDeviceAddressInfo address{.buffer = own};
    memory->address = api_.vkGetBufferDeviceAddress(device_, &address);
  }
  auto buffer = outside_buffer(std::move(memory), native->offset, bytes);
  buffer->keep_alive = std::move(keep_alive);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

Result<std::unique_ptr<driver::Stream>> Device::adopt_stream(const driver::AnyStream& handle,
                                                             driver::KeepAlive keep_alive) {
  QUERN_TRY(alive());
  const auto* const native = std::get_if<interop::vulkan::Stream>(&handle);
  if (native == nullptr) return driver::wrong_api("adopting a stream", "vulkan");
  if (native->queue == nullptr) return Error(ErrorKind::invalid_use, message::kAdoptNullQueue());
  if (native->queue_family != has_.family)
    return Error(ErrorKind::unsupported,
                 message::kAdoptFamily(std::to_string(native->queue_family), std::to_string(has_.family)));
  auto stream = std::make_unique<Stream>();
  const auto own = reinterpret_cast<QueueHandle>(native->queue);
  NativeQueue* found = nullptr;
  for (NativeQueue& q : queues_) {
    if (q.handle == own) found = &q;
  }
  if (found == nullptr) {
    stream->adopted = std::make_unique<NativeQueue>();
    found = stream->adopted.get();
    found->handle = own;
    if (native->mutex != nullptr) found->mutex = native->mutex;
  }
  QUERN_TRY_ASSIGN(stream->timeline, take_timeline());
  stream->last = stream->timeline->known();
  QUERN_TRY(make_lane(stream->work, *found, has_.family));
  stream->keep_alive = std::move(keep_alive);
  return std::unique_ptr<driver::Stream>(std::move(stream));
}

Result<> Device::wait_native(driver::Stream& stream, const driver::AnyEvent& event) {
  QUERN_TRY(alive());
  const auto* const native = std::get_if<interop::vulkan::Event>(&event);
  if (native == nullptr) return driver::wrong_api("waiting for a native event", "vulkan");
  const auto semaphore = as_number<Semaphore>(native->semaphore);
  auto timeline = std::make_shared<Timeline>(api_, device_, Owned<Semaphore>(semaphore, {}));
  as_stream(stream).waits.push_back({std::move(timeline), native->value});
  return {};
}

Result<std::unique_ptr<driver::Buffer>> Device::make_shared_buffer(uint64_t bytes, const Sharing& sharing) {
  QUERN_TRY(alive());
  if (api_.vkGetMemoryFd == nullptr)
    return Error(ErrorKind::unsupported, message::kShareUnsupported(info_.name));
  QUERN_TRY_ASSIGN(auto memory, make_chunk(bytes, device_type_, is_direct_, sharing));
  return std::unique_ptr<driver::Buffer>(outside_buffer(std::move(memory), 0, bytes));
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate_shared(uint64_t bytes, ShareKind kind) {
  if (kind != ShareKind::automatic && kind != ShareKind::vulkan_fd)
    return driver::wrong_share_kind(kind, "vulkan_fd");
  return make_shared_buffer(bytes, {true, -1});
}

Result<driver::SharedMemory> Device::export_memory(driver::Buffer& buffer) {
  const auto& own = static_cast<const Buffer&>(buffer);
  if (own.outside == nullptr || own.outside->memory.get() == DeviceMemory{})
    return Interop::export_memory(buffer);
  const MemoryGetFdInfo info{.memory = own.outside->memory.get()};
  int32_t descriptor = -1;
  QUERN_VK(api_, vkGetMemoryFd(device_, &info, &descriptor));
  driver::SharedMemory::Description about;
  about.kind = ShareKind::vulkan_fd;
  about.bytes = buffer.bytes;
  about.allocation_bytes = own.outside->bytes;
  return driver::SharedMemory(about, descriptor);
}

// The import takes the descriptor, so it gets a copy.
Result<std::unique_ptr<driver::Buffer>> Device::import_memory(const driver::SharedMemory& memory) {
  const auto& about = memory.description();
  if (about.kind != ShareKind::vulkan_fd) return driver::wrong_share_kind(about.kind, "vulkan_fd");
  driver::SharedMemory copy(about, ::fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 0));
  if (copy.descriptor() < 0) return Error(ErrorKind::bad_input, message::kImportDescriptor());
  QUERN_TRY_ASSIGN(auto buffer, make_shared_buffer(about.bytes, {true, copy.descriptor()}));
  (void)copy.release();  // NOLINT(bugprone-unused-return-value)
  return buffer;
}

Result<std::unique_ptr<driver::Device>> Device::open_native(std::shared_ptr<InstanceApi> instance,
                                                            Abilities abilities, driver::DeviceInfo info,
                                                            const interop::vulkan::Device& handle,
                                                            driver::KeepAlive keep_alive) {
  const auto physical = reinterpret_cast<PhysicalDevice>(handle.physical_device);
  if (!abilities.has(kTimeline, 0)) return Error(ErrorKind::unsupported, message::kOpenWithoutTimeline());
  uint32_t count = 0;
  instance->vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<QueueFamilyProperties> families(count);
  instance->vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  if (handle.queue_family >= count || (families[handle.queue_family].flags & kQueueCompute) == 0)
    return Error(ErrorKind::invalid_use, message::kOpenFamily(std::to_string(handle.queue_family)));
  abilities.family = handle.queue_family;
  abilities.queues = 1;
  abilities.copies_apart = false;
  abilities.timestamp_bits = families[handle.queue_family].timestamp_bits;
  std::unique_ptr<Device> device(new Device(std::move(instance), std::move(abilities), std::move(info)));
  device->is_foreign_ = true;
  device->keep_alive_ = std::move(keep_alive);
  device->physical_ = physical;
  device->device_ = reinterpret_cast<DeviceHandle>(handle.device);
  QUERN_TRY(device->load_functions());
  NativeQueue& stream = device->queues_.emplace_back();
  stream.handle = reinterpret_cast<QueueHandle>(handle.queue);
  if (handle.mutex != nullptr) stream.mutex = handle.mutex;
  QUERN_TRY(device->start());
  return std::unique_ptr<driver::Device>(std::move(device));
}

}  // namespace quern::vulkan
