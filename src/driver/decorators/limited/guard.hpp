// Runs calls on separate threads, so that a call that never returns does not block the caller.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.hpp"

namespace quern::limited {

class Guard {
 public:
  explicit Guard(double seconds) : limit_(seconds) {}
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Returns false if the call did not finish within the limit; it then continues in the background, so `work`
  // must own everything it uses. The time is measured by WaitingClock.
  bool run(std::function<void()> work);
  double seconds() const { return limit_.count(); }

 private:
  struct Worker;
  std::shared_ptr<Worker> take();

  std::chrono::duration<double> limit_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Worker>> idle_;
};

}  // namespace quern::limited
