// The shortest time of work() in microseconds: other programs only make it longer.
#pragma once

#include <algorithm>
#include <chrono>

namespace quern::bench {

template <typename Work>
double shortest_of(int repeats, const Work& work) {
  using Clock = std::chrono::steady_clock;
  double shortest = 1e18;
  work();
  for (int i = 0; i < repeats; ++i) {
    const auto begin = Clock::now();
    work();
    shortest = std::min(shortest, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  return shortest;
}

}  // namespace quern::bench
