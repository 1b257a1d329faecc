// The block of a kernel's plain parameters, for devices that take it as one piece (see target/target.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "driver/interface/driver.hpp"

namespace quern::driver {

// Stands for the offset of an argument that is null.
inline constexpr uint32_t kNullOffset = 0xffffffff;

// Bytes of the block: all parameters that are no pointers in their C layout, then one u32 per pointer.
uint64_t block_bytes(const KernelInfo& kernel);

// Fills `to` (block_bytes long) from the arguments of a launch.
void pack_block(const KernelInfo& kernel, std::span<const Argument> arguments, std::span<std::byte> to);

// The block of Spirv with addresses (KernelInfo::block_bytes long): all parameters in their C layout,
// pointers as the addresses of their buffers, then the variables' addresses, then the report's where there is
// one.
std::vector<std::byte> pack_addresses(const KernelInfo& kernel, std::span<const Argument> arguments,
                                      std::span<const uint64_t> variables, uint64_t report);

// The bytes of a variable at first, given the addresses of all variables.
std::vector<uint8_t> initial_bytes(const VariableInfo& variable, std::span<const uint64_t> addresses);

}  // namespace quern::driver
