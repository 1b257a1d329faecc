// The thread that serves a group.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace quern::ring {

// Owns the thread, its job queue and its wake-up. `mutex_` guards the queue and the wait; wake(), be_eager(),
// run() and is_current() may be called from any thread, start() and stop() from the one that owns the group.
class ServiceThread {
 public:
  struct Pace {
    std::uint32_t polls = 0;                    // idle steps before the thread yields
    std::chrono::microseconds longest_wait{0};  // unless the client is quiet
  };
  // What the thread calls.
  class Client {
   public:
    virtual bool step() = 0;  // returns whether there was something to do
    virtual Pace pace() const = 0;
    virtual bool is_quiet() const = 0;                       // nothing happens before somebody calls wake()
    virtual std::chrono::nanoseconds until_due() const = 0;  // the longest wait

   protected:
    ~Client() = default;
  };

  void start(Client& client);
  // Ends the thread after its current step.
  void stop();

  void wake();
  // The next idle steps follow each other immediately.
  void be_eager() { idle_steps_.store(0, std::memory_order_relaxed); }
  // Runs `work` on the thread, between two steps; waits for it and throws its exceptions.
  void run(const std::function<void()>& work);
  bool is_current() const { return std::this_thread::get_id() == thread_.get_id(); }
  bool is_running() const { return thread_.joinable(); }

  static constexpr std::chrono::milliseconds kQuietWait{100};

 private:
  void loop();
  bool run_jobs();
  void rest(bool did_something);

  Client* client_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> sleeps_{false};
  std::atomic<bool> ends_{false};
  std::vector<std::function<void()>> jobs_;
  std::atomic<bool> has_jobs_{false};
  std::atomic<std::uint32_t> idle_steps_{0};
  std::thread thread_;
};

}  // namespace quern::ring
