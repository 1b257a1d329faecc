// Texts of the errors that the driver reports.
#pragma once

#include "base/message.hpp"

namespace quern::webgpu::message {

using base::Message;

// Library and adapters
inline constexpr Message<2> kNoAdapter{"{} finds no adapter{}",
                                       "install your GPU's Vulkan driver; for the CPU: mesa-vulkan-drivers"};
inline constexpr Message<1> kAdapterGone{"adapter '{}' is gone"};
inline constexpr Message<3> kNoFunction{"'{}' has no function '{}'", "{}"};
inline constexpr Message<0> kCancelled{"waiting for WebGPU failed: the library cancelled the callback"};

// Memory
inline constexpr Message<1> kNoSharedMemory{"{} shares no memory with the host"};

// Modules
inline constexpr Message<3> kCompileFailed{"compiling {} for {} failed: {}"};
inline constexpr Message<1> kRawWgsl{
    "loading '{}' failed: WGSL of the user does not say how arguments are bound",
    "write the kernel in CUDA C++; `quern emit --target wgsl` prints its WGSL"};

// Launches
inline constexpr Message<4> kTooManyVariables{
    "launching '{}' failed: it uses {} variables, and {} binds up to {} buffers",
    "put several variables into one struct"};
inline constexpr Message<6> kTooManyBuffers{
    "launching '{}' failed: it uses {} buffers of {} in total, but {} binds up to {} buffers, and one "
    "binding "
    "holds "
    "up to {}",
    "use fewer or smaller buffers, or parts of one buffer"};
inline constexpr Message<2> kOnlyNarrowGrids{
    "launching '{}' failed: its code is for narrower grids, and cannot be compiled again",
    "use at most {} blocks in x"};
inline constexpr Message<1> kOnlyDistinctBuffers{
    "launching '{}' failed: its code is for a different buffer for each pointer, and cannot be compiled "
    "again",
    "pass a different buffer for each pointer parameter"};

}  // namespace quern::webgpu::message
