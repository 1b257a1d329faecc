// Persistent kernels (ring kernels) block driver calls that wait for all kernels, such as loading a module on
// CUDA. The owner of a persistent kernel registers how to suspend and resume it; a driver holds an
// SuspendedScope object during such a call.
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

  // Registers a kernel until the returned object is destroyed. Any thread may call both callbacks; they must
  // not block.
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
