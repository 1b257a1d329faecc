// Texts of the errors that the native driver reports.
#pragma once

#include "base/message.hpp"

namespace quern::native::message {

using base::Message;

inline constexpr Message<2> kNoHostMemory{"allocating a buffer of {} failed: the host has {} of memory"};
inline constexpr Message<1> kOnlyInline{"loading {} code failed: the native driver runs only inline kernels"};
inline constexpr Message<0> kExternShared{
    "loading an inline kernel failed: the host's compiler does not support `extern __shared__` inside a "
    "function",
    "write QUERN_DYNAMIC_SHARED(float, name), which works on every device"};

// Findings in kernels
inline constexpr Message<1> kThrows{"the kernel throws an exception: {}"};
inline constexpr Message<0> kDeadlock{"threads of the block wait for threads that never arrive"};
inline constexpr Message<0> kNoStacks{"out of memory for the stacks of the block's threads"};

}  // namespace quern::native::message
