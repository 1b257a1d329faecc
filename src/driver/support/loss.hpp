// Whether a device is gone, and why. Any thread may say so and ask; what is lost stays so.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.hpp"

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

  // The answer to every call from now on. The first reason stays.
  base::Error lose(std::string why) {
    const std::lock_guard lock(mutex_);
    if (!is_lost()) why_ = std::move(why);
    is_lost_.store(true, std::memory_order_release);
    return error();
  }

  // Does what must not happen any more when lose() has returned.
  template <typename Work>
  base::Result<> unless_lost(const Work& work) const {
    const std::lock_guard lock(mutex_);
    if (is_lost()) return error();
    work();
    return {};
  }

 private:
  base::Error error() const { return {base::ErrorKind::kDeviceLost, device_ + " was lost: " + why_}; }

  std::string device_;
  std::atomic<bool> is_lost_{false};
  mutable std::mutex mutex_;
  std::string why_;  // does not change once it is lost
};

}  // namespace quern::driver
