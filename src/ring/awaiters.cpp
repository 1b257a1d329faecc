#include "ring/awaiters.hpp"

namespace quern::ring {

void Awaiters::add(const ActorState& actor, std::uint32_t ticket, std::coroutine_handle<> handle) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    awaiting_.push_back({&actor, ticket, handle});
    thread_.be_eager();
  }
  thread_.wake();
}

bool Awaiters::resume_ready() {
  std::vector<std::coroutine_handle<>> ready;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(awaiting_, [&](const Awaiting& a) {
      const bool is_ready = mailbox_.is_reply_over(*a.actor, a.ticket);
      if (is_ready) ready.push_back(a.handle);
      return is_ready;
    });
  }
  for (const std::coroutine_handle<> handle : ready) handle.resume();
  return !ready.empty();
}

}  // namespace quern::ring
