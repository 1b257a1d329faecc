#include "driver/vulkan/memory.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/vulkan/device.hpp"

namespace quern::vulkan {

using base::Error;
using base::ErrorKind;

namespace {

constexpr uint64_t kAlignment = 256;  // of new memory: what cudaMalloc promises, and enough for descriptors
constexpr uint64_t kChunkBytes = 64 << 20;

uint64_t align_up(uint64_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void Pool::use(uint32_t memory_type, uint64_t most_bytes, bool has_addresses, bool is_mapped) {
  type_ = memory_type;
  most_bytes_ = most_bytes;
  has_addresses_ = has_addresses;
  is_mapped_ = is_mapped;
}

Pool::~Pool() {
  for (const auto& chunk : chunks_) release(*chunk);
}

void Pool::release(Chunk& chunk) {
  if (chunk.buffer != BufferHandle{}) api_.vkDestroyBuffer(device_, chunk.buffer, nullptr);
  if (chunk.memory != DeviceMemory{}) api_.vkFreeMemory(device_, chunk.memory, nullptr);
}

Result<> Pool::fill_in(Chunk& chunk) {
  BufferCreateInfo info;
  info.bytes = chunk.bytes;
  info.usage = kBufferTransferSource | kBufferTransferTarget | kBufferUniform | kBufferStorage |
               (has_addresses_ ? kBufferAddress : 0u);
  QUERN_VK(api_, vkCreateBuffer(device_, &info, nullptr, &chunk.buffer));
  MemoryRequirements needs{};
  api_.vkGetBufferMemoryRequirements(device_, chunk.buffer, &needs);
  if ((needs.types >> type_ & 1) == 0)
    return Error(ErrorKind::kInternal, "Vulkan refuses its own memory for storage buffers");
  MemoryAllocateFlagsInfo flags;
  flags.flags = kAllocateAddress;
  MemoryAllocateInfo memory;
  memory.next = has_addresses_ ? &flags : nullptr;
  memory.bytes = needs.bytes;
  memory.memory_type = type_;
  QUERN_VK(api_, vkAllocateMemory(device_, &memory, nullptr, &chunk.memory));
  QUERN_VK(api_, vkBindBufferMemory(device_, chunk.buffer, chunk.memory, 0));
  if (has_addresses_) {
    BufferDeviceAddressInfo address;
    address.buffer = chunk.buffer;
    chunk.address = api_.vkGetBufferDeviceAddress(device_, &address);
  }
  if (!is_mapped_) return {};
  void* host = nullptr;
  QUERN_VK(api_, vkMapMemory(device_, chunk.memory, 0, needs.bytes, 0, &host));
  chunk.host = static_cast<std::byte*>(host);
  return {};
}

Result<Chunk*> Pool::grow(uint64_t bytes) {
  // What takes half of a chunk gets one of its own, which goes when it is given back.
  const uint64_t usual = std::min(kChunkBytes, std::max(align_up(most_bytes_ / 32), kAlignment));
  if (bytes > most_bytes_)
    return Error(ErrorKind::kOutOfMemory, base::format_bytes(bytes) +
                                              " are asked for, and the device allows " +
                                              base::format_bytes(most_bytes_));
  auto chunk = std::make_unique<Chunk>();
  chunk->bytes = bytes > usual / 2 ? bytes : usual;
  if (auto made = fill_in(*chunk); !made.ok()) {
    release(*chunk);
    return std::move(made).error().add_context("allocating " + base::format_bytes(chunk->bytes));
  }
  chunk->holes.emplace(0, chunk->bytes);
  chunks_.push_back(std::move(chunk));
  return chunks_.back().get();
}

Result<Piece> Pool::take(uint64_t bytes) {
  const uint64_t size = align_up(std::max<uint64_t>(bytes, 1));
  const std::lock_guard lock(mutex_);
  const auto cut = [&](Chunk& chunk) -> Piece {
    for (auto hole = chunk.holes.begin(); hole != chunk.holes.end(); ++hole) {
      if (hole->second < size) continue;
      const uint64_t at = hole->first, left = hole->second - size;
      auto node = chunk.holes.extract(hole);
      if (left != 0) {
        node.key() = at + size;
        node.mapped() = left;
        chunk.holes.insert(std::move(node));
      }
      return {&chunk, at, size};
    }
    return {};
  };
  for (const auto& chunk : chunks_) {
    if (const Piece piece = cut(*chunk); piece.chunk != nullptr) return piece;
  }
  QUERN_TRY_ASSIGN(Chunk* const chunk, grow(size));
  return cut(*chunk);
}

void Pool::give(const Piece& piece) {
  if (piece.chunk == nullptr) return;
  const std::lock_guard lock(mutex_);
  Chunk& chunk = *piece.chunk;
  auto [hole, is_new] = chunk.holes.emplace(piece.offset, piece.bytes);
  const auto next = std::next(hole);
  if (next != chunk.holes.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    chunk.holes.erase(next);
  }
  if (hole != chunk.holes.begin()) {
    const auto before = std::prev(hole);
    if (before->first + before->second == hole->first) {
      before->second += hole->second;
      chunk.holes.erase(hole);
      hole = before;
    }
  }
  if (hole->second != chunk.bytes || chunks_.size() == 1) return;
  const auto own =
      std::find_if(chunks_.begin(), chunks_.end(), [&](const auto& c) { return c.get() == &chunk; });
  release(chunk);
  chunks_.erase(own);
}

Piece Pool::find(const void* host, uint64_t bytes) {
  if (!is_mapped_) return {};
  const auto* at = static_cast<const std::byte*>(host);
  const std::lock_guard lock(mutex_);
  for (const auto& chunk : chunks_) {
    const std::less_equal<> no_later;  // of any two pointers
    if (no_later(chunk->host, at) && no_later(at + bytes, chunk->host + chunk->bytes))
      return {chunk.get(), static_cast<uint64_t>(at - chunk->host), bytes};
  }
  return {};
}

// The device's own memory is looked into directly where all of it is in sight and quick to read: on
// processors and integrated GPUs. Elsewhere it is kept out of the small window that the host sees.
void Device::choose_memory() {
  constexpr uint32_t kSight = kMemoryHostVisible | kMemoryHostCoherent;
  const bool is_one = info_.kind == driver::DeviceKind::kCpu || info_.kind == driver::DeviceKind::kIntegrated;
  const auto best = [&](uint32_t must, uint32_t wish, uint32_t rather_not) {
    uint32_t found = 0;
    int best_score = -1;
    for (uint32_t i = 0; i < has_.memory.type_count; ++i) {
      const uint32_t flags = has_.memory.types[i].flags;
      constexpr uint32_t kKnown = kMemoryDeviceLocal | kSight | kMemoryHostCached;
      if ((flags & must) != must || (flags & ~kKnown) != 0) continue;  // protected, lazily allocated, …
      const int score = ((flags & wish) == wish ? 2 : 0) + ((flags & rather_not) == 0 ? 1 : 0);
      if (score <= best_score) continue;
      best_score = score;
      found = i;
    }
    return found;
  };
  const auto set = [&](Pool& pool, uint32_t type, bool is_mapped) {
    const MemoryType& t = has_.memory.types[type];
    const uint64_t most = std::min(has_.maintenance.allocation_bytes, has_.maintenance4.buffer_bytes);
    pool.use(type, std::min(most, has_.memory.heaps[t.heap].bytes), has_addresses(), is_mapped);
  };
  const uint32_t own = is_one ? best(kMemoryDeviceLocal, kSight | kMemoryHostCached, 0)
                              : best(kMemoryDeviceLocal, 0, kMemoryHostVisible);
  constexpr uint32_t kDirect = kSight | kMemoryHostCached;
  const bool is_direct = is_one && (has_.memory.types[own].flags & kDirect) == kDirect;
  set(*device_pool_, own, is_direct);
  set(*host_pool_, best(kSight, kMemoryHostCached, kMemoryDeviceLocal), true);
  host_looks_ = is_direct;
}

Result<std::unique_ptr<driver::Buffer>> Device::allocate(uint64_t bytes, driver::MemoryKind kind) {
  QUERN_TRY(alive());
  const bool is_own = kind == driver::MemoryKind::kDevice || device_pool_->is_mapped();
  Pool& pool = is_own ? *device_pool_ : *host_pool_;
  QUERN_TRY_ASSIGN(const Piece piece, pool.take(bytes));
  auto buffer = std::make_unique<Buffer>(pool, piece);
  buffer->bytes = bytes;
  buffer->kind = kind;
  buffer->address = piece.address();
  if (kind != driver::MemoryKind::kDevice) {
    buffer->host = piece.host();
    host_looks_ = true;
  }
  return buffer;
}

}  // namespace quern::vulkan
