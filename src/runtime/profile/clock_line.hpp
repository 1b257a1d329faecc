// From base::ticks() to nanoseconds of std::chrono::steady_clock: straight lines between moments at which
// both were read. Times stay in order whenever they are converted. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>

namespace quern::profile {

class ClockLine {
 public:
  ClockLine() { look(); }

  void look();  // one more moment: now
  uint64_t nanoseconds(uint64_t ticks) const;

 private:
  struct Moment {
    uint64_t ticks, nanoseconds;
  };
  std::deque<Moment> moments_;  // the oldest first
};

}  // namespace quern::profile
