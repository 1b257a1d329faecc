// Whether a device was lost, and why. Thread-safe. A lost device stays lost.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "driver/support/messages.hpp"

namespace quern::driver {

class Loss {
 public:
  void set_name(std::string device) { device_ = std::move(device); }

  bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
  base::Result<> alive() const {
    if (!is_lost()) [[likely]]
      return {};
    return error();
  }

  // Every later call fails with this reason. The first reason is kept.
  base::Error lose(std::string why) {
    const std::lock_guard lock(mutex_);
    if (!is_lost()) why_ = std::move(why);
    is_lost_.store(true, std::memory_order_release);
    return error();
  }

  // Runs `work` unless the device is lost; lose() waits for it.
  template <typename Work>
  base::Result<> unless_lost(const Work& work) const {
    const std::lock_guard lock(mutex_);
    if (is_lost()) return error();
    work();
    return {};
  }

 private:
  base::Error error() const { return {base::ErrorKind::device_lost, message::kLost(device_, why_)}; }

  std::string device_;
  std::atomic<bool> is_lost_{false};
  mutable std::mutex mutex_;
  std::string why_;  // constant once the device is lost
};

}  // namespace quern::driver
