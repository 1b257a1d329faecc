#include "driver/support/preparation.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>

namespace quern::driver {

namespace {

using Clock = std::chrono::steady_clock;

struct Meter {
  std::mutex mutex;
  uint64_t living = 0;
  Clock::time_point since;  // where some live
  Clock::duration before{};
};

Meter& meter() {
  static Meter all;
  return all;
}

}  // namespace

Preparation::Preparation() {
  const std::lock_guard lock(meter().mutex);
  if (meter().living++ == 0) meter().since = Clock::now();
}

Preparation::~Preparation() {
  const std::lock_guard lock(meter().mutex);
  if (--meter().living == 0) meter().before += Clock::now() - meter().since;
}

double Preparation::seconds() {
  const std::lock_guard lock(meter().mutex);
  const Clock::duration now = meter().living == 0 ? Clock::duration() : Clock::now() - meter().since;
  return std::chrono::duration<double>(meter().before + now).count();
}

}  // namespace quern::driver
