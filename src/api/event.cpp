#include "quern/event.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "api/messages.hpp"
#include "api/state.hpp"

namespace quern {

bool Event::reached() const {
  return state_ == nullptr || detail::unwrap(state_->reached(), &state_->device());
}

void Event::wait() const {
  if (state_ != nullptr) detail::unwrap(state_->wait(), &state_->device());
}

// Polls, because a blocking wait cannot be canceled: cuEventSynchronize, hipEventSynchronize and
// clWaitForEvents have no time limit, and a session may recover the device during a wait. The pause doubles
// from 1 µs to 1 ms: the delay is at most the time waited before, and at most 1 ms.
bool Event::wait_for(std::chrono::nanoseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::chrono::nanoseconds pause = std::chrono::microseconds(1);
  while (!reached()) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= end) return false;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, end - now));
    pause = std::min<std::chrono::nanoseconds>(2 * pause, std::chrono::milliseconds(1));
  }
  wait();
  return true;
}

double Event::seconds_since(const Event& earlier) const {
  if (state_ == nullptr || earlier.state_ == nullptr) {
    detail::raise(base::Error(base::ErrorKind::invalid_use, detail::message::kEventNotRecorded()));
  }
  wait();
  earlier.wait();
  const auto to = detail::unwrap(state_->time(), &state_->device());
  const auto from = detail::unwrap(earlier.state_->time(), &earlier.state_->device());
  return (static_cast<double>(to) - static_cast<double>(from)) * 1e-9;
}

}  // namespace quern
