#include "ring/device_clock.hpp"

#include <chrono>

#include "ring/stamp.hpp"

namespace quern::ring {

std::uint64_t DeviceClock::now() const {
  return 1 + static_cast<std::uint64_t>(
                 std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count());
}

void DeviceClock::write() const {
  for (const auto& actor : kernel_.actors()) write(*actor);
}

void DeviceClock::write(const ActorState& actor) const {
  if (!kernel_.plan().has_time()) return;
  std::uint64_t* const line = kernel_.control(actor);
  put(line + kControlTime, now());
  put(line + kControlWall, kernel_.plan().has_stamps ? wall_stamp() : 0);
}

}  // namespace quern::ring
