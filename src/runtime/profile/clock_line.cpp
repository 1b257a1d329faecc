#include "runtime/profile/clock_line.hpp"

#include <algorithm>

#include "base/ticks.hpp"
#include "driver/support/clock_pair.hpp"

namespace quern::profile {

namespace {
constexpr size_t kMost = 1 << 18;  // more than an hour of samples, 4 MiB
constexpr int kTries = 5;          // the fastest one gives the sample
}  // namespace

void ClockLine::look() {
  Moment best{0, 0};
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = base::ticks();
    const uint64_t host = driver::host_nanoseconds();
    const uint64_t took = base::ticks() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, host};
  }
  const bool goes_on = moments_.empty() ||
                       (best.ticks > moments_.back().ticks && best.nanoseconds > moments_.back().nanoseconds);
  if (goes_on) moments_.push_back(best);
  if (moments_.size() > kMost)
    moments_.erase(moments_.begin() + 1);  // the first sample defines the start time
}

uint64_t ClockLine::nanoseconds(uint64_t ticks) const {
  if (moments_.size() < 2) return moments_.front().nanoseconds;
  auto end = std::upper_bound(moments_.begin() + 1, moments_.end() - 1, ticks,
                              [](uint64_t t, const Moment& m) { return t < m.ticks; });
  const Moment &a = *(end - 1), &b = *end;
  const double rate =
      static_cast<double>(b.nanoseconds - a.nanoseconds) / static_cast<double>(b.ticks - a.ticks);
  const double since = static_cast<double>(static_cast<int64_t>(ticks - a.ticks)) * rate;
  return a.nanoseconds + static_cast<uint64_t>(static_cast<int64_t>(since));
}

}  // namespace quern::profile
