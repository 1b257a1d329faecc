#include "runtime/output.hpp"

#include <cstdio>
#include <exception>
#include <utility>

#include "runtime/callback.hpp"
#include "runtime/device.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

void Output::set_callback(OutputCallback callback) {
  const std::lock_guard lock(mutex_);
  std::swap(callback_, callback);
}

base::Result<> Output::write(const Device& device, std::string_view text) {
  if (text.empty()) return {};
  const std::lock_guard lock(mutex_);
  if (callback_ == nullptr) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return {};
  }
  const CallbackScope scope(device);
  const auto threw = [&](const char* what) {
    return base::Error(base::ErrorKind::kInvalidUse, message::kOutputCallbackThrew(device.label(), what));
  };
  try {
    callback_(text);
  } catch (const std::exception& e) {
    return threw(e.what());
  } catch (...) {
    return threw("its type is not derived from std::exception");
  }
  return {};
}

}  // namespace quern::runtime
