// Messages that the host sends later, once or periodically.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ring/mailbox.hpp"

namespace quern::ring {
namespace detail {

struct HostTimer {
  ActorState* actor = nullptr;
  Clock::time_point due;
  std::chrono::nanoseconds period{0};  // 0: once
  std::vector<std::byte> message;
  std::atomic<bool> is_cancelled{false};
};

}  // namespace detail

// Owns the pending timers, whose list `mutex_` guards. set() may be called from any thread; the others are
// called by the service thread.
class Timers {
 public:
  Timers(const ActorKernel& kernel, const DeviceClock& clock, ServiceThread& thread, Mailbox& mailbox,
         const DeadLetters& dead_letters)
      : kernel_(kernel), clock_(clock), thread_(thread), mailbox_(mailbox), dead_letters_(dead_letters) {}

  // `period`: 0 for a message that is sent once.
  std::shared_ptr<detail::HostTimer> set(ActorState& actor, std::chrono::nanoseconds delay,
                                         std::chrono::nanoseconds period, std::span<const std::byte> message);
  // Sends messages that are due, in this order; those that find no space are tried again. Returns whether it
  // sent some.
  bool fire();
  // Time until the next message, of a timer of the host or of a handler.
  std::chrono::nanoseconds until_due() const;

 private:
  const ActorKernel& kernel_;
  const DeviceClock& clock_;
  ServiceThread& thread_;
  Mailbox& mailbox_;
  const DeadLetters& dead_letters_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<detail::HostTimer>> timers_;
  std::atomic<bool> has_timers_{false};
};

}  // namespace quern::ring
