// Texts of the errors that the driver for Metal reports.
#pragma once

#include "base/message.hpp"

namespace quern::metal::message {

using base::Message;

// Devices
inline constexpr Message<0> kNoDevice{
    "Metal finds no device", "check with 'system_profiler SPDisplaysDataType' that the GPU supports Metal"};
inline constexpr Message<3> kFailed{"{} failed on {}: {}"};
inline constexpr Message<1> kNoTime{"reading the time of an event failed: {} reports none"};

// Memory
inline constexpr Message<4> kOutOfMemory{"allocating {} failed on {}: Metal has allocated {} of {}",
                                         "free memory, or split the work"};
inline constexpr Message<3> kBufferTooLarge{"allocating {} failed: the largest buffer of {} has {}",
                                            "split the work"};

// Code
inline constexpr Message<2> kOtherCode{"loading {} failed: Metal does not accept {} code"};
inline constexpr Message<1> kRawCode{"loading {} failed: parameters of Metal text are not read",
                                     "load the kernels as CUDA C++"};
inline constexpr Message<3> kNoFunction{
    "loading kernel '{}' failed: the compiled library of {} has no function '{}'"};
inline constexpr Message<3> kOtherWidth{
    "loading kernel '{}' failed: it does warp operations, and {} runs it in SIMD-groups of {} threads",
    "open the device with the option warps=memory"};
inline constexpr Message<0> kNoCommandKind{"encoding a command failed: it has no kind"};

}  // namespace quern::metal::message
