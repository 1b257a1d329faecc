// Whether a profile is active: checked by every launch.
#pragma once

#include <atomic>

namespace quern::profile {

inline std::atomic<bool> taken{false};

inline bool is_on() { return taken.load(std::memory_order_relaxed); }

}  // namespace quern::profile
