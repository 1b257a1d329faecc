#include "driver/cpu/memory.hpp"

#include <cstdlib>

#include <sys/mman.h>

#include "base/text.hpp"
#include "driver/cpu/messages.hpp"

namespace quern::cpu {
namespace {

constexpr uint64_t kAlign = 256;
constexpr uint64_t kHugePage = uint64_t{2} << 20;
constexpr uint64_t kLarge = 4 * kHugePage;  // larger buffers get their own huge pages

std::byte* allocate_aligned(uint64_t bytes) {
  const uint64_t align = bytes >= kLarge ? kHugePage : kAlign;
  // At least one byte: every buffer has an address.
  const uint64_t whole = (bytes + align) / align * align;
  if (whole <= bytes) return nullptr;
  void* const memory = std::aligned_alloc(align, whole);
  // Threads of a grid access many pages at the same time: with small pages TLB misses dominate.
  if (memory != nullptr && align == kHugePage) (void)::madvise(memory, whole, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

class HostBuffer : public driver::Buffer {
 public:
  ~HostBuffer() override { std::free(host); }
};

}  // namespace

base::Result<std::unique_ptr<driver::Buffer>> allocate_memory(uint64_t bytes, driver::MemoryKind kind) {
  auto buffer = std::make_unique<HostBuffer>();
  buffer->host = allocate_aligned(bytes);
  if (buffer->host == nullptr) {
    return base::Error(base::ErrorKind::out_of_memory, message::kNoHostMemory(base::format_bytes(bytes)));
  }
  buffer->bytes = bytes;
  buffer->kind = kind;
  buffer->address = reinterpret_cast<uint64_t>(buffer->host);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

std::unique_ptr<driver::Buffer> borrow_memory(std::byte* host, uint64_t bytes) {
  auto buffer = std::make_unique<driver::Buffer>();
  buffer->host = host;
  buffer->bytes = bytes;
  buffer->kind = driver::MemoryKind::host_backed;
  buffer->address = reinterpret_cast<uint64_t>(host);
  return buffer;
}

}  // namespace quern::cpu
