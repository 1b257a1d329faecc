// When a command began and ended, in base::ticks(), for devices that run in this process. Zero: not yet.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ticks.hpp"

namespace quern::driver {

struct Stamp {
  std::atomic<uint64_t> begin{0};
  std::atomic<uint64_t> end{0};
};

// Fills a stamp, if there is one, while a command runs.
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
