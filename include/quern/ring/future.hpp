/// @file
/// Future replies of calls.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "quern/export.hpp"

namespace quern::ring {

class Actor;

namespace detail {

struct ActorState;
struct HostTimer;

/// One call in flight, untyped. Move-only; destroying it discards the reply.
class QUERN_API Call {
 public:
  Call() = default;
  Call(std::shared_ptr<ActorState> actor, std::uint32_t ticket) : actor_(std::move(actor)), ticket_(ticket) {}
  Call(Call&& other) noexcept
      : actor_(std::move(other.actor_)), ticket_(std::exchange(other.ticket_, 0)), stamp_(other.stamp_) {}
  Call& operator=(Call&& other) noexcept;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  bool valid() const { return ticket_ != 0; }
  bool ready() const;  // the reply has arrived, or will never arrive
  bool wait_for(std::chrono::nanoseconds limit) const;
  void take(void* reply, std::size_t bytes);  // waits; throws quern::Error if there will be no reply
  void resume_later(std::coroutine_handle<> handle) const;
  std::uint64_t stamp() const { return stamp_; }  // of the taken reply; 0: it has none

 private:
  std::shared_ptr<ActorState> actor_;
  std::uint32_t ticket_ = 0;
  std::uint64_t stamp_ = 0;
};

}  // namespace detail

/// The future reply of a call. Move-only; destroying it discards the reply.
template <typename Reply>
class [[nodiscard]] Future {
 public:
  /// No call.
  Future() = default;
  /// Used by the library.
  explicit Future(detail::Call call) : call_(std::move(call)) {}

  /// Whether a reply can still be taken.
  bool valid() const { return call_.valid(); }
  /// Whether get() returns immediately.
  bool ready() const { return call_.ready(); }
  /// Waits for the reply, at most `limit`. Returns whether it has arrived.
  bool wait_for(std::chrono::nanoseconds limit) const { return call_.wait_for(limit); }
  std::uint64_t stamp() const { return call_.stamp(); }  ///< Of the reply, after get(), with Options::stamps.

  /// Waits for the reply. Throws quern::Error if the handler failed or the actor ended before it handled the
  /// message.
  Reply get() {
    if constexpr (std::is_void_v<Reply>) {
      call_.take(nullptr, 0);
    } else {
      Reply reply;
      call_.take(&reply, sizeof(Reply));
      return reply;
    }
  }

  /// `co_await actor.call(…)` resumes the coroutine on a thread of the library when the reply has arrived.
  bool await_ready() const { return ready(); }
  /// Resumes the coroutine when the reply has arrived.
  void await_suspend(std::coroutine_handle<> handle) const { call_.resume_later(handle); }
  /// As get().
  Reply await_resume() { return get(); }

 private:
  detail::Call call_;
};

}  // namespace quern::ring
