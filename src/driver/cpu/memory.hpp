// Memory of the device, which is host memory.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::cpu {

base::Result<std::unique_ptr<driver::Buffer>> allocate_memory(uint64_t bytes, driver::MemoryKind kind);
// Wraps memory that the caller owns.
std::unique_ptr<driver::Buffer> borrow_memory(std::byte* host, uint64_t bytes);

}  // namespace quern::cpu
