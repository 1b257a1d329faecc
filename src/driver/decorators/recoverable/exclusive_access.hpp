// Buffers that a kernel works on which stays on a device that outlives its loss. What such a kernel does is
// in no log, so nobody else may touch them unless it rests.
#pragma once

#include <atomic>
#include <thread>

namespace quern::driver {

struct ExclusiveAccess {
  std::atomic<bool> is_open{false};      // the kernel rests: anybody may use them
  std::atomic<std::thread::id> user{};   // who looks after the kernel, while it copies them
  std::atomic<bool> was_touched{false};  // by others, since it was opened

  // Yields whether the calling thread may use them.
  bool admit() {
    if (user.load(std::memory_order_acquire) == std::this_thread::get_id()) return true;
    if (!is_open.load(std::memory_order_acquire)) return false;
    was_touched.store(true, std::memory_order_release);
    return true;
  }
};

}  // namespace quern::driver
