// Converts base::ticks() to nanoseconds of std::chrono::steady_clock by linear interpolation between samples
// of both clocks. Times before the last sample always convert to the same value, so that their order is kept;
// later times must wait for another sample. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>

namespace quern::profile {

class ClockLine {
 public:
  ClockLine() { look(); }

  void look();  // takes a sample now
  uint64_t last() const { return moments_.back().ticks; }
  uint64_t nanoseconds(uint64_t ticks) const;

 private:
  struct Moment {
    uint64_t ticks, nanoseconds;
  };
  std::deque<Moment> moments_;  // oldest first
};

}  // namespace quern::profile
