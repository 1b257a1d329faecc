// Detects that this process was forked. Threads and the state of device drivers do not survive a fork, so
// objects that use them work only in the process that created them.
#pragma once

#include <cstdint>

namespace quern::base {

// The number of forks between this process and the first one that called this function: different in a child
// process and its parent. Cheap. Thread-safe.
uint32_t fork_generation();

}  // namespace quern::base
