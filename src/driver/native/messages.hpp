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

}  // namespace quern::native::message
