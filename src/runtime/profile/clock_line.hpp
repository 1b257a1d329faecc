// From base::ticks() to nanoseconds of std::chrono::steady_clock: straight lines between moments at which
// both were read. What lies before the last moment is converted the same way ever after, so that times stay
// in order; what lies behind it must wait for another one. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>

namespace quern::profile {

class ClockLine {
 public:
  ClockLine() { look(); }

  void look();  // one more moment: now
  uint64_t last() const { return moments_.back().ticks; }
  uint64_t nanoseconds(uint64_t ticks) const;

 private:
  struct Moment {
    uint64_t ticks, nanoseconds;
  };
  std::deque<Moment> moments_;  // the oldest first
};

}  // namespace quern::profile
