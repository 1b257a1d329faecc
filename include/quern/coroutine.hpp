/// @file
/// Coroutines: `co_await` events, downloads and graph runs. Not included by quern.hpp.
///
/// @code
/// quern::async::Task<float> sum(quern::Stream stream, quern::Slice<const float> parts) {
///   const std::vector<float> host = co_await quern::async::download(stream, parts);
///   co_return std::accumulate(host.begin(), host.end(), 0.0f);
/// }
/// float total = sum(gpu.stream(), parts).get();
/// @endcode
///
/// Any coroutine type can await these objects; Task is a small one. The functions submit their work
/// immediately. A coroutine that must suspend resumes on the library's completion thread, or on
/// Options::executor. Do not block the completion thread: all coroutines of the program share it.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "quern/error.hpp"
#include "quern/event.hpp"
#include "quern/stream.hpp"

namespace quern {

namespace detail {

// Calls `resume` once on the completion thread: when the event is reached or its device is lost, or when
// `is_stopped` (may be empty) returns true. It must not throw.
struct Completion {
  QUERN_API static void add(const Event& event, std::function<bool()> is_stopped,
                            std::function<void()> resume);
};

}  // namespace detail

/// Awaitable operations.
namespace async {

/// Thrown by `co_await` after a stop request. The work itself is not interrupted.
class QUERN_API Cancelled : public std::exception {
 public:
  /// One sentence.
  const char* what() const noexcept override;
};

/// Runs a function on a thread of its choice: `[&pool](std::function<void()> f) { pool.post(std::move(f));
/// }`.
using Executor = std::function<void(std::function<void()>)>;

/// How a coroutine waits. No aggregate: GCC 12 destroys temporary aggregates of co_await expressions twice.
struct Options {
  /// No stop token; the completion thread resumes.
  Options() = default;
  /// With a stop token and, if not empty, an executor.
  Options(std::stop_token token, Executor resumes_on = {})
      : stop(std::move(token)), executor(std::move(resumes_on)) {}
  /// With an executor.
  Options(Executor resumes_on) : executor(std::move(resumes_on)) {}

  /// A stop request resumes the coroutine with Cancelled, unless the work has completed by then. No work is
  /// submitted if the request came before.
  std::stop_token stop = {};
  /// Resumes the coroutine. Empty: the completion thread does, or nobody if the work has completed already.
  Executor executor = {};
};

/// Awaits an event. Move-only; await it once.
class [[nodiscard]] Wait {
 public:
  /// Waits for `event`.
  Wait(Event event, Options options) : event_(std::move(event)), options_(std::move(options)) {}
  /// Takes over the operation.
  Wait(Wait&&) noexcept = default;
  Wait& operator=(Wait&&) = delete;
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  /// Whether the coroutine need not be suspended.
  bool await_ready() const {
    return !options_.executor && (options_.stop.stop_requested() || event_.reached());
  }
  /// Resumes the coroutine when the event is reached.
  void await_suspend(std::coroutine_handle<> handle) {
    std::function<bool()> is_stopped;
    if (options_.stop.stop_possible()) is_stopped = [stop = options_.stop] { return stop.stop_requested(); };
    // This object may be destroyed as soon as the coroutine resumes, while the executor's call still runs.
    auto resume = [this, handle, executor = options_.executor] {
      if (!executor) return handle.resume();
      try {
        executor([handle] { handle.resume(); });
      } catch (...) {
        error_ = std::current_exception();
        handle.resume();
      }
    };
    quern::detail::Completion::add(event_, std::move(is_stopped), std::move(resume));
  }
  /// Throws the error of the work, the exception of the executor, or Cancelled.
  void await_resume() const {
    if (error_) std::rethrow_exception(error_);
    if (options_.stop.stop_requested() && !event_.reached()) throw Cancelled();
    event_.wait();
  }

 private:
  Event event_;
  Options options_;
  std::exception_ptr error_;
};

namespace detail {

inline void throw_if_stopped(const Options& options) {
  if (options.stop.stop_requested()) throw Cancelled();
}

// An event after a copy to the host. Without an event the copy is waited for: its memory may be freed next.
inline Event record(const Stream& stream) {
  try {
    return stream.record();
  } catch (...) {
    try {
      stream.synchronize();
    } catch (const Error&) {  // the first error is reported
    }
    throw;
  }
}

}  // namespace detail

/// Awaits a copy to the host; the result is a vector. Move-only; await it once. May be destroyed at any time.
template <typename T>
class [[nodiscard]] Download {
 public:
  /// Starts the copy.
  Download(const Stream& stream, const Slice<const T>& from, Options options)
      : data_(std::make_shared<std::vector<T>>(from.size())),
        event_(start(stream, from, *data_)),
        wait_(event_, std::move(options)) {}
  /// Takes over the operation.
  Download(Download&&) noexcept = default;
  Download& operator=(Download&&) = delete;
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;
  // The device writes to the memory until the copy is complete.
  /// Keeps the memory until the copy is complete.
  ~Download() {
    if (data_ != nullptr && !is_complete_)
      quern::detail::Completion::add(event_, {}, [data = std::move(data_)] {});
  }

