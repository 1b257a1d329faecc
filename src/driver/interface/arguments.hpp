// The block of a kernel's non-pointer parameters, for devices that take it as one piece (see
// target/target.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "driver/interface/driver.hpp"

namespace quern::driver {

// Offset of a null argument.
inline constexpr uint32_t kNullOffset = 0xffffffff;

// Size of the block in bytes: all non-pointer parameters in their C layout, then one u32 per pointer.
uint64_t block_bytes(const KernelInfo& kernel);

// Fills `to` (block_bytes() long) from the arguments of a launch.
void pack_block(const KernelInfo& kernel, std::span<const Argument> arguments, std::span<std::byte> to);

// Initial bytes of a variable, for devices that keep variables in buffers. `address` returns the address of
// another variable.
std::vector<uint8_t> initial_value(const VariableInfo& variable,
                                   const std::function<uint64_t(uint32_t)>& address);

// A pointer in the Spirv argument block where buffers are bound: buffer number in the high bits, offset in
// the low bits.
inline constexpr uint32_t kBufferShift = 40;
inline constexpr uint32_t kReportBuffer = 0x8000, kBlockBuffer = 0x8001;  // others count from 1

// Fills the Spirv argument block (KernelInfo::block_bytes long): all parameters in their C layout, pointers
// as returned by `pointer`, then the hidden ones (variables and, if there is one, the report).
void pack_addresses(const KernelInfo& kernel, std::span<const Argument> arguments,
                    const std::function<uint64_t(Place)>& pointer, std::span<const uint64_t> hidden,
                    std::span<std::byte> to);

}  // namespace quern::driver
