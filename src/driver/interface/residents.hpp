// Kernels that stay on a device while others come and go (ring kernels) are in the way of calls of a driver
// that wait for all kernels, as loading a program does on CUDA. Whoever has one says how it is sent away and
// told that it may come back; a driver that makes such a call has an Away around it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace quern::driver {

class Residents {
 public:
  static Residents& of_process();

  // Both may be called by any thread, and must not wait. For as long as what it yields lives.
  std::shared_ptr<void> add(std::function<void()> leave, std::function<void()> come_back);

  void send_away();
  void call_back();
  bool has_any() const { return count_.load(std::memory_order_acquire) != 0; }

 private:
  struct Resident {
    std::function<void()> leave, come_back;
  };
  std::mutex mutex_;
  std::map<uint64_t, Resident> all_;
  uint64_t next_ = 0;
  uint32_t away_ = 0;
  std::atomic<uint32_t> count_{0};
};

class Away {
 public:
  Away() : is_needed_(Residents::of_process().has_any()) {
    if (is_needed_) Residents::of_process().send_away();
  }
  ~Away() {
    if (is_needed_) Residents::of_process().call_back();
  }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;

 private:
  bool is_needed_;
};

}  // namespace quern::driver
