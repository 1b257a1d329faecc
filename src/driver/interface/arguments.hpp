// The block of a kernel's plain parameters, for devices that take it as one piece (see target/target.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// All bytes of a variable at the beginning, for devices whose variables are buffers; `address` of another.
std::vector<uint8_t> initial_value(const VariableInfo& variable,
                                   const std::function<uint64_t(uint32_t)>& address);

// A pointer in the block of Spirv where buffers are bound: the number of its buffer above, its offset below.
inline constexpr uint32_t kBufferShift = 40;
inline constexpr uint32_t kReportBuffer = 0x8000, kBlockBuffer = 0x8001;  // others count from 1

// The block of Spirv (KernelInfo::block_bytes long): all parameters in their C layout, with the numbers that
// `pointer` gives for their places, then those of variables and, where there is one, of the report.
void pack_addresses(const KernelInfo& kernel, std::span<const Argument> arguments,
                    const std::function<uint64_t(Place)>& pointer, std::span<const uint64_t> hidden,
                    std::span<std::byte> to);

}  // namespace quern::driver
