#include "driver/cpu/memory.hpp"

#include <cstdlib>

#include "base/text.hpp"

namespace quern::cpu {
namespace {

constexpr uint64_t kAlign = 256;

class HostBuffer : public driver::Buffer {
 public:
  ~HostBuffer() override { std::free(host); }
};

}  // namespace

base::Result<std::unique_ptr<driver::Buffer>> allocate_memory(uint64_t bytes, driver::MemoryKind kind) {
  auto buffer = std::make_unique<HostBuffer>();
  const uint64_t whole =
      (bytes + kAlign) / kAlign * kAlign;  // at least one byte: every buffer has an address
  buffer->host = whole > bytes ? static_cast<std::byte*>(std::aligned_alloc(kAlign, whole)) : nullptr;
  if (buffer->host == nullptr) {
    return base::Error(base::ErrorKind::kOutOfMemory,
                       "the system has no " + base::format_bytes(bytes) + " for a buffer");
  }
  buffer->bytes = bytes;
  buffer->kind = kind;
  buffer->address = reinterpret_cast<uint64_t>(buffer->host);
  return std::unique_ptr<driver::Buffer>(std::move(buffer));
}

}  // namespace quern::cpu
