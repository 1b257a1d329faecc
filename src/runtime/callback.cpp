#include "runtime/callback.hpp"

#include <system_error>
#include <thread>
#include <utility>

#include "base/log.hpp"

namespace quern::runtime {

namespace {

thread_local const CallbackScope* innermost = nullptr;

}  // namespace

CallbackScope::CallbackScope(const Device& device)
    : device_(device), outer_(std::exchange(innermost, this)) {}

CallbackScope::~CallbackScope() { innermost = outer_; }

bool CallbackScope::is_active(const Device& device) {
  for (const CallbackScope* s = innermost; s != nullptr; s = s->outer_) {
    if (&s->device_ == &device) return true;
  }
  return false;
}

void release_outside_callbacks(const Device& device, std::function<void()> release) {
  if (!CallbackScope::is_active(device)) return release();
  try {
    std::thread(std::move(release)).detach();
  } catch (const std::system_error& e) {
    base::log(base::LogLevel::kError,
              "freeing an object in a stream callback failed: cannot start a thread: %s", e.what());
  }
}

}  // namespace quern::runtime
