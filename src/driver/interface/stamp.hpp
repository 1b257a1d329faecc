// When a command began and ended, in base::ticks(), for devices that run in this process. Zero: not yet.
#pragma once

#include <atomic>
#include <cstdint>

namespace quern::driver {

struct Stamp {
  std::atomic<uint64_t> begin{0};
  std::atomic<uint64_t> end{0};
};

}  // namespace quern::driver
