/// @file
/// Events: points in a stream's work.
#pragma once

#include <chrono>
#include <coroutine>
#include <memory>

#include "quern/export.hpp"

namespace quern {

namespace runtime {
class Event;
}
namespace detail {
struct Access;
struct Completion;
}  // namespace detail

/// A point in a stream's work. Created by Stream::record. Copies refer to the same event. Thread-safe.
class QUERN_API Event {
 public:
  Event() = default;  ///< An event that is reached.

  /// Whether all work before the event has completed. Does not block.
  [[nodiscard]] bool reached() const;
  /// Blocks until the event is reached. Throws the error of the work, if any.
  void wait() const;
  /// Waits until the event is reached or `limit` has passed, and returns whether it is reached. Polls with a
  /// pause that grows to 1 ms, so it may return up to 1 ms late. Throws the error of the work, if any.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds limit) const;
  /// Seconds between two events of one device, by the device's clock if it has one. Waits for both.
  double seconds_since(const Event& earlier) const;

  /// `co_await event` resumes the coroutine on a thread of the library when the event is reached.
  struct Awaiter {
    /// The awaited event.
    const Event& event;
    /// Whether the event is reached.
    bool await_ready() const { return event.reached(); }
    /// Resumes the coroutine when the event is reached.
    void await_suspend(std::coroutine_handle<> handle) const { event.resume_later(handle); }
    void await_resume() const { event.wait(); }  ///< Throws the error of the work, if any.
  };
  /// Waits in a coroutine.
  Awaiter operator co_await() const { return {*this}; }

 private:
  friend class Stream;
  friend struct detail::Completion;
  friend struct detail::Access;
  explicit Event(std::shared_ptr<runtime::Event> state) : state_(std::move(state)) {}
  void resume_later(std::coroutine_handle<> handle) const;

  std::shared_ptr<runtime::Event> state_;
};

}  // namespace quern
