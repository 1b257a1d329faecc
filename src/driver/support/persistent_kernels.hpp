// Kernels that stay on a device while others come and go (ring kernels) are in the way of calls of a driver
// that wait for all kernels, as loading a program does on CUDA. Whoever has one says how it is sent away and
// told that it may come back; a driver that makes such a call has an SuspendedScope around it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace quern::driver {

class PersistentKernels {
 public:
  static PersistentKernels& of_process();

  // Both may be called by any thread, and must not wait. For as long as what it yields lives.
  std::shared_ptr<void> add(std::function<void()> suspend, std::function<void()> resume);

  void suspend_all();
  void resume_all();
  bool has_any() const { return count_.load(std::memory_order_acquire) != 0; }

 private:
  struct PersistentKernel {
    std::function<void()> suspend, resume;
  };
  std::mutex mutex_;
  std::map<uint64_t, PersistentKernel> all_;
  uint64_t next_ = 0;
  uint32_t away_ = 0;
  std::atomic<uint32_t> count_{0};
};

class SuspendedScope {
 public:
  SuspendedScope() : is_needed_(PersistentKernels::of_process().has_any()) {
    if (is_needed_) PersistentKernels::of_process().suspend_all();
  }
  ~SuspendedScope() {
    if (is_needed_) PersistentKernels::of_process().resume_all();
  }
  SuspendedScope(const SuspendedScope&) = delete;
  SuspendedScope& operator=(const SuspendedScope&) = delete;

 private:
  bool is_needed_;
};

}  // namespace quern::driver
