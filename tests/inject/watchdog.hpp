// Ends the process if one case takes too long, and prints its name.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <unistd.h>

namespace quern::inject {

class Watchdog {
 public:
  explicit Watchdog(double seconds)
      : limit_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void begin(std::string what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
    since_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void watch() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      changed_.wait_for(lock, std::chrono::milliseconds(200));
      if (what_.empty() || Clock::now() - since_ < limit_) continue;
      std::printf("DEADLOCK: %s did not end in time\n", what_.c_str());
      (void)std::fflush(stdout);
      ::_exit(3);
    }
  }

  const Clock::duration limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  Clock::time_point since_ = Clock::now();
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace quern::inject
