// Buffers.
#include "driver/null/device.hpp"

namespace quern::null {

// A real driver derives its buffer from driver::Buffer, frees the memory in the destructor, and sets bytes,
// kind, address (where the device has addresses) and host (where the host may touch it). A kind of memory
// that it does not have is kUnsupported; memory that is not there is kOutOfMemory, and nothing is broken by
// it.
Result<std::unique_ptr<driver::Buffer>> NullDevice::allocate(uint64_t, driver::MemoryKind) {
  return not_here("memory");
}

}  // namespace quern::null
