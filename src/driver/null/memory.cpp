// Buffers. A buffer frees its memory when it is destroyed.
#include "driver/null/device.hpp"
#include "driver/null/messages.hpp"

namespace quern::null {

using base::Error;
using base::ErrorKind;
using driver::MemoryKind;

namespace {

class NullBuffer final : public driver::Buffer {
 public:
  NullBuffer(const Api& api, NullDeviceHandle* device) : api_(api), device_(device) {}
  ~NullBuffer() override { (void)api_.nullMemoryFree(device_, host); }

 private:
  const Api& api_;
  NullDeviceHandle* device_;
};

}  // namespace

// Set `address` if the device has Feature::addresses, and `host` if the host may access the memory in place.
// Exhausted memory is kOutOfMemory and leaves the device usable.
Result<std::unique_ptr<driver::Buffer>> NullDevice::allocate(uint64_t bytes, MemoryKind kind) {
  if (kind != MemoryKind::device && kind != MemoryKind::pinned && kind != MemoryKind::shared)
    return Error(ErrorKind::unsupported, message::kNoMemoryKind(info_.id()));
  void* memory = nullptr;
  QUERN_TRY(check(api_.nullMemoryAllocate(handle_, bytes, &memory), "nullMemoryAllocate"));
  auto buffer = std::make_unique<NullBuffer>(api_, handle_);
  buffer->bytes = bytes;
  buffer->kind = kind;
  buffer->host = static_cast<std::byte*>(memory);
  buffer->address = reinterpret_cast<uint64_t>(memory);
  return buffer;
}

}  // namespace quern::null
