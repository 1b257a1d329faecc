// Memory of the device: the host's.
#pragma once

#include <memory>

#include "driver/interface/driver.hpp"

namespace quern::cpu {

base::Result<std::unique_ptr<driver::Buffer>> allocate_memory(uint64_t bytes, driver::MemoryKind kind);
// Memory that stays the caller's.
std::unique_ptr<driver::Buffer> borrow_memory(std::byte* host, uint64_t bytes);

}  // namespace quern::cpu
