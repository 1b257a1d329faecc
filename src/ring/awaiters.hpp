// Coroutines that wait for replies.
#pragma once

#include <coroutine>
#include <cstdint>
#include <mutex>
#include <vector>

#include "ring/mailbox.hpp"
#include "ring/service_thread.hpp"

namespace quern::ring {

// Owns the list of suspended coroutines, which `mutex_` guards. add() may be called from any thread;
// resume_ready() is called by the service thread, on which the coroutines continue.
class Awaiters {
 public:
  Awaiters(const Mailbox& mailbox, ServiceThread& thread) : mailbox_(mailbox), thread_(thread) {}

  void add(const ActorState& actor, std::uint32_t ticket, std::coroutine_handle<> handle);
  // Returns whether it resumed some.
  bool resume_ready();

 private:
  struct Awaiting {
    const ActorState* actor;
    std::uint32_t ticket;
    std::coroutine_handle<> handle;
  };

  const Mailbox& mailbox_;
  ServiceThread& thread_;
  std::mutex mutex_;
  std::vector<Awaiting> awaiting_;
};

}  // namespace quern::ring
