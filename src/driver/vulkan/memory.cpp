#include <algorithm>

#include "driver/vulkan/device.hpp"
#include "driver/vulkan/messages.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint32_t kSight = kMemoryHostVisible | kMemoryHostCoherent;
constexpr uint32_t kDirect = kSight | kMemoryHostCached;

// The memory type that has all required flags and the most preferred ones.
uint32_t best_type(const MemoryProperties& memory, uint32_t must, uint32_t requested, uint32_t rather_not) {
  uint32_t found = 0;
  int best_score = -1;
  for (uint32_t i = 0; i < memory.type_count; ++i) {
    const uint32_t flags = memory.types[i].flags;
    constexpr uint32_t kKnown = kMemoryDeviceLocal | kDirect;
    if ((flags & must) != must || (flags & ~kKnown) != 0) continue;  // protected, lazily allocated, …
    const int score = ((flags & requested) == requested ? 2 : 0) + ((flags & rather_not) == 0 ? 1 : 0);
    if (score <= best_score) continue;
    best_score = score;
    found = i;
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<Memory>> Device::make_chunk(uint64_t bytes, uint32_t type, bool is_mapped,
                                                   const Sharing& sharing) {
  auto made = std::make_unique<Memory>();
  const uint32_t families[] = {has_.family, has_.copy_family};
  const uint32_t usage = kBufferTransferSource | kBufferTransferTarget | kBufferUniform | kBufferStorage;
  const ExternalMemoryBufferCreateInfo external;
  BufferCreateInfo info{.next = sharing.is_shared ? &external : nullptr,
                        .bytes = bytes,
                        .usage = usage | (has_addresses() ? kBufferAddress : 0u)};
  if (has_.copies_apart && has_.copy_family != has_.family) {
    info.sharing = kSharingConcurrent;
    info.family_count = 2;
    info.families = families;
  }
  QUERN_TRY_ASSIGN(made->buffer, QUERN_VK_MAKE(Buffer, info));
  const BufferHandle buffer = made->buffer.get();
  MemoryRequirements needs{};
  api_.vkGetBufferMemoryRequirements(device_, buffer, &needs);
  if ((needs.types >> type & 1) == 0) return Error(ErrorKind::internal, message::kNoMemoryType());
  const ExportMemoryAllocateInfo exported;
  const ImportMemoryFdInfo imported{.descriptor = sharing.descriptor};
  const void* const shared = sharing.descriptor >= 0 ? static_cast<const void*>(&imported) : &exported;
  const MemoryDedicatedAllocateInfo dedicated{.next = shared, .buffer = buffer};
  const void* const chain = sharing.is_shared ? &dedicated : nullptr;
  const MemoryAllocateFlagsInfo flags{.next = chain, .flags = kAllocateAddress};
  const MemoryAllocateInfo memory{
      .next = has_addresses() ? &flags : chain, .bytes = needs.bytes, .memory_type = type};
  made->bytes = needs.bytes;
  QUERN_TRY_ASSIGN(made->memory, make("vkAllocateMemory", api_.vkAllocateMemory, api_.vkFreeMemory, memory));
  QUERN_VK(api_, vkBindBufferMemory(device_, buffer, made->memory.get(), 0));
  if (has_addresses()) {
    const BufferDeviceAddressInfo address{.buffer = buffer};
    made->address = api_.vkGetBufferDeviceAddress(device_, &address);
  }
  if (is_mapped) {
    void* host = nullptr;
    QUERN_VK(api_, vkMapMemory(device_, made->memory.get(), 0, needs.bytes, 0, &host));
    made->host = static_cast<std::byte*>(host);
  }
  return made;
}

// The host accesses device memory directly if all of it is host-visible and cached: on CPUs and integrated
// GPUs. Elsewhere, device memory is kept out of the small host-visible heap.
void Device::choose_memory() {
  const bool is_one = info_.kind == driver::DeviceKind::cpu || info_.kind == driver::DeviceKind::integrated;
  const auto pool = [&](uint32_t type, bool is_mapped) {
    const uint64_t most = std::min({has_.maintenance.allocation_bytes, has_.maintenance4.buffer_bytes,
                                    has_.memory.heaps[has_.memory.types[type].heap].bytes});
    return std::make_unique<driver::Chunks>(
        most, [this, type, is_mapped](uint64_t bytes) -> Result<std::unique_ptr<driver::Chunk>> {
          QUERN_TRY_ASSIGN(auto made, make_chunk(bytes, type, is_mapped));
          return std::unique_ptr<driver::Chunk>(std::move(made));
        });
  };
  const uint32_t own = is_one ? best_type(has_.memory, kMemoryDeviceLocal, kDirect, 0)
                              : best_type(has_.memory, kMemoryDeviceLocal, 0, kMemoryHostVisible);
  is_direct_ = is_one && (has_.memory.types[own].flags & kDirect) == kDirect;
  device_type_ = own;
  device_pool_ = pool(own, is_direct_);
  host_pool_ = pool(best_type(has_.memory, kSight, kMemoryHostCached, kMemoryDeviceLocal), true);
  host_looks_ = is_direct_;
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  QUERN_TRY(alive());
  driver::Chunks& pool = kind == driver::MemoryKind::device || is_direct_ ? *device_pool_ : *host_pool_;
  auto buffer = std::make_unique<Buffer>();
  QUERN_TRY_ASSIGN(buffer->piece, pool.take_owned(bytes));
  buffer->bytes = bytes;
  buffer->kind = kind;
  buffer->address = buffer->piece.get().address();
  buffer->host_view = buffer->piece.get().host();
  if (kind != driver::MemoryKind::device) {
    buffer->host = buffer->piece.get().host();
    host_looks_ = true;
  }
  return buffer;
}

}  // namespace quern::vulkan