  /// Whether the coroutine need not be suspended.
  bool await_ready() const { return wait_.await_ready(); }
  /// Resumes the coroutine when the copy is complete.
  void await_suspend(std::coroutine_handle<> handle) { wait_.await_suspend(handle); }
  /// The elements. Throws as Wait::await_resume.
  std::vector<T> await_resume() {
    wait_.await_resume();
    is_complete_ = true;
    return std::move(*data_);
  }

 private:
  static Event start(const Stream& stream, const Slice<const T>& from, std::vector<T>& to) {
    stream.download(std::span<T>(to), from);
    return detail::record(stream);
  }

  std::shared_ptr<std::vector<T>> data_;
  Event event_;
  Wait wait_;
  bool is_complete_ = false;
};

/// Awaits an event.
inline Wait wait(const Event& event, Options options = {}) { return Wait(event, std::move(options)); }

/// Awaits all work that was submitted to the stream so far.
inline Wait synchronize(const Stream& stream, Options options = {}) {
  return Wait(stream.record(), std::move(options));
}

/// Enqueues a graph and awaits it.
inline Wait run(const Stream& stream, const Graph& graph, Options options = {}) {
  detail::throw_if_stopped(options);
  stream.run(graph);
  return Wait(stream.record(), std::move(options));
}

/// Enqueues a copy to the host and awaits it: `std::vector<T> data = co_await download(stream, slice)`.
template <typename T>
Download<std::remove_const_t<T>> download(const Stream& stream, const Slice<T>& from, Options options = {}) {
  detail::throw_if_stopped(options);
  return Download<std::remove_const_t<T>>(stream, from, std::move(options));
}

/// The same to memory of the caller, which must stay valid until the coroutine resumes. A stop request after
/// the call has no effect: the copy uses the memory until it is complete.
template <typename T>
Wait download(const Stream& stream, std::type_identity_t<std::span<std::remove_const_t<T>>> to,
              const Slice<T>& from, Options options = {}) {
  detail::throw_if_stopped(options);
  stream.download(to, from);
  return Wait(detail::record(stream), Options(std::move(options.executor)));
}

template <typename T = void>
class Task;

namespace detail {

// What a Task and its coroutine share.
template <typename T>
struct Outcome {
  using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::coroutine_handle<> waiter;
  std::optional<Value> value;
  std::exception_ptr error;

  void finish() noexcept {
    std::coroutine_handle<> next;
    {
      const std::lock_guard lock(mutex);
      is_done = true;
      next = waiter;
      changed.notify_all();
    }
    if (next) next.resume();
  }
  // False: it is done already.
  bool suspend(std::coroutine_handle<> handle) {
    const std::lock_guard lock(mutex);
    if (!is_done) waiter = handle;
    return !is_done;
  }
  T take() {
    if (error) std::rethrow_exception(error);
    if constexpr (!std::is_void_v<T>) return std::move(*value);
  }
};

// The promise of Task<T>; the two below add the results.
template <typename T>
struct PromiseBase {
  // The coroutine's variables are destroyed before anybody learns that it is done.
  struct Final {
    bool await_ready() const noexcept { return false; }
    template <typename P>
    void await_suspend(std::coroutine_handle<P> handle) const noexcept {
      const auto ended = std::move(handle.promise().outcome);
      handle.destroy();
      ended->finish();
    }
    void await_resume() const noexcept {}
  };
  std::shared_ptr<Outcome<T>> outcome = std::make_shared<Outcome<T>>();
  Task<T> get_return_object() { return Task<T>(outcome); }
  std::suspend_never initial_suspend() const noexcept { return {}; }
  Final final_suspend() const noexcept { return {}; }
  void unhandled_exception() { outcome->error = std::current_exception(); }
};
template <typename T>
struct Promise : PromiseBase<T> {
  template <typename U>
  void return_value(U&& value) {
    this->outcome->value.emplace(std::forward<U>(value));
  }
};
template <>
struct Promise<void> : PromiseBase<void> {
  void return_void() const {}
};

}  // namespace detail

/// A coroutine that starts immediately. Its result is read once, by get() or `co_await`. A Task that is
/// destroyed does not end its coroutine.
template <typename T>
class [[nodiscard]] Task {
 public:
  /// Required of coroutines.
  using promise_type = detail::Promise<T>;

  /// Blocks until the coroutine has ended. Returns its result, or throws its exception.
  T get() {
    {
      std::unique_lock lock(outcome_->mutex);
      outcome_->changed.wait(lock, [this] { return outcome_->is_done; });
    }
    return outcome_->take();
  }
  /// Whether the coroutine has ended.
  bool is_done() const {
    const std::lock_guard lock(outcome_->mutex);
    return outcome_->is_done;
  }

  /// `co_await task` resumes where the task ends.
  bool await_ready() const { return is_done(); }
  /// Resumes the coroutine when the task has ended.
  bool await_suspend(std::coroutine_handle<> handle) { return outcome_->suspend(handle); }
  /// The result, or the exception of the task.
  T await_resume() { return outcome_->take(); }

 private:
  friend struct detail::PromiseBase<T>;
  explicit Task(std::shared_ptr<detail::Outcome<T>> outcome) : outcome_(std::move(outcome)) {}
  std::shared_ptr<detail::Outcome<T>> outcome_;
};

}  // namespace async

}  // namespace quern
