// Functions of the program that the library calls: stream callbacks (Stream::call), output callbacks and
// memory listeners. While one runs, the stream it belongs to is locked or waits for it, so a call back into
// the same device would deadlock. Such calls fail with ErrorKind::invalid_use instead (Device::check_caller).
#pragma once

#include <functional>

namespace quern::runtime {

class Device;

// Marks the current thread as running a callback of `device`. Scopes may be nested for different devices.
class CallbackScope {
 public:
  explicit CallbackScope(const Device& device);
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

  static bool is_active(const Device& device);

 private:
  const Device& device_;
  const CallbackScope* const outer_;
};

// Runs `release`, which frees an object of `device` and may wait for the device. In a callback of the device
// another thread runs it, since the device may be waiting for the callback.
void release_outside_callbacks(const Device& device, std::function<void()> release);

}  // namespace quern::runtime
