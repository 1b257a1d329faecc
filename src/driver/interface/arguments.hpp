// The block of a kernel's plain parameters, for devices that take it as one piece (see target/target.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "driver/interface/driver.hpp"

namespace quern::driver {

// Stands for the offset of an argument that is null.
inline constexpr uint32_t kNullOffset = 0xffffffff;

// Bytes of the block: all parameters that are no pointers in their C layout, then one u32 per pointer.
uint64_t block_bytes(const KernelInfo& kernel);

// Fills `to` (block_bytes long) from the arguments of a launch.
void pack_block(const KernelInfo& kernel, std::span<const Argument> arguments, std::span<std::byte> to);

}  // namespace quern::driver
