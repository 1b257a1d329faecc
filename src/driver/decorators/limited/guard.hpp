// Calls on threads of their own, so that one that does not come back holds nobody up.
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

  // False: the call is not over within the limit, and goes on by itself. `work` must own all that it uses.
  // The time is WaitingClock's.
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
