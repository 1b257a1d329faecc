#include "driver/support/waiting_clock.hpp"

#include <algorithm>
#include <mutex>

namespace quern::driver {

namespace {

using Clock = std::chrono::steady_clock;

struct State {
  std::mutex mutex;
  std::chrono::nanoseconds now{};
  Clock::time_point last_look = Clock::now();
  uint64_t preparations = 0, living = 0;
};

State& state() {
  static State all;
  return all;
}

// The caller holds the mutex.
void look(State& s) {
  const Clock::time_point real = Clock::now();
  if (s.living == 0) s.now += std::min<Clock::duration>(real - s.last_look, 2 * WaitingClock::kLook);
  s.last_look = real;
}

}  // namespace

std::chrono::nanoseconds WaitingClock::now() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  look(s);
  return s.now;
}

Preparation::Preparation() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  look(s);
  ++s.living;
  ++s.preparations;
}

Preparation::~Preparation() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  look(s);
  --s.living;
}

uint64_t Preparation::count() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.preparations;
}

}  // namespace quern::driver
