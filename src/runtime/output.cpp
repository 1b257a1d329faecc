#include "runtime/output.hpp"

#include <cstdio>
#include <exception>
#include <utility>

#include "runtime/callback.hpp"
#include "runtime/device.hpp"
#include "runtime/messages.hpp"

namespace quern::runtime {

uint64_t Output::add(OutputCallback callback) {
  const std::lock_guard lock(mutex_);
  callbacks_.emplace_back(++added_, std::move(callback));
  return added_;
}

void Output::remove(uint64_t number) {
  const std::lock_guard lock(mutex_);
  std::erase_if(callbacks_, [&](const auto& c) { return c.first == number; });
}

base::Result<> Output::write(const Device& device, std::string_view text) {
  if (text.empty()) return {};
  const std::lock_guard lock(mutex_);
  if (callbacks_.empty() || callbacks_.back().second == nullptr) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return {};
  }
  const CallbackScope scope(device);
  const auto threw = [&](const char* what) {
    return base::Error(base::ErrorKind::invalid_use, message::kOutputCallbackThrew(device.label(), what));
  };
  try {
    callbacks_.back().second(text);
  } catch (const std::exception& e) {
    return threw(e.what());
  } catch (...) {
    return threw("its type is not derived from std::exception");
  }
  return {};
}

}  // namespace quern::runtime
