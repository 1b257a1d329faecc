// Buffers.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver derives its buffer from driver::Buffer, frees the memory in the destructor, and sets bytes,
// kind, address (if the device has addresses) and host (if the host may access the memory). Unsupported kinds
// of memory return kUnsupported. Exhausted memory returns kOutOfMemory and leaves the device usable.
Result<std::unique_ptr<driver::Buffer>> NullDevice::allocate(uint64_t, driver::MemoryKind) {
  return not_here("memory");
}

}  // namespace quern::null
