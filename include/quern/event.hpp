// A point in a stream's work that was or will be reached: poll it, wait for it, or co_await it.
#pragma once

#include <coroutine>
#include <memory>

#include "quern/export.hpp"

namespace quern {

namespace runtime {
class Event;
}

class QUERN_API Event {
 public:
  Event() = default;  // reached

  bool reached() const;
  void wait() const;
  // Between two points of one device, on its own clock where it has one.
  double seconds_since(const Event& earlier) const;

  // `co_await event`: the coroutine goes on, on a thread of the library, when the point is reached.
  struct Awaiter {
    const Event& event;
    bool await_ready() const { return event.reached(); }
    void await_suspend(std::coroutine_handle<> handle) const { event.resume_later(handle); }
    void await_resume() const { event.wait(); }  // throws what the work ended with
  };
  Awaiter operator co_await() const { return {*this}; }

 private:
  friend class Stream;
  explicit Event(std::shared_ptr<runtime::Event> state) : state_(std::move(state)) {}
  void resume_later(std::coroutine_handle<> handle) const;

  std::shared_ptr<runtime::Event> state_;
};

}  // namespace quern
