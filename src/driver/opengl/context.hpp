// A GL context and the one thread it belongs to. GL lets a context be used by the thread it is current on,
// and our callers are any threads: they hand work over, which is done in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "driver/opengl/api.hpp"

namespace quern::opengl {

class Context {
 public:
  static Result<std::unique_ptr<Context>> create(const Api& api, bool is_es);
  ~Context();  // does what was handed over before
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Api& gl() const { return api_; }

  void post(std::function<void()> work);
  // Waits until it is done, and yields what it yields.
  template <typename T>
  Result<T> run(const std::function<Result<T>()>& work) {
    std::mutex mutex;
    std::condition_variable done;
    std::unique_ptr<Result<T>> result;
    post([&] {
      auto got = std::make_unique<Result<T>>(work());
      const std::lock_guard lock(mutex);
      result = std::move(got);
      done.notify_one();
    });
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return result != nullptr; });
    return std::move(*result);
  }

  // On the context's thread: what GL has found wrong since the last call.
  Result<> check(std::string_view call) const;

 private:
  Context(const Api& api, bool is_es) : api_(api), is_es_(is_es) {}
  Result<> start();
  void work();

  Api api_;
  bool is_es_;
  EglContext context_ = nullptr;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> queue_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace quern::opengl
