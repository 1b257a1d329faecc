// A GL context and its thread. A GL context may be used only by the thread on which it is current, but
// callers may be any threads: they submit work, which runs in order. Work accesses only the Gl and values
// that it captured, because a driver call that never returns is abandoned.
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

// State for the context's thread; the loss is shared by all threads.
class Gl {
 public:
  Gl(const Api& has, bool es, Seconds seconds) : api(has), is_es(es), patience(seconds) {}

  Result<> start(EglContext share);  // creates the context
  void end();
  // GL errors since the last call.
  Result<> check(std::string_view call);
  // Waits for all launches so far. Fails if none of them ends within the patience.
  Result<> settle();
  // Whether the mark is reached within this time.
  Result<bool> poll(Mark& mark, uint64_t nanoseconds);
  void note_launch();  // the dispatch that was just submitted to GL

  // Copies to or from host memory, unless the device is lost: the caller has then stopped waiting.
  Result<> copy(void* to, const void* from, uint64_t bytes) const;

  // Whether the patience is exhausted: no launch and no piece of work has finished since.
  bool is_stuck(Time since) const;
  base::Error stuck();  // marks the device lost because of that

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
  Result<bool> pass(Sync sync, uint64_t nanoseconds);  // whether it is reached in this time
  Result<bool> pass_oldest(uint64_t nanoseconds);      // the same for the oldest launch

  EglContext context_ = nullptr;
  bool loses_on_reset_ = false;  // as the context was created
  bool tells_resets_ = false;
  std::deque<Sync> launches_;                 // not known to be done
  std::atomic<Time> progress_{Clock::now()};  // when a launch was last found done
};

class Context {
 public:
  // `share`: a context that has the same buffers; null: none.
  static Result<std::shared_ptr<Context>> create(const Api& api, bool is_es, Seconds patience,
                                                 EglContext share = nullptr);
  ~Context();  // runs the submitted work, unless the device is lost
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void post(std::function<void(Gl&)> work);
  // Runs `work`, waits for it and returns its result.
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
  // Blocks until the mark is reached. Other threads may submit work meanwhile.
  Result<> wait_for(const std::shared_ptr<Mark>& mark);

  const std::shared_ptr<driver::Loss>& loss() const { return shared_->gl.loss; }

 private:
  // Also owned by the thread, which may return after the context was destroyed.
  struct Shared {
    explicit Shared(const Api& api, bool is_es, Seconds patience) : gl(api, is_es, patience) {}
    void work();
    Gl gl;
    std::mutex mutex;
    std::condition_variable more;
    std::deque<std::function<void(Gl&)>> stream;
    std::atomic<Time> begun{Clock::now()};  // start of the current piece of work
    bool ends = false;
  };

  Context() = default;

  std::shared_ptr<Shared> shared_;
  std::future<void> ended_;
  std::thread thread_;
};

// A position in the context's work; its thread fills it in.
struct Mark final : driver::Mark, std::enable_shared_from_this<Mark> {
  explicit Mark(std::shared_ptr<Context> of) : context(std::move(of)) {}
  ~Mark() override;

  std::shared_ptr<Context> context;
  Sync sync = nullptr;
  uint32_t query = 0;
  std::atomic<bool> is_reached{false};
};

}  // namespace quern::opengl
