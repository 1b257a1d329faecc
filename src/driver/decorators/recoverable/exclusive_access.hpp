// Exclusive access to buffers that a persistent kernel uses on a recoverable device. The log does not contain
// the kernel's writes, so others may use the buffers only while the kernel is suspended.
#pragma once

#include <atomic>
#include <thread>

namespace quern::driver {

struct ExclusiveAccess {
  std::atomic<bool> is_open{false};      // the kernel is suspended: any thread may use the buffers
  std::atomic<std::thread::id> user{};   // the thread that manages the kernel, while it copies the buffers
  std::atomic<bool> was_touched{false};  // by other threads, since is_open was set

  // Returns whether the calling thread may use the buffers.
  bool admit() {
    if (user.load(std::memory_order_acquire) == std::this_thread::get_id()) return true;
    if (!is_open.load(std::memory_order_acquire)) return false;
    was_touched.store(true, std::memory_order_release);
    return true;
  }
};

}  // namespace quern::driver
