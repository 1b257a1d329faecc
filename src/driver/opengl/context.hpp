// A GL context and the one thread it belongs to. GL lets a context be used by the thread it is current on,
// and our callers are any threads: they hand work over, which is done in order. Work sees what it captured
// by value and the Gl: a driver that does not come back from a call is left to itself, and nobody waits.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "driver/opengl/api.hpp"
#include "driver/support/loss.hpp"
#include "driver/support/marking_device.hpp"
#include "driver/support/waiting_clock.hpp"

namespace quern::opengl {

using Clock = driver::WaitingClock;
using Time = std::chrono::nanoseconds;  // by that clock
using Seconds = std::chrono::duration<double>;

struct Mark;

// What work sees, on the context's thread; the loss is for all threads.
class Gl {
 public:
  Gl(const Api& has, bool es, Seconds seconds) : api(has), is_es(es), patience(seconds) {}

  Result<> start(EglContext share);  // makes the context
  void end();
  // What GL has found wrong since the last call.
  Result<> check(std::string_view call);
  // All launches so far are done. Fails when none of them ends for as long as the patience lasts.
  Result<> settle();
  // Whether the mark is reached by then.
  Result<bool> poll(Mark& mark, uint64_t nanoseconds);
  void note_launch();  // the dispatch that was just handed to GL

  // To or from memory of the host, unless the device is lost: nobody waits for it then.
  Result<> copy(void* to, const void* from, uint64_t bytes) const;

  // Whether patience is at its end: neither a launch nor a piece of work has ended since.
  bool is_stuck(Time since) const;
  base::Error stuck();  // loses the device for it

  const Api& operator*() const { return api; }
  const Api* operator->() const { return &api; }
  EglContext native() const { return context_; }
  bool loses_on_reset() const { return loses_on_reset_; }

  Api api;
  const bool is_es;
  const Seconds patience;
  const std::shared_ptr<driver::Loss> loss = std::make_shared<driver::Loss>();

 private:
  Result<> check_reset();
  Result<bool> pass(Sync sync, uint64_t nanoseconds);  // whether it is reached by then
  Result<bool> pass_oldest(uint64_t nanoseconds);      // of the launches, likewise

  EglContext context_ = nullptr;
  bool loses_on_reset_ = false;  // as the context was created
  bool tells_resets_ = false;
  std::deque<Sync> launches_;                 // those that were not done when last looked
  std::atomic<Time> progress_{Clock::now()};  // when the last launch was found done
};

class Context {
 public:
  // `share`: a context that has the same buffers; null: none.
  static Result<std::shared_ptr<Context>> create(const Api& api, bool is_es, Seconds patience,
                                                 EglContext share = nullptr);
  ~Context();  // does what was handed over before, unless the device is lost
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void post(std::function<void(Gl&)> work);
  // Waits until it is done, and yields what it yields.
  template <typename T>
  Result<T> run(std::function<Result<T>(Gl&)> work) {
    QUERN_TRY(loss()->alive());
    const auto answer = std::make_shared<std::promise<Result<T>>>();
    auto future = answer->get_future();
    post([answer, work = std::move(work)](Gl& gl) { answer->set_value(work(gl)); });
    while (future.wait_for(Clock::kLook) != std::future_status::ready) {
      QUERN_TRY(loss()->alive());
      if (shared_->gl.is_stuck(shared_->begun)) return shared_->gl.stuck();
    }
    return future.get();
  }
  // Until the mark is reached. Others may hand over work meanwhile.
  Result<> wait_for(const std::shared_ptr<Mark>& mark);

  const std::shared_ptr<driver::Loss>& loss() const { return shared_->gl.loss; }

 private:
  // The thread has it too, and may come back when the context is gone.
  struct Shared {
    explicit Shared(const Api& api, bool is_es, Seconds patience) : gl(api, is_es, patience) {}
    void work();
    Gl gl;
    std::mutex mutex;
    std::condition_variable more;
    std::deque<std::function<void(Gl&)>> stream;
    std::atomic<Time> begun{Clock::now()};  // the piece of work that is being done
    bool ends = false;
  };

  Context() = default;

  std::shared_ptr<Shared> shared_;
  std::future<void> ended_;
  std::thread thread_;
};

// A place in the context's work, which its thread fills in.
struct Mark final : driver::Mark, std::enable_shared_from_this<Mark> {
  explicit Mark(std::shared_ptr<Context> of) : context(std::move(of)) {}
  ~Mark() override;

  std::shared_ptr<Context> context;
  Sync sync = nullptr;
  uint32_t query = 0;
  std::atomic<bool> is_reached{false};
};

}  // namespace quern::opengl
