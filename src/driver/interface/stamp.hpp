// Begin and end of a command, in base::ticks(), for devices that run in this process. 0: not yet.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ticks.hpp"

namespace quern::driver {

struct Stamp {
  std::atomic<uint64_t> begin{0};
  std::atomic<uint64_t> end{0};
};

// Fills a stamp, unless it is null, during its lifetime.
class Stamped {
 public:
  explicit Stamped(Stamp* stamp) : stamp_(stamp) {
    if (stamp_ != nullptr) stamp_->begin.store(base::ticks(), std::memory_order_relaxed);
  }
  ~Stamped() {
    if (stamp_ != nullptr) stamp_->end.store(base::ticks(), std::memory_order_release);
  }
  Stamped(const Stamped&) = delete;
  Stamped& operator=(const Stamped&) = delete;

 private:
  Stamp* stamp_;
};

}  // namespace quern::driver
